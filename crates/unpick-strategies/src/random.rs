//! `random`: controlled random scheduling.
//!
//! P. Thomson's thesis (2016), section 3.2.4: at every point, one of the enabled tasks, each with the
//! same probability. Nothing is remembered between executions, schedules can repeat, and the search
//! never completes. Yields are ignored. With `linger`, tasks wait before atomic updates: see `random/linger.rs`.

mod linger;

pub use linger::RandomLinger;

use crate::RandomSource;
use alloc::boxed::Box;
use unpick_engine::{Begin, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Controlled random scheduling.
pub struct Random {
    seed: u64,
    source: RandomSource,
}

impl Random {
    /// The executions of one seed.
    pub fn new(seed: u64) -> Random {
        Random {
            seed,
            source: RandomSource::for_execution(seed, 0),
        }
    }
}

impl Strategy for Random {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        Begin::Ready
    }

    #[inline(always)]
    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        Ok(uniform(view, &mut self.source))
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }
}

/// The strategy with its parameter. The plain one is a type of its own: its choice is on the path of every step.
pub(crate) fn build(seed: u64, linger: Option<u64>) -> Box<dyn Strategy> {
    match linger {
        None | Some(1) => Box::new(Random::new(seed)),
        Some(weight) => Box::new(RandomLinger::new(seed, weight)),
    }
}

/// One of the enabled tasks, each with the same probability. A single one costs no random number.
#[inline(always)]
pub(crate) fn uniform(view: &View<'_>, source: &mut RandomSource) -> TaskId {
    let chosen = match view.enabled_count() {
        1 => view.enabled().first(),
        count => view.enabled().nth(source.below(count as u64) as usize),
    };
    chosen.expect("internal error: no task is enabled")
}
