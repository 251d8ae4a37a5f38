//! A history, told by a pass over the trace that costs next to nothing: what coverage and portfolios take
//! for new.
//!
//! It is finer than the happens-before relation that [`History`](crate::History) knows: tasks that are
//! created in another order have other names. That makes something new of what is not, for all strategies
//! alike.

use crate::Execution;
use alloc::vec::Vec;
use unpick_trace::{Access, Choice};

/// The history of an execution as a hash: who performed which of his operations on an object after
/// whom, where the order of two reads does not count.
#[derive(Default)]
pub struct Sketch {
    hash: u64,
    /// Of each object: its writes in order, and the reads since the last one.
    objects: Vec<(u64, u64)>,
    /// Steps of each task so far.
    ordinals: Vec<u64>,
}

impl Sketch {
    /// The hash of the execution that was read last.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Reads an execution that has ended.
    pub fn read(&mut self, execution: &Execution) {
        self.objects.clear();
        self.ordinals.clear();
        let trace = execution.trace();
        self.objects.resize(trace.objects.len(), (0, 0));
        self.ordinals.resize(trace.tasks.len(), 0);
        for step in &trace.steps {
            let task = step.task.index();
            self.ordinals[task] += 1;
            let answer = match step.choice {
                Choice::Task(_) => 0,
                other => 1 + u64::from(other.answer()),
            };
            let event = mix(mix(task as u64, self.ordinals[task]), answer);
            let Some((writes, reads)) = self.objects.get_mut(step.op.object.index()) else {
                continue;
            };
            match step.op.access() {
                Access::None => {}
                Access::Read => *reads = reads.wrapping_add(event),
                Access::Write => (*writes, *reads) = (mix(mix(*writes, *reads), event), 0),
            }
        }
        let objects = self.objects.iter();
        self.hash = objects.fold(0, |sum, &(writes, reads)| {
            sum.wrapping_add(mix(writes, reads))
        });
    }
}

fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}
