//! `pct`: probabilistic concurrency testing.
//!
//! S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, *A randomized scheduler with probabilistic
//! guarantees of finding bugs*, ASPLOS 2010; as in P. Thomson's thesis (2016), section 3.2.5.
//!
//! ```text
//! give the n tasks distinct random priorities, all at least d
//! draw k_1 .. k_(d-1) uniformly from 1..k, before the execution
//! always run the enabled task of highest priority
//! after step k_i, the task that made it gets priority d - i; after a yield, the lowest of all
//! ```
//!
//! A bug of depth d is found by one execution with probability at least 1 / (n k^(d-1)). Steps are
//! counted from the first point at which two tasks are enabled.
//!
//! *Departures from the paper.* n need not be known: a task draws its place among the others when it
//! appears. k, unless told (`pct:k=N`), is the largest number of steps seen so far, looked at after
//! 1, 2, 4, 8, … executions.

use crate::{Priorities, RandomSource};
use unpick_engine::{Begin, Profile, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Initial priorities are drawn above everything that change points and yields assign.
const INITIAL_MIN: i64 = 1 << 32;

/// Probabilistic concurrency testing.
pub struct Pct {
    seed: u64,
    source: RandomSource,
    priorities: Priorities,
}

impl Pct {
    /// Bugs of depth `depth`, in executions of `steps_told` steps if that is known.
    pub fn new(seed: u64, depth: u32, steps_told: Option<u64>) -> Pct {
        Pct {
            seed,
            source: RandomSource::for_execution(seed, 0),
            priorities: Priorities::new(depth, steps_told),
        }
    }
}

impl Strategy for Pct {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        self.priorities.begin(&mut self.source);
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.priorities.admit(view.task_count(), |_| {
            let range = (i64::MAX - INITIAL_MIN) as u64;
            INITIAL_MIN + self.source.below(range) as i64
        });
        let task = self.priorities.highest(view.enabled().iter());
        let task = task.expect("internal error: no task is enabled");
        self.priorities.made_step(task, view.enabled_count());
        if view.yields(task) {
            self.priorities.sink(task);
        }
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }

    fn learns(&self) -> bool {
        true
    }

    fn learn(&mut self, profile: &Profile) {
        self.priorities.learn(profile);
    }
}
