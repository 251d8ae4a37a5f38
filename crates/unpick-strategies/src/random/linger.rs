//! `random:linger=N`: a random walk in which tasks wait before atomic updates.
//!
//! ```text
//! at every point: run an enabled task, drawn with weight 1 if its next operation reads and writes a
//!                 variable in one step (exchange, compare-exchange, fetch-and-add), with weight N if not
//! ```
//!
//! What such an update does rests on what its task has read before, and between the two lies the window of
//! most faults of lock-free code: what was read is no longer so, or is so again (ABA). A walk that is even at
//! every point leaves the window after two or three steps of others. To wait before the operation that closes
//! a window is what the noise and sleeps of other tools do (S. Park, S. Lu, Y. Zhou, *CTrigger: exposing
//! atomicity violation bugs from their hiding places*, ASPLOS 2009); here it is a matter of odds, so that nothing
//! has to be known of the program before, and every schedule stays possible.
//!
//! Where no enabled task is about to update, the draw is that of `random`: without atomic updates
//! the executions of a seed are the same ones.

use super::uniform;
use crate::RandomSource;
use unpick_engine::{Begin, Stop, Strategy, View};
use unpick_trace::{Choice, OpKind, TaskId};

/// Controlled random scheduling that waits before atomic updates.
pub struct RandomLinger {
    seed: u64,
    weight: u64,
    source: RandomSource,
}

impl RandomLinger {
    /// The executions of one seed. A task that is about to update is drawn with a weight of 1 to `weight`.
    pub fn new(seed: u64, weight: u64) -> RandomLinger {
        RandomLinger {
            seed,
            weight,
            source: RandomSource::for_execution(seed, 0),
        }
    }

    fn weight(&self, view: &View<'_>, task: TaskId) -> u64 {
        match view.next_op(task).kind {
            OpKind::ReadModifyWrite | OpKind::CompareExchange => 1,
            _ => self.weight,
        }
    }
}

impl Strategy for RandomLinger {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let tasks = view.enabled();
        let sum: u64 = tasks.iter().map(|task| self.weight(view, task)).sum();
        if sum == self.weight * view.enabled_count() as u64 {
            return Ok(uniform(view, &mut self.source));
        }
        let mut place = self.source.below(sum);
        let is_it = |&task: &TaskId| match place.checked_sub(self.weight(view, task)) {
            Some(rest) => {
                place = rest;
                false
            }
            None => true,
        };
        let chosen = tasks.iter().find(is_it);
        Ok(chosen.expect("internal error: a draw is below the sum of the weights"))
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }
}
