//! Directs searches at the possible deadlocks that an exploration warns about.
//!
//! A front end calls it when an exploration is over. The executions of these searches count like all
//! others; they come after those of the strategy, in the order of the warnings, so that the result
//! does not depend on how many workers there were.

use crate::DeadlockFuzzer;
use unpick_engine::{
    Confirmation, Control, Exploration, Limits, Runtime, StopReason, explore_range,
};

/// How to confirm.
#[derive(Clone, Copy, Debug)]
pub struct Confirm {
    /// Executions directed at each cycle, at most.
    pub executions_max: u64,
    /// The seed of the exploration.
    pub seed: u64,
    /// Whether the strategy would have found every deadlock there is by the end of its search.
    pub is_exhaustive: bool,
}

impl Confirm {
    /// Drops the warnings about deadlocks that cannot happen, since a complete search has found none,
    /// and about the one that was found as a failure anyway.
    pub fn settle(&self, found: &mut Exploration) {
        let is_refuted = self.is_exhaustive && found.claim().is_proof() && found.failures == 0;
        let failure = found.first_failure.as_deref();
        found.warnings.retain(|warning| {
            warning.cycle.as_ref().is_none_or(|cycle| {
                !is_refuted && !failure.is_some_and(|failure| cycle.is_met_by(&failure.outcome))
            })
        });
    }

    /// Whether there is something to confirm in what was found. Where something fails, the counts of
    /// the strategy are left alone, and there is enough to do.
    pub fn is_wanted(&self, found: &Exploration) -> bool {
        let is_open = matches!(
            found.stopped_because,
            StopReason::Exhausted
                | StopReason::Strategy
                | StopReason::Executions
                | StopReason::Time
                | StopReason::Memory
        );
        let mut warnings = found.warnings.iter();
        let has_cycle = warnings.any(|warning| warning.cycle.is_some());
        self.executions_max > 0 && found.is_clean() && is_open && has_cycle
    }

    /// Directs a search at each cycle of locks, and says in its warning what came of that.
    pub fn run(
        &self,
        runtime: &mut dyn Runtime,
        limits: &Limits,
        found: &mut Exploration,
        observer: &mut dyn FnMut(&Exploration) -> Control,
    ) {
        // Of what the strategy covers they tell nothing.
        let limits = &Limits {
            coverage: false,
            ..*limits
        };
        let mut next = 0;
        // The list grows if these executions show other cycles.
        while next < found.warnings.len() {
            if let Some(cycle) = found.warnings[next].cycle.as_deref() {
                let mut strategy = DeadlockFuzzer::new(cycle.clone(), self.seed);
                let range = 0..self.executions_max;
                let (part, _) = explore_range(runtime, &mut strategy, range, limits, observer);
                let executions = part.executions;
                let is_over = append(found, part, limits);
                found.warnings[next].set_confirmation(match strategy.is_met() {
                    true => Confirmation::Confirmed {
                        execution: found.executions,
                    },
                    false => Confirmation::NotConfirmed { executions },
                });
                if is_over {
                    return;
                }
            }
            next += 1;
        }
    }
}

/// Appends what a directed search has found; answers whether it has ended the exploration.
fn append(found: &mut Exploration, mut part: Exploration, limits: &Limits) -> bool {
    part.count_from(found.executions);
    let first = part.first_failure.as_deref_mut();
    for failure in first.into_iter().chain(part.groups.firsts()) {
        failure.is_directed = true;
    }
    let (is_complete, reason) = (found.complete, found.stopped_because);
    let ended = match part.stopped_because {
        StopReason::Time | StopReason::Memory | StopReason::Interrupted | StopReason::Diverged => {
            true
        }
        _ => part.failures > 0 && !limits.keep_going,
    };
    let stopped = match part.failures > 0 && !limits.keep_going {
        true => StopReason::Failure,
        false => part.stopped_because,
    };
    found.append(part);
    found.complete = is_complete;
    found.stopped_because = match ended {
        true => stopped,
        false => reason,
    };
    ended
}
