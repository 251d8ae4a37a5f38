//! `actor-pct`: probabilistic concurrency testing of actors.
//!
//! P. Thomson's thesis (2016), section 6.6.2, after S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte, *A
//! randomized scheduler with probabilistic guarantees of finding bugs*, ASPLOS 2010. Neither the number of actors
//! nor that of steps need be known.
//!
//! ```text
//! keep a list of the actors, highest priority first: at the beginning the first actor
//! draw k_1 .. k_(d-1) uniformly from 1..k, before the execution
//! an actor that is created enters the list at a random place
//! while an actor is at something else than a send or a yield, run the first such one
//! otherwise run the first actor of the list that is enabled: that is a step
//! after step k_i, and after a yield, the actor that ran goes to the end of the list
//! k is 1 at first, and then the largest number of steps of an execution so far
//! ```
//!
//! *Departures from the thesis.* What counts as a step is as in `actor-random`. k is looked at after 1, 2, 4, 8, …
//! executions, so that any number of workers finds the same, and it counts those that the limit of steps has
//! ended, too. The thesis draws d points where there are d - 1 (an erratum).

use crate::RandomSource;
use crate::actor_random::{free, measure_steps};
use alloc::vec::Vec;
use unpick_engine::{Begin, Execution, Profile, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Probabilistic concurrency testing of actors.
pub struct ActorPct {
    seed: u64,
    depth: u32,
    steps_told: Option<u64>,
    steps: u64,
    source: RandomSource,
    /// The actors, highest priority first.
    list: Vec<TaskId>,
    /// k_1 .. k_(d-1).
    change_points: Vec<u64>,
    step: u64,
}

impl ActorPct {
    /// Bugs of depth `depth`, in executions of `steps_told` steps if that is known.
    pub fn new(seed: u64, depth: u32, steps_told: Option<u64>) -> ActorPct {
        ActorPct {
            seed,
            depth,
            steps_told,
            steps: steps_told.unwrap_or(1),
            source: RandomSource::for_execution(seed, 0),
            list: Vec::new(),
            change_points: Vec::new(),
            step: 0,
        }
    }

    fn take_in(&mut self, task_count: usize) {
        for number in self.list.len()..task_count {
            let place = self.source.below(number as u64 + 1);
            self.list.insert(place as usize, TaskId(number as u32));
        }
    }
}

impl Strategy for ActorPct {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        self.list.clear();
        self.change_points.clear();
        for _ in 1..self.depth {
            self.change_points.push(1 + self.source.below(self.steps));
        }
        self.step = 0;
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.take_in(view.task_count());
        if let Some(task) = free(view) {
            return Ok(task);
        }
        let enabled = view.enabled();
        let first = self.list.iter().position(|task| enabled.contains(*task));
        let first = first.expect("internal error: no task is enabled");
        let task = self.list[first];
        self.step += 1;
        if view.yields(task) || self.change_points.contains(&self.step) {
            self.list.remove(first);
            self.list.push(task);
        }
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }

    fn learns(&self) -> bool {
        true
    }

    fn measure(&self, execution: &Execution, profile: &mut Profile) {
        measure_steps(execution, profile);
    }

    fn learn(&mut self, profile: &Profile) {
        if self.steps_told.is_none() {
            self.steps = profile.chosen_steps_max.max(1);
        }
    }
}
