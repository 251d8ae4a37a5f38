//! What objects are known by from one execution to the next.
//!
//! Tasks are numbered by the order of creation, other objects by the order of their first use, apart from
//! each other. In a common numbering a task that is created before or after a variable is first used, as
//! the schedule has it, moves that variable, and its counts become those of another one.

use alloc::vec::Vec;
use unpick_engine::Execution;
use unpick_trace::{Access, ObjectId, ObjectKind, Trace};

/// The places of the objects of one execution in tables that last for all of them.
#[derive(Default)]
pub(super) struct Places {
    /// By object.
    places: Vec<usize>,
    /// How many tasks there are, and how many others.
    counts: [usize; 2],
}

impl Places {
    /// Prepares for another execution.
    pub fn clear(&mut self) {
        self.places.clear();
        self.counts = [0; 2];
    }

    /// Takes in objects that have come into being.
    pub fn update(&mut self, trace: &Trace) {
        for info in &trace.objects[self.places.len()..] {
            let group = usize::from(info.kind != ObjectKind::Task);
            self.places.push(2 * self.counts[group] + group);
            self.counts[group] += 1;
        }
    }

    /// The place of an object.
    pub fn of(&self, object: ObjectId) -> usize {
        self.places[object.index()]
    }
}

/// How many operations and writes each task has performed on each object, by its place.
pub(super) fn accesses(execution: &Execution) -> Vec<Vec<(u64, u64)>> {
    let mut counts = Vec::new();
    counts.resize(execution.task_count(), Vec::new());
    let mut places = Places::default();
    places.update(execution.trace());
    for step in execution.trace().steps.iter() {
        if !step.is_operation() || step.op.object == ObjectId::NONE {
            continue;
        }
        let of_task = &mut counts[step.task.index()];
        let place = places.of(step.op.object);
        if of_task.len() <= place {
            of_task.resize(place + 1, (0, 0));
        }
        of_task[place].0 += 1;
        of_task[place].1 += u64::from(step.op.access() == Access::Write);
    }
    counts
}
