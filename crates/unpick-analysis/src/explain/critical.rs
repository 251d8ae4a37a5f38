//! The critical step: the first one after which every continuation fails.
//!
//! Whether the continuations of a prefix fail is found by running some of them: the one that goes on by
//! itself, and those that branch off from it once. That a longer prefix fails if a shorter one does is
//! certain, so that the step is found by bisection.

use crate::shrink::{Branches, Ended, Run};

/// Continuations that are tried, at most.
const CONTINUATIONS_MAX: usize = 64;

/// Where an execution is lost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Critical {
    /// From the beginning.
    Inevitable,
    /// By the operation of this index.
    Step(usize),
    /// There was no time to find out.
    Unknown,
}

impl Critical {
    /// The operation, if there is one.
    pub(super) fn to_step(self) -> Option<usize> {
        match self {
            Critical::Step(step) => Some(step),
            Critical::Inevitable | Critical::Unknown => None,
        }
    }
}

/// Looks for the operation after which all continuations that were tried fail.
pub(super) fn step(failing: &Ended, run: &mut Run<'_>) -> Critical {
    let count = failing.trace.operation_count();
    match is_doomed(failing, 0, run) {
        Some(true) => return Critical::Inevitable,
        Some(false) if count > 0 => {}
        _ => return Critical::Unknown,
    }
    let (mut saved, mut doomed) = (0, count);
    while doomed - saved > 1 {
        let middle = saved + (doomed - saved) / 2;
        match is_doomed(failing, middle, run) {
            Some(true) => doomed = middle,
            Some(false) => saved = middle,
            None => return Critical::Unknown,
        }
    }
    Critical::Step(doomed - 1)
}

/// Whether everything fails that begins with so many operations of the execution; `None` if there is no
/// more time.
fn is_doomed(failing: &Ended, length: usize, run: &mut Run<'_>) -> Option<bool> {
    let preemptions_max = failing.trace.preemption_count() + 1;
    let mut branches = Branches::new(&failing.trace, length, preemptions_max);
    for _ in 0..CONTINUATIONS_MAX {
        let Some((plan, followed)) = branches.next() else {
            break;
        };
        let ended = run(&plan)?;
        if !ended.outcome.is_failure() {
            return Some(false);
        }
        branches.add(ended, followed);
    }
    Some(true)
}
