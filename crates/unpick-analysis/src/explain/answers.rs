//! Which answers to questions other than "which task" a failure needs: a time-out, a wake-up or a failure
//! without a reason, a value.

use crate::shrink::{Ended, Run};
use unpick_trace::{Plan, Step};

/// Answers that are looked at, at most.
const LOOKED_AT_MAX: usize = 16;

/// The answers, as indices of steps, that make the execution fail: with the ordinary one in the place of one
/// of them, it passes.
pub(super) fn needed(failing: &Ended, run: &mut Run<'_>) -> Vec<usize> {
    let mut needed = Vec::new();
    let steps = failing.trace.steps.iter().enumerate();
    let is_odd = |(_, step): &(usize, &Step)| step.choice.answer() != 0;
    for (index, step) in steps.filter(is_odd).take(LOOKED_AT_MAX) {
        let mut ordinary = failing.trace.clone();
        ordinary.steps[index].choice = step.choice.with_answer(0);
        let Some(ended) = run(&Plan::of(&ordinary)) else {
            break;
        };
        if !ended.outcome.is_failure() {
            needed.push(index);
        }
    }
    needed
}
