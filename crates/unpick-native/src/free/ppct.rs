//! `ppct` on real threads, from the side of the driver: who is to be held back in which execution.
//!
//! The draws are those of the strategy [`Ppct`], execution by execution; the runtime inside the program keeps
//! them (`unpick-preload/src/free/priorities.rs`). Nothing is run here.

use unpick_engine::Profile;
use unpick_protocol::{CHANGES_MAX, PriorityOrder};
use unpick_strategies::Ppct;

use super::Execution;

/// The priorities of one free execution after the other.
pub struct ParallelPpct {
    depth: u32,
    strategy: Ppct,
    profile: Profile,
    executions: u64,
}

impl ParallelPpct {
    /// Bugs of depth `depth`, from 1 to [`CHANGES_MAX`], in executions of `tasks_told` threads and
    /// `steps_told` steps if that is known.
    pub fn new(
        seed: u64,
        depth: u32,
        tasks_told: Option<u64>,
        steps_told: Option<u64>,
    ) -> ParallelPpct {
        assert!(
            (1..=CHANGES_MAX as u32).contains(&depth),
            "internal error: depth {depth} cannot be kept"
        );
        ParallelPpct {
            depth,
            strategy: Ppct::new(seed, depth, tasks_told, steps_told),
            profile: Profile::default(),
            executions: 0,
        }
    }

    /// Whom the execution of this number holds back.
    pub fn order(&mut self, index: u64) -> PriorityOrder {
        let draw = self.strategy.draw(index);
        let mut changes = [0; CHANGES_MAX];
        for (change, step) in changes.iter_mut().zip(draw.steps) {
            *change = step;
        }
        PriorityOrder {
            depth: self.depth,
            low_first: u32::try_from(draw.low_first).unwrap_or(u32::MAX),
            changes,
        }
    }

    /// Takes the size of the program from an execution, after 1, 2, 4, 8, … of them.
    pub fn learn(&mut self, execution: &Execution) {
        let threads = execution.threads.len() as u32;
        self.profile.tasks_max = self.profile.tasks_max.max(threads);
        // Behind the last one there is nobody to hold back.
        let steps = execution.priorities.step_count.saturating_sub(1);
        self.profile.contended_steps_max = self.profile.contended_steps_max.max(steps);
        self.executions += 1;
        if self.executions.is_power_of_two() {
            unpick_engine::Strategy::learn(&mut self.strategy, &self.profile);
        }
    }

    /// The probability with which one execution finds a bug of the depth, at least, for the size seen so far.
    pub fn guarantee(&self) -> f64 {
        let steps = self.profile.contended_steps_max.max(1) as f64;
        let tasks = f64::from(self.profile.tasks_max.max(1));
        steps.powi(1 - self.depth as i32) / tasks
    }
}
