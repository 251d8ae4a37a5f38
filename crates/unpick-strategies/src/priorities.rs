//! Priorities with change points: the policy that `pct` and `ppct` have in common.
//!
//! Initial priorities lie at `d` and above. d - 1 steps are drawn before an execution; the task that
//! makes the i-th of them falls to `d - i`. Who of the tasks goes on is not decided here: that is the
//! only difference between the two techniques.

use crate::RandomSource;
use alloc::vec::Vec;
use unpick_engine::Profile;
use unpick_trace::TaskId;

/// Steps assumed before any execution was seen.
const STEPS_AT_FIRST: u64 = 32;

/// The priorities of one execution after the other.
pub struct Priorities {
    depth: u32,
    steps_told: Option<u64>,
    steps: u64,
    priorities: Vec<i64>,
    /// The steps k_1 .. k_(d-1) with the priority that each assigns.
    change_points: Vec<(u64, i64)>,
    /// Steps counted so far; none before two tasks were enabled at once.
    step: u64,
    lowest: i64,
}

impl Priorities {
    /// For bugs of depth `depth`, in executions of `steps_told` steps if that is known.
    pub fn new(depth: u32, steps_told: Option<u64>) -> Priorities {
        Priorities {
            depth,
            steps_told,
            steps: steps_told.unwrap_or(STEPS_AT_FIRST),
            priorities: Vec::new(),
            change_points: Vec::new(),
            step: 0,
            lowest: 0,
        }
    }

    /// Draws the change points of an execution; no task has a priority yet.
    pub fn begin(&mut self, source: &mut RandomSource) {
        self.priorities.clear();
        self.change_points.clear();
        for number in 1..self.depth {
            let step = 1 + source.below(self.steps);
            let priority = i64::from(self.depth - number);
            self.change_points.push((step, priority));
        }
        self.step = 0;
        self.lowest = 0;
    }

    /// The steps k_1 .. k_(d-1) that were drawn.
    pub fn change_steps(&self) -> impl Iterator<Item = u64> {
        self.change_points.iter().map(|&(step, _)| step)
    }

    /// Gives tasks that have appeared their initial priorities, which `initial` tells by task number.
    pub fn admit(&mut self, task_count: usize, mut initial: impl FnMut(usize) -> i64) {
        while self.priorities.len() < task_count {
            let priority = initial(self.priorities.len());
            self.priorities.push(priority);
        }
    }

    /// The priority of a task.
    pub fn of(&self, task: TaskId) -> i64 {
        self.priorities[task.index()]
    }

    /// Whether a task is above all that change points have to do with: p > d.
    pub fn is_high(&self, task: TaskId) -> bool {
        self.of(task) > i64::from(self.depth)
    }

    /// The task of maximal priority.
    pub fn highest(&self, tasks: impl Iterator<Item = TaskId>) -> Option<TaskId> {
        tasks.max_by_key(|&task| self.of(task))
    }

    /// Whether steps are counted already.
    pub fn counts(&self) -> bool {
        self.step > 0
    }

    /// Counts a step, if two tasks could have made it or an earlier one, and lets a change point act.
    pub fn made_step(&mut self, task: TaskId, enabled_count: usize) {
        if self.step == 0 && enabled_count <= 1 {
            return;
        }
        self.step += 1;
        for &(step, priority) in &self.change_points {
            if step == self.step {
                self.priorities[task.index()] = priority;
            }
        }
    }

    /// Puts a task below all others.
    pub fn sink(&mut self, task: TaskId) {
        self.priorities[task.index()] = self.lowest;
        self.lowest -= 1;
    }

    /// Takes the length of executions from those that were seen, unless it was told.
    pub fn learn(&mut self, profile: &Profile) {
        if self.steps_told.is_none() {
            self.steps = profile.contended_steps_max.max(1);
        }
    }
}
