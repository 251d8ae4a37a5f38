//! The five lines of a failure.

use crate::why;
use std::fmt;
use unpick_trace::{FailureKind, Outcome, Trace};

/// A failing schedule with everything a person needs to act on it.
pub struct FailureReport<'a> {
    /// The program or test.
    pub name: &'a str,
    /// How the execution ended.
    pub outcome: &'a Outcome,
    /// What happened in it.
    pub trace: &'a Trace,
    /// Which execution it was, from 1.
    pub execution: u64,
    /// How many were allowed.
    pub executions_max: u64,
    /// Whether it was found by a search directed at a possible deadlock.
    pub is_directed: bool,
    /// The strategy, as given.
    pub strategy: &'a str,
    /// The seed.
    pub seed: u64,
    /// The command that replays it.
    pub replay: &'a str,
    /// Where it is kept, or why it is not.
    pub saved: &'a str,
}

impl fmt::Display for FailureReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headline = headline(self.outcome, self.trace);
        writeln!(f, "FAILED  {}  {headline}", self.name)?;
        let budget = match self.executions_max {
            _ if self.is_directed => String::from(", directed at a possible deadlock"),
            u64::MAX => String::new(),
            limit => format!(" of {}", thousands(limit)),
        };
        writeln!(
            f,
            "  found   execution {}{budget} ({}, seed {:#x}); {} steps, {}",
            thousands(self.execution),
            self.strategy,
            self.seed,
            thousands(self.trace.operation_count() as u64),
            count(self.trace.preemption_count(), "preemption"),
        )?;
        writeln!(f, "  why     {}", why(self.outcome, self.trace))?;
        writeln!(f, "  replay  {}", self.replay)?;
        write!(f, "  saved   {}", self.saved)
    }
}

/// What went wrong, in one line.
pub fn headline(outcome: &Outcome, trace: &Trace) -> String {
    match outcome {
        Outcome::Pass => "passed".to_string(),
        Outcome::Cut => "cut by the strategy".to_string(),
        Outcome::Fail(failure) => {
            let place = match &failure.site {
                Some(site) => format!(" at {site}"),
                None => String::new(),
            };
            let lines: Vec<&str> = failure.message.lines().map(str::trim).collect();
            let message = lines.join("; ");
            match failure.kind {
                FailureKind::Panic => format!("panicked{place}: {message}"),
                FailureKind::Misuse => format!("misuse{place}: {message}"),
                FailureKind::DataRace => message,
                FailureKind::StackOverflow => format!("stack overflow: {message}"),
                FailureKind::Abort
                | FailureKind::Signal
                | FailureKind::ExitCode
                | FailureKind::UseAfterFree
                | FailureKind::InvalidFree => format!("{message}{place}"),
            }
        }
        Outcome::Deadlock(deadlock) => {
            let count = deadlock.blocked.len();
            match deadlock.cycle.as_slice() {
                [] => format!("deadlock: {} can never go on", self::count(count, "task")),
                ring => {
                    let names: Vec<String> =
                        ring.iter().map(|&task| trace.task_name(task)).collect();
                    format!("deadlock: {} wait for each other", names.join(", "))
                }
            }
        }
        Outcome::StepLimit { limit } => format!(
            "livelock: not at its end after {} steps (raise the limit with --steps or \
             Config::steps if it only needs longer)",
            thousands(*limit)
        ),
        Outcome::Diverged(divergence) => format!(
            "diverged at step {}: expected {}, found {}",
            divergence.step, divergence.expected, divergence.found
        ),
    }
}

/// A number with a comma between thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
