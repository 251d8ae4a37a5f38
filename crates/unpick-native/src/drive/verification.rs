//! Looks at a failure twice before it is reported: once more in the back-end that found it, and once
//! in plain threads of forked processes.
//!
//! What comes back in the back-end that found it is a failure, with a note if threads differ. What does not
//! depends on something that is not controlled: the first step that differs is reported, with the likely cause.

use std::sync::Arc;

use unpick_engine::FirstFailure;
use unpick_protocol::{Backend, Reexecution};
use unpick_trace::{FailureKind, Outcome, Site};

use super::cause;
use super::exploration::{Explored, Options, replay};
use super::process::{Command, DriveError, cannot_start};
use crate::memory_file::MemoryFile;

/// What became of a failure that was run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verification {
    /// It failed in the same way, step by step, in the back-end that found it.
    Confirmed {
        /// What the program printed.
        output: String,
        /// How an execution in threads differs, if it does.
        elsewhere: Option<String>,
    },
    /// It could not be run again.
    Unknown {
        /// Why.
        why: String,
    },
    /// It did not.
    Leak {
        /// Where: the back-end, and the first step that differs if one does.
        what: String,
        /// The likely cause, and what to do about it.
        cause: String,
    },
}

/// Runs a failure again in two back-ends.
pub fn verify(
    command: &Command,
    options: &Options,
    found: &Explored,
    failure: &FirstFailure,
) -> Result<Verification, DriveError> {
    let file = MemoryFile::new().map_err(|cause| cannot_start(command, cause))?;
    let file = Arc::new(file);
    let again = |way| {
        let shared = &found.shared;
        replay(command, options, way, &failure.trace, shared, Some(&file))
    };
    let words = |(backend, reexecution): Way, how: &str| {
        format!("in {}, by {}: {how}", backend.word(), reexecution.word())
    };
    let own = (found.backend, found.reexecution);
    let result = again(own);
    let output = file.text();
    let (second, answer) = result?;
    if let Some(difference) = difference(failure, &second) {
        // Once more: what differs differently each time is not left behind by executions.
        let third = again(own).ok().map(|(third, _)| third);
        let is_steady = third.is_some_and(|third| self::difference(&second, &third).is_none());
        return Ok(Verification::Leak {
            what: words(own, &difference),
            cause: cause::likely(command, found, &answer.modules, is_steady),
        });
    }
    let threads = (Backend::Threads, Reexecution::Fork);
    let elsewhere = match again(threads) {
        Ok((other, _)) => difference(failure, &other),
        Err(error) => Some(error.to_string()),
    };
    Ok(Verification::Confirmed {
        output,
        elsewhere: elsewhere.map(|how| words(threads, &how)),
    })
}

/// How tasks are run and executions repeated.
type Way = (Backend, Reexecution);

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
