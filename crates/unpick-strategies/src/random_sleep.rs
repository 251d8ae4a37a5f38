//! `random-sleep`: tasks that now and then sleep, all others going on.
//!
//! The policy RS of S. Nagarakatte, S. Burckhardt, M. M. K. Martin, M. Musuvathi, *Multicore
//! acceleration of priority-based schedulers for concurrency bug detection*, PLDI 2012: at a point, sleep
//! briefly with probability 1/30; all threads run at once.
//!
//! ```text
//! every task has a processor and a clock of its own
//! run the enabled task whose clock shows the earliest time
//! its step takes 8 to 24 ticks; with probability 1/30 it sleeps before the next one,
//!     for up to 100 steps of 16 ticks
//! a task that could not go on sets its clock to the time at which it can
//! ```
//!
//! *Departures from the paper.* Where tasks run one at a time, time is virtual: the order of steps is the
//! one that as many processors of about the same speed would give. How long a short sleep is, the paper
//! does not say; it is drawn uniformly up to `random-sleep:sleep=N` steps, 100 by default, and how often
//! can be told with `odds`.

use crate::RandomSource;
use alloc::vec::Vec;
use unpick_engine::{Begin, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Ticks of the shortest step, and how many more the longest has.
const STEP_MIN: u64 = 8;
const STEP_SPREAD: u64 = 16;

/// Ticks of a step in the mean.
const STEP_MEAN: u64 = STEP_MIN + STEP_SPREAD / 2;

/// Tasks that now and then sleep.
pub struct RandomSleep {
    seed: u64,
    /// A task sleeps at one point out of so many.
    odds: u64,
    /// Steps of others that a sleep lasts at most.
    sleep_max: u64,
    source: RandomSource,
    /// When the task makes its next step, if it can.
    clocks: Vec<u64>,
    now: u64,
}

impl RandomSleep {
    /// Sleeps at one point out of `odds`, for as long as `sleep_max` steps at most.
    pub fn new(seed: u64, odds: u64, sleep_max: u64) -> RandomSleep {
        RandomSleep {
            seed,
            odds,
            sleep_max,
            source: RandomSource::for_execution(seed, 0),
            clocks: Vec::new(),
            now: 0,
        }
    }
}

impl Strategy for RandomSleep {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        self.clocks.clear();
        self.now = 0;
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        while self.clocks.len() < view.task_count() {
            let first = self.now + self.source.below(STEP_SPREAD);
            self.clocks.push(first);
        }
        let tasks = view.enabled().iter();
        let task = tasks.min_by_key(|task| self.clocks[task.index()]);
        let task = task.expect("internal error: no task is enabled");
        self.now = self.now.max(self.clocks[task.index()]);
        let mut next = self.now + STEP_MIN + self.source.below(STEP_SPREAD + 1);
        if self.source.chance(1, self.odds) {
            next += 1 + self.source.below(self.sleep_max * STEP_MEAN);
        }
        self.clocks[task.index()] = next;
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }
}
