//! Looks at a failure twice before it is reported: once more in the back-end that found it, and once
//! in plain threads of forked processes.
//!
//! What does not come out the same both times depends on something that is not controlled. That is
//! worth knowing, but it is not the program's bug.

use std::path::Path;

use unpick_engine::FirstFailure;
use unpick_protocol::{Backend, Reexecution};
use unpick_trace::{Failure, FailureKind, Outcome, Site};

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

/// Makes more of a failure with the help of what the program printed: a Rust panic that ended in an
/// exit code or an abort is a panic, with its place.
pub fn explain_by_output(outcome: &mut Outcome, output: &str) {
    let Outcome::Fail(failure) = outcome else {
        return;
    };
    let is_open = matches!(failure.kind, FailureKind::ExitCode | FailureKind::Abort);
    // A failed assertion of C says all there is to say.
    if !is_open || failure.message.starts_with("assertion `") {
        return;
    }
    if let Some((site, message)) = panic_in(output) {
        *failure = Failure {
            kind: FailureKind::Panic,
            task: failure.task,
            message,
            site: Some(site),
        };
    } else if failure.kind == FailureKind::Abort
        && let Some(words) = exception_in(output)
    {
        // The runtime has seen where.
        let thrown = match failure.message.starts_with("an exception") {
            true => "; thrown",
            false => "",
        };
        failure.message = format!("{words}{thrown}");
    } else if failure.kind == FailureKind::Abort
        && let Some(line) = output.lines().map(str::trim).rfind(|line| !line.is_empty())
    {
        failure.message = format!("{}: {line}", failure.message);
    }
}

/// The first panic in an output: `thread 'x' panicked at FILE:LINE:COLUMN:`, and the lines that
/// follow.
fn panic_in(output: &str) -> Option<(Site, String)> {
    let (_, rest) = output.split_once("panicked at ")?;
    let (place, rest) = rest.split_once('\n')?;
    let mut parts = place.trim_end().trim_end_matches(':').rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    let file = parts.next()?.to_string();
    let message: Vec<&str> = rest
        .lines()
        .take_while(|line| !line.is_empty() && !line.starts_with("note: "))
        .map(str::trim)
        .take(6)
        .collect();
    Some((Site { file, line, column }, message.join("\n")))
}

/// The exception that no function caught, as the library of C++ prints it: its type, and what it says of itself if it
/// does.
fn exception_in(output: &str) -> Option<String> {
    let (_, rest) = output.rsplit_once("terminate called after throwing an instance of '")?;
    let (kind, rest) = rest.split_once("'\n")?;
    let text = rest.trim_start().strip_prefix("what():");
    let text = text.and_then(|text| text.lines().next()).map(str::trim);
    Some(match text {
        Some(text) => format!("an exception `{kind}` is not caught: {text}"),
        None => format!("an exception `{kind}` is not caught"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_trace::TaskId;

    fn fault(kind: FailureKind) -> Outcome {
        Outcome::Fail(Failure {
            kind,
            task: TaskId(1),
            message: "exit code 101".into(),
            site: None,
        })
    }

    #[test]
    fn a_panic_is_found_in_the_output() {
        let output = "running 1 test\n\nthread 'worker' (123) panicked at src/lib.rs:41:9:\n\
                      assertion `left == right` failed\n  left: 90\n right: 100\n\
                      note: run with `RUST_BACKTRACE=1`\n";
        let mut outcome = fault(FailureKind::ExitCode);
        explain_by_output(&mut outcome, output);
        let Outcome::Fail(failure) = outcome else {
            panic!("it is a failure");
        };
        assert_eq!(failure.kind, FailureKind::Panic);
        assert_eq!(failure.site.unwrap().to_string(), "src/lib.rs:41");
        assert_eq!(
            failure.message,
            "assertion `left == right` failed\nleft: 90\nright: 100"
        );
    }

    #[test]
    fn other_failures_are_left_alone() {
        let mut outcome = fault(FailureKind::DataRace);
        explain_by_output(&mut outcome, "thread panicked at a.rs:1:1:\nx\n");
        assert_eq!(outcome, fault(FailureKind::DataRace));
        let mut outcome = fault(FailureKind::ExitCode);
        explain_by_output(&mut outcome, "nothing of interest");
        assert_eq!(outcome, fault(FailureKind::ExitCode));
    }

    #[test]
    fn the_last_words_of_an_aborted_program_are_kept() {
        let mut outcome = fault(FailureKind::Abort);
        explain_by_output(
            &mut outcome,
            "hello\nterminate called without an active exception\n\n",
        );
        let Outcome::Fail(failure) = outcome else {
            panic!("it is a failure");
        };
        assert!(
            failure
                .message
                .ends_with("terminate called without an active exception")
        );
    }
}
