//! `ppct`: parallel probabilistic concurrency testing, one task at a time.
//!
//! S. Nagarakatte, S. Burckhardt, M. M. K. Martin, M. Musuvathi, *Multicore acceleration of
//! priority-based schedulers for concurrency bug detection*, PLDI 2012.
//!
//! ```text
//! one of the n tasks gets priority d, all others more
//! draw k_1 .. k_(d-1) uniformly from 1..k, before the execution
//! run any enabled task of priority above d; if there is none, the enabled task of highest priority
//! after step k_i, the task that made it gets priority d - i
//! ```
//!
//! At most d tasks are ever at d or below; which of the others goes first is left open. A bug of depth d
//! is found by one execution with probability at least 1 / (n k^(d-1)), whoever fills what is open.
//! Steps are counted from the one that leads to the first point at which two tasks are enabled: who makes it
//! may have to wait right behind it. Behind the last one nobody waits, so that k is as large as for `pct`.
//!
//! *Departures from the paper.* Here, where tasks run one at a time, chance fills it: each of the high
//! tasks with the same probability. n and k, unless told (`ppct:n=N,k=N`), are the largest seen so far,
//! looked at after 1, 2, 4, 8, … executions. Instead of letting a low task go on for one step now and then,
//! any enabled task goes on for one step when every high one yields or goes round without changing
//! anything: the engine knows that, so that chance need not help, and the bound holds as it stands.

use crate::{Priorities, RandomSource};
use alloc::vec::Vec;
use unpick_engine::{Begin, Profile, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Tasks assumed before any execution was seen.
const TASKS_AT_FIRST: u64 = 2;

/// Parallel probabilistic concurrency testing, one task at a time.
pub struct Ppct {
    seed: u64,
    depth: i64,
    tasks_told: Option<u64>,
    tasks: u64,
    source: RandomSource,
    priorities: Priorities,
    /// The task that begins at priority d.
    low_first: u64,
}

/// What an execution is subject to.
pub struct PpctDraw {
    /// The task that begins at priority d.
    pub low_first: u64,
    /// The steps k_1 .. k_(d-1).
    pub steps: Vec<u64>,
}

impl Ppct {
    /// Bugs of depth `depth`, in executions of `tasks_told` tasks and `steps_told` steps if that is known.
    pub fn new(seed: u64, depth: u32, tasks_told: Option<u64>, steps_told: Option<u64>) -> Ppct {
        Ppct {
            seed,
            depth: i64::from(depth),
            tasks_told,
            tasks: tasks_told.unwrap_or(TASKS_AT_FIRST),
            source: RandomSource::for_execution(seed, 0),
            priorities: Priorities::new(depth, steps_told),
            low_first: 0,
        }
    }

    /// What is drawn before the execution of this number: for runtimes that let threads run at once and
    /// keep to it themselves.
    pub fn draw(&mut self, index: u64) -> PpctDraw {
        let _ = self.begin(index);
        PpctDraw {
            low_first: self.low_first,
            steps: self.priorities.change_steps().collect(),
        }
    }

    /// One of the enabled tasks that fit, each with the same probability.
    fn any(
        &mut self,
        view: &View<'_>,
        fits: impl Fn(&Priorities, TaskId) -> bool,
    ) -> Option<TaskId> {
        let fitting = |priorities: &Priorities, task: &TaskId| fits(priorities, *task);
        let tasks = view.enabled().iter();
        let count = tasks.filter(|task| fitting(&self.priorities, task)).count();
        let position = match count {
            0 => return None,
            1 => 0,
            _ => self.source.below(count as u64) as usize,
        };
        let mut tasks = view
            .enabled()
            .iter()
            .filter(|task| fitting(&self.priorities, task));
        tasks.nth(position)
    }
}

impl Strategy for Ppct {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        self.priorities.begin(&mut self.source);
        self.low_first = self.source.below(self.tasks);
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let (low_first, depth) = (self.low_first, self.depth);
        self.priorities.admit(view.task_count(), |task| {
            depth + i64::from(task as u64 != low_first)
        });
        if !self.priorities.counts() {
            self.priorities.made_step(view.last(), view.enabled_count());
        }
        let high = self.any(view, |priorities, task| {
            priorities.is_high(task) && !view.yields(task)
        });
        let any_high = view
            .enabled()
            .iter()
            .any(|task| self.priorities.is_high(task));
        let task = match high {
            Some(task) => Some(task),
            None if any_high => self.any(view, |_, _| true),
            None => self.priorities.highest(view.enabled().iter()),
        };
        let task = task.expect("internal error: no task is enabled");
        self.priorities.made_step(task, view.enabled_count());
        if view.yields(task) && !self.priorities.is_high(task) {
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
        if self.tasks_told.is_none() {
            self.tasks = u64::from(profile.tasks_max).max(1);
        }
    }
}
