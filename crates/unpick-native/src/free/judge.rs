//! Whether a free execution failed, and how: never swallowed, never guessed.

use super::{End, Execution};

/// What an execution must look like.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// Its exit code.
    pub code: i32,
    /// What it writes to its standard output.
    pub output: Option<Vec<u8>>,
    /// Words that its output must not have.
    pub fails_on: Vec<String>,
}

/// How an execution is judged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// As expected.
    Pass,
    /// Another exit code.
    ExitCode(i32),
    /// It was ended by a signal.
    Signal(i32),
    /// It did not come to its end, and nobody moved.
    Deadlock,
    /// It did not come to its end, though somebody was busy.
    TimeOut,
    /// It printed something else.
    WrongOutput,
    /// It printed the words of a failure.
    Says(String),
}

impl Verdict {
    /// Judges.
    pub fn of(execution: &Execution, expected: &Expectation) -> Verdict {
        match &execution.end {
            End::TimedOut { is_asleep, .. } => match is_asleep {
                true => return Verdict::Deadlock,
                false => return Verdict::TimeOut,
            },
            End::Signalled(signal) => return Verdict::Signal(*signal),
            End::Exited(code) if *code != expected.code => return Verdict::ExitCode(*code),
            End::Exited(_) => {}
        }
        let said = |words: &&String| {
            let is_in = |text: &[u8]| String::from_utf8_lossy(text).contains(words.as_str());
            is_in(&execution.output) || is_in(&execution.error_output)
        };
        if let Some(words) = expected.fails_on.iter().find(said) {
            return Verdict::Says(words.clone());
        }
        match &expected.output {
            Some(output) if *output != execution.output => Verdict::WrongOutput,
            _ => Verdict::Pass,
        }
    }

    /// Whether it is a failure.
    pub fn is_failure(&self) -> bool {
        *self != Verdict::Pass
    }

    /// In a few words.
    pub fn words(&self) -> String {
        match self {
            Verdict::Pass => "passed".into(),
            Verdict::ExitCode(code) => format!("exit code {code}"),
            Verdict::Signal(signal) => match signal_name(*signal) {
                Some(name) => format!("signal {signal} ({name})"),
                None => format!("signal {signal}"),
            },
            Verdict::Deadlock => "deadlock (time-out, and all threads sleep)".into(),
            Verdict::TimeOut => "time-out (some thread is busy)".into(),
            Verdict::WrongOutput => "wrong output".into(),
            Verdict::Says(words) => format!("its output says `{words}`"),
        }
    }
}

fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        libc::SIGABRT => "aborted",
        libc::SIGSEGV | libc::SIGBUS => "invalid memory access",
        libc::SIGFPE => "arithmetic fault",
        libc::SIGILL => "invalid instruction",
        libc::SIGKILL => "killed",
        libc::SIGPIPE => "nobody reads the pipe",
        libc::SIGTERM => "asked to end",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn ended(end: End, output: &str) -> Execution {
        Execution {
            end,
            output: output.into(),
            error_output: b"oops\n".to_vec(),
            elapsed: Duration::ZERO,
            processor_time: Duration::ZERO,
            noise_time: Duration::ZERO,
            threads: Vec::new(),
            events: Vec::new(),
            events_lost: 0,
            threads_lost: 0,
            priorities: Default::default(),
            conflicts: Vec::new(),
        }
    }

    #[test]
    fn nothing_is_swallowed() {
        let mut expected = Expectation::default();
        let judge = |end, expected: &Expectation| Verdict::of(&ended(end, "5\n"), expected);
        assert_eq!(judge(End::Exited(0), &expected), Verdict::Pass);
        assert_eq!(judge(End::Exited(3), &expected), Verdict::ExitCode(3));
        assert_eq!(judge(End::Signalled(11), &expected), Verdict::Signal(11));
        expected.output = Some(b"5\n".to_vec());
        assert_eq!(judge(End::Exited(0), &expected), Verdict::Pass);
        expected.output = Some(b"6\n".to_vec());
        assert_eq!(judge(End::Exited(0), &expected), Verdict::WrongOutput);
        expected.fails_on = vec!["oops".into()];
        assert_eq!(
            judge(End::Exited(0), &expected),
            Verdict::Says("oops".into())
        );
        // A program that is expected to fail must do so.
        expected.code = 3;
        assert_eq!(judge(End::Exited(0), &expected), Verdict::ExitCode(0));
        let stuck = |is_asleep| End::TimedOut {
            is_asleep,
            stacks: Vec::new(),
        };
        assert_eq!(judge(stuck(true), &expected), Verdict::Deadlock);
        assert_eq!(judge(stuck(false), &expected), Verdict::TimeOut);
    }
}
