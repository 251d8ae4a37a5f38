//! Looks at a failure twice before it is reported: once more in the back-end that found it, and once
//! in plain threads of forked processes.
//!
//! What does not come out the same both times depends on something that is not controlled. That is
//! worth knowing, but it is not the program's bug.

use std::path::Path;

use unpick_engine::FirstFailure;
use unpick_protocol::{Backend, Reexecution};
use unpick_trace::{FailureKind, Outcome, Site};

use super::exploration::{Explored, Options, replay};
use super::process::{Command, DriveError};

/// What became of a failure that was run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// It failed in the same way, step by step, in both back-ends.
    Confirmed {
        /// What the program printed.
        output: String,
    },
    /// It did not.
    Leak {
        /// Where: the back-end, and the first step that differs if one does.
        what: String,
    },
}

/// Runs a failure again in two back-ends.
pub fn verify(
    command: &Command,
    options: &Options,
    found: &Explored,
    failure: &FirstFailure,
) -> Result<Verification, DriveError> {
    let file = std::env::temp_dir().join(format!("unpick-output-{}", std::process::id()));
    let ways = [
        (found.backend, found.reexecution),
        (Backend::Threads, Reexecution::Fork),
    ];
    let mut text = String::new();
    for way in ways {
        let shared = &found.shared;
        let result = replay(command, options, way, &failure.trace, shared, Some(&file));
        let output = read_output(&file);
        let _ = std::fs::remove_file(&file);
        let (again, _) = result?;
        if let Some(difference) = difference(failure, &again) {
            let what = format!("in {}, by {}: {difference}", way.0.word(), way.1.word());
            return Ok(Verification::Leak { what });
        }
        if text.is_empty() {
            text = output;
        }
    }
    Ok(Verification::Confirmed { output: text })
}

/// The end of what a program printed.
pub(super) fn read_output(path: &Path) -> String {
    const KEPT: usize = 64 << 10;
    let bytes = std::fs::read(path).unwrap_or_default();
    let start = bytes.len().saturating_sub(KEPT);
    String::from_utf8_lossy(&bytes[start..]).into_owned()
}

/// How two executions of one schedule differ.
pub fn difference(one: &FirstFailure, other: &FirstFailure) -> Option<String> {
    if let Outcome::Diverged(divergence) = &other.outcome {
        return Some(format!(
            "step {}: expected {}, found {}",
            divergence.step, divergence.expected, divergence.found
        ));
    }
    if essence(&one.outcome) != essence(&other.outcome) {
        return Some(format!(
            "the execution ends as {}, not as {}",
            other.outcome.word(),
            one.outcome.word()
        ));
    }
    (one.trace.hash() != other.trace.hash()).then(|| "the traces differ".to_string())
}

/// An outcome without what may differ from process to process: the addresses in messages.
fn essence(outcome: &Outcome) -> (&'static str, Option<(FailureKind, Option<Site>)>) {
    let fault = match outcome {
        Outcome::Fail(failure) => Some((failure.kind, failure.site.clone())),
        _ => None,
    };
    (outcome.word(), fault)
}
