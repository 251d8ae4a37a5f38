//! `preempt-bound`: a few preemptions at random points.
//!
//! The policy PB of S. Nagarakatte, S. Burckhardt, M. M. K. Martin, M. Musuvathi, *Multicore
//! acceleration of priority-based schedulers for concurrency bug detection*, PLDI 2012: the points
//! are drawn before the execution (`preempt-bound:c=N` of them, 2 by default); at one of them
//! another task goes on; when a task blocks, the next one is chosen at random.
//!
//! *Departures from the paper.* The length of executions, unless told (`preempt-bound:k=N`), is the
//! largest seen so far, looked at after 1, 2, 4, 8, … executions. A yield is treated like a block.

use crate::{RandomSource, preempt_always::other_than, random::uniform};
use alloc::vec::Vec;
use unpick_engine::{Begin, Profile, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

const STEPS_AT_FIRST: u64 = 32;

/// A few preemptions at random points.
pub struct PreemptBound {
    seed: u64,
    preemptions: u32,
    steps_told: Option<u64>,
    steps: u64,
    source: RandomSource,
    points: Vec<u64>,
    /// Steps counted so far; none before two tasks were enabled at once.
    step: u64,
}

impl PreemptBound {
    /// `preemptions` an execution, in executions of `steps_told` steps if that is known.
    pub fn new(seed: u64, preemptions: u32, steps_told: Option<u64>) -> PreemptBound {
        PreemptBound {
            seed,
            preemptions,
            steps_told,
            steps: steps_told.unwrap_or(STEPS_AT_FIRST),
            source: RandomSource::for_execution(seed, 0),
            points: Vec::new(),
            step: 0,
        }
    }
}

impl Strategy for PreemptBound {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        self.points.clear();
        for _ in 0..self.preemptions {
            self.points.push(1 + self.source.below(self.steps));
        }
        self.step = 0;
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let last = view.last();
        if self.step > 0 || view.enabled_count() > 1 {
            self.step += 1;
        }
        if self.points.contains(&self.step) || view.yields(last) {
            return Ok(other_than(view, last, &mut self.source));
        }
        match view.enabled().contains(last) {
            true => Ok(last),
            false => Ok(uniform(view, &mut self.source)),
        }
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
