//! `preempt-always`: a switch at every point.
//!
//! The policy PA of S. Nagarakatte, S. Burckhardt, M. M. K. Martin, M. Musuvathi, *Multicore
//! acceleration of priority-based schedulers for concurrency bug detection*, PLDI 2012: at every
//! point, switch to a random task that is not blocked.
//!
//! *Departures from the paper.* With one enabled task there is nobody to switch to, and it goes on.

use crate::RandomSource;
use unpick_engine::{Begin, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// A switch at every point.
pub struct PreemptAlways {
    seed: u64,
    source: RandomSource,
}

impl PreemptAlways {
    /// The executions of one seed.
    pub fn new(seed: u64) -> PreemptAlways {
        PreemptAlways {
            seed,
            source: RandomSource::for_execution(seed, 0),
        }
    }
}

impl Strategy for PreemptAlways {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        Ok(other_than(view, view.last(), &mut self.source))
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }
}

/// A random enabled task other than `avoided`, or that one if it is the only one.
pub(crate) fn other_than(view: &View<'_>, avoided: TaskId, source: &mut RandomSource) -> TaskId {
    let enabled = view.enabled();
    let others = view.enabled_count() - usize::from(enabled.contains(avoided));
    if others == 0 {
        return avoided;
    }
    let position = source.below(others as u64) as usize;
    enabled
        .iter()
        .filter(|&task| task != avoided)
        .nth(position)
        .expect("internal error: a position beyond the others")
}
