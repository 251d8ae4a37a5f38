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

use crate::RandomSource;
use alloc::vec::Vec;
use unpick_engine::{Begin, Profile, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Steps assumed before any execution was seen.
const STEPS_AT_FIRST: u64 = 32;

/// Initial priorities are drawn above everything that change points and yields assign.
const INITIAL_MIN: i64 = 1 << 32;

/// Probabilistic concurrency testing.
pub struct Pct {
    seed: u64,
    depth: u32,
    steps_told: Option<u64>,
    steps: u64,
    source: RandomSource,
    priorities: Vec<i64>,
    /// The steps k_1 .. k_(d-1) with the priority that each assigns.
    change_points: Vec<(u64, i64)>,
    /// Steps counted so far; none before two tasks were enabled at once.
    step: u64,
    lowest: i64,
}

impl Pct {
    /// Bugs of depth `depth`, in executions of `steps_told` steps if that is known.
    pub fn new(seed: u64, depth: u32, steps_told: Option<u64>) -> Pct {
        Pct {
            seed,
            depth,
            steps_told,
            steps: steps_told.unwrap_or(STEPS_AT_FIRST),
            source: RandomSource::for_execution(seed, 0),
            priorities: Vec::new(),
            change_points: Vec::new(),
            step: 0,
            lowest: 0,
        }
    }

    fn draw_missing_priorities(&mut self, task_count: usize) {
        while self.priorities.len() < task_count {
            let range = (i64::MAX - INITIAL_MIN) as u64;
            let priority = INITIAL_MIN + self.source.below(range) as i64;
            self.priorities.push(priority);
        }
    }
}

impl Strategy for Pct {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        self.priorities.clear();
        self.change_points.clear();
        for number in 1..self.depth {
            let step = 1 + self.source.below(self.steps);
            self.change_points
                .push((step, i64::from(self.depth - number)));
        }
        self.step = 0;
        self.lowest = 0;
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.draw_missing_priorities(view.task_count());
        let enabled = view.enabled();
        let task = enabled
            .iter()
            .max_by_key(|task| self.priorities[task.index()])
            .expect("internal error: no task is enabled");
        if self.step > 0 || view.enabled_count() > 1 {
            self.step += 1;
            for &(step, priority) in &self.change_points {
                if step == self.step {
                    self.priorities[task.index()] = priority;
                }
            }
        }
        if view.yields(task) {
            self.priorities[task.index()] = self.lowest;
            self.lowest -= 1;
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
        if self.steps_told.is_none() {
            self.steps = profile.contended_steps_max.max(1);
        }
    }
}
