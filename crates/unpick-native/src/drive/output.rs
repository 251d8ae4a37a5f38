//! What the output of a program says of its failure.

use unpick_trace::{Failure, FailureKind, Outcome, Site};

/// What the message begins with if a test returned an error.
pub(super) const RETURNED: &str = "the test returned an error";

/// Makes more of a failure with the help of what the program printed: a Rust panic that ended in an
/// exit code or an abort is a panic, with its place; so is what a test returned, or an exception of C++.
pub fn explain_by_output(outcome: &mut Outcome, output: &str) {
    let Outcome::Fail(failure) = outcome else {
        return;
    };
    let is_open = matches!(failure.kind, FailureKind::ExitCode | FailureKind::Abort);
    // A failed assertion of C says all there is to say.
    if !is_open || failure.message.starts_with("assertion `") {
        return;
    }
    if let Some(verdict) = verdict_in(output) {
        failure.message = verdict.message;
        failure.site = verdict.site;
    } else if let Some(panic) = panic_in(output) {
        *failure = Failure {
            kind: FailureKind::Panic,
            task: failure.task,
            message: panic.message(),
            site: Some(panic.site),
        };
    } else if failure.kind == FailureKind::Abort {
        explain_abort(failure, output);
    }
}

fn explain_abort(failure: &mut Failure, output: &str) {
    if let Some(words) = exception_in(output) {
        // The runtime has seen where.
        let thrown = match failure.message.starts_with("an exception") {
            true => "; thrown",
            false => "",
        };
        failure.message = format!("{words}{thrown}");
    } else if let Some(line) = output.lines().map(str::trim).rfind(|line| !line.is_empty()) {
        failure.message = format!("{}: {line}", failure.message);
    }
}

/// What the harness says of a test that did not panic, or not as it should.
struct Verdict {
    message: String,
    site: Option<Site>,
}

/// The verdict of the harness on the test that it ran, if that is no panic.
fn verdict_in(output: &str) -> Option<Verdict> {
    let mut lines = test_output(output).unwrap_or(output).lines();
    lines.find_map(|line| {
        let line = line.trim_start();
        if let Some(error) = line.strip_prefix("Error: ") {
            let subject = match test_output(output) {
                Some(_) => RETURNED,
                None => "main returned an error",
            };
            let message = format!("{subject}: {error}");
            return Some(Verdict {
                message,
                site: None,
            });
        }
        let note = line.strip_prefix("note: ")?;
        let place = note.strip_prefix("test did not panic as expected");
        let site = place.and_then(|place| site_of(place.trim().strip_prefix("at ")?));
        let is_other = note.starts_with("panic did not contain expected string");
        (place.is_some() || is_other).then(|| Verdict {
            message: match place {
                Some(_) => "the test did not panic, and should have panicked".to_string(),
                None => format!(
                    "the test panicked with another message than it should: {}",
                    other_message(output)
                ),
            },
            site,
        })
    })
}

/// The message of the last panic.
fn other_message(output: &str) -> String {
    let last = panics_in(output).pop();
    last.map_or(String::new(), |panic| panic.message())
}

/// What the test printed that the harness reports as failed.
fn test_output(output: &str) -> Option<&str> {
    let (_, rest) = output.split_once("\n---- ")?;
    let (_, rest) = rest.split_once(" stdout ----\n")?;
    Some(rest.split("\n\nfailures:\n").next().unwrap_or(rest))
}

/// A panic as the standard library prints it: `thread 'x' panicked at FILE:LINE:COLUMN:`, and the lines that follow.
struct Panic<'a> {
    thread: &'a str,
    site: Site,
    lines: Vec<&'a str>,
}

impl Panic<'_> {
    fn message(&self) -> String {
        self.lines.join("\n")
    }

    /// Whether it tells of the panic of another thread only.
    fn is_consequence(&self) -> bool {
        let first = self.lines.first().copied().unwrap_or_default();
        let signs = ["Any { .. }", "PoisonError", "a scoped thread panicked"];
        signs.iter().any(|sign| first.contains(sign))
    }
}

fn panics_in(output: &str) -> Vec<Panic<'_>> {
    let mut panics = Vec::new();
    let mut rest = output;
    while let Some((before, after)) = rest.split_once(" panicked at ") {
        let thread = before.rsplit('\n').next().unwrap_or(before);
        let thread = thread.split('\'').nth(1).unwrap_or_default();
        let Some((place, after)) = after.split_once('\n') else {
            break;
        };
        rest = after;
        let Some(site) = site_of(place) else {
            continue;
        };
        let lines = after.lines().map(str::trim);
        let lines = lines.take_while(|line| !line.is_empty() && !line.starts_with("note: "));
        panics.push(Panic {
            thread,
            site,
            lines: lines.take(6).collect(),
        });
    }
    panics
}

/// The panic that ended the program. Others may have been caught: the last one of the thread of the test or of `main`
/// counts. If that one only reports the panic of another thread, the last one before it counts.
fn panic_in(output: &str) -> Option<Panic<'_>> {
    let failed = output.split_once("\n---- ");
    let failed = failed.and_then(|(_, rest)| Some(rest.split_once(" stdout ----")?.0));
    let mut panics = panics_in(output);
    let is_own = |panic: &Panic| panic.thread == "main" || Some(panic.thread) == failed;
    let at = panics.iter().rposition(is_own);
    let mut at = at.or_else(|| panics.len().checked_sub(1))?;
    while panics[at].is_consequence() && at > 0 {
        at -= 1;
    }
    Some(panics.swap_remove(at))
}

/// A place as `FILE:LINE:COLUMN`.
fn site_of(place: &str) -> Option<Site> {
    let mut parts = place.trim_end().trim_end_matches(':').rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    let file = parts.next()?.to_string();
    Some(Site::new(file, line, column))
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

    fn explained(output: &str) -> String {
        let mut outcome = fault(FailureKind::ExitCode);
        explain_by_output(&mut outcome, output);
        let Outcome::Fail(Failure { message, site, .. }) = outcome else {
            panic!("it is a failure");
        };
        let place = site.map_or(String::new(), |site| format!(" at {site}"));
        format!("{message}{place}")
    }

    #[test]
    fn a_panic_that_was_caught_is_not_the_failure() {
        let output = "running 1 test\n\nfailures:\n\n---- works stdout ----\n\n\
                      thread 'works' (7) panicked at src/lib.rs:5:9:\ncaught\n\n\
                      thread 'works' (7) panicked at src/lib.rs:9:9:\nthe failure\n\n\
                      thread '<unnamed>' (8) panicked at src/lib.rs:12:9:\na worker that is left\n";
        assert_eq!(explained(output), "the failure at src/lib.rs:9");
    }

    #[test]
    fn a_panic_that_reports_another_one_is_not_the_failure() {
        let output = "thread '<unnamed>' panicked at src/lib.rs:5:9:\ncaught\n\n\
                      thread '<unnamed>' panicked at src/lib.rs:6:9:\nthe failure\n\n\
                      thread 'main' panicked at src/lib.rs:9:18:\n\
                      called `Result::unwrap()` on an `Err` value: Any { .. }\n";
        assert_eq!(explained(output), "the failure at src/lib.rs:6");
    }

    #[test]
    fn a_test_that_returns_an_error_or_does_not_panic_says_so() {
        let head = "running 1 test\ntest works ... FAILED\n\nfailures:\n\n---- works stdout ----\n";
        let caught = "\nthread 'works' panicked at src/lib.rs:5:9:\ncaught\n\n";
        let foot = "\n\nfailures:\n    works\n";
        let returned = format!("{head}{caught}Error: \"no luck\"\n{foot}");
        assert_eq!(
            explained(&returned),
            "the test returned an error: \"no luck\""
        );
        let calm = format!("{head}note: test did not panic as expected at src/lib.rs:7:8\n{foot}");
        assert_eq!(
            explained(&calm),
            "the test did not panic, and should have panicked at src/lib.rs:7"
        );
        let other = format!("{head}{caught}note: panic did not contain expected string\n{foot}");
        assert_eq!(
            explained(&other),
            "the test panicked with another message than it should: caught"
        );
    }
}
