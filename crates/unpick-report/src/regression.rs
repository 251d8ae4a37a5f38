//! Words for regressions that do not fail any more.

use crate::count;
use unpick_analysis::Near;
use unpick_trace::Outcome;

/// What a trace's header has for a strategy if it was found near the regression.
pub const NEAR: &str = "near-regression";

/// What to say of a regression that no longer fails. `path` is where it is kept.
pub fn fixed(path: &str, name: &str) -> String {
    format!("the schedule in {path} runs to its end and passes; `unpick forget {name}` drops it")
}

/// What to say of a regression that no longer fits, after looking near it.
/// `diverged` is the outcome of its replay.
pub fn changed(path: &str, name: &str, diverged: &Outcome, near: &Near) -> String {
    let place = match diverged {
        Outcome::Diverged(divergence) => format!(
            "at step {} it expects {} and finds {}",
            divergence.step, divergence.expected, divergence.found
        ),
        other => other.word().to_string(),
    };
    let found = match near.failing {
        Some(_) => format!("execution {} near it fails", near.executions),
        None => format!(
            "no failure in {} near it; if that is as it should be, `unpick forget {name}` drops it",
            count(near.executions, "execution")
        ),
    };
    format!("the program has changed since {path} was recorded: {place}; {found}")
}
