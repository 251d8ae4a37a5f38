//! The five lines of a failure.

use crate::{count, explained, thousands, why};
use std::fmt;
use unpick_analysis::{Size, Understanding};
use unpick_trace::{FailureKind, OpKind, Outcome, Step, TaskId, Trace};

/// A failing schedule with everything a person needs to act on it.
pub struct FailureReport<'a> {
    /// The program or test.
    pub name: &'a str,
    /// How the execution ended.
    pub outcome: &'a Outcome,
    /// What happened in it.
    pub trace: &'a Trace,
    /// What was found out about it by running the program again.
    pub known: Option<&'a Understanding>,
    /// Which execution it was, from 1.
    pub execution: u64,
    /// How many were allowed.
    pub executions_max: u64,
    /// What led to it.
    pub way: Way,
    /// The strategy, as given.
    pub strategy: &'a str,
    /// The technique that led to it, if the strategy has several.
    pub member: Option<&'a str>,
    /// The seed.
    pub seed: u64,
    /// The command that replays it.
    pub replay: &'a str,
    /// Where it is kept, or why it is not.
    pub saved: &'a str,
}

/// What led to a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The strategy.
    Strategy,
    /// A search directed at a possible deadlock.
    Directed,
    /// The regression of the program, which still fails.
    Regression,
    /// A search near the regression of the program, which no longer fits.
    Near,
    /// An order of events that a recorded execution allows.
    Predicted,
    /// What a free execution did.
    Free,
}

/// What a trace's header has for a strategy if it was predicted.
pub const PREDICTED: &str = "predict";

/// What a trace's header has for a strategy if a free execution led to it.
pub const FREE: &str = "free";

impl Way {
    /// What led to a failure of an exploration.
    pub fn of(is_directed: bool) -> Way {
        match is_directed {
            true => Way::Directed,
            false => Way::Strategy,
        }
    }
}

impl fmt::Display for FailureReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headline = headline(self.outcome, self.trace);
        writeln!(f, "FAILED  {}  {headline}", self.name)?;
        let size = size_text(Size::of(self.trace), self.known.map(|known| known.found));
        writeln!(f, "  found   {}; {size}", self.found())?;
        let why = match self.known {
            Some(known) => explained(self.outcome, self.trace, &known.explanation),
            None => why(self.outcome, self.trace),
        };
        writeln!(f, "  why     {why}")?;
        writeln!(f, "  replay  {}", self.replay)?;
        write!(f, "  saved   {}", self.saved)
    }
}

impl FailureReport<'_> {
    /// How it was found.
    fn found(&self) -> String {
        let execution = thousands(self.execution);
        let budget = match (self.way, self.executions_max) {
            (Way::Regression, _) => return "by its regression, in the first execution".to_string(),
            (Way::Near, _) => return format!("execution {execution} near its regression"),
            (Way::Predicted, _) => {
                return format!("predicted from a trace, confirmed by execution {execution}");
            }
            (Way::Free, _) => {
                return format!("execution {execution} along a free one");
            }
            (Way::Directed, _) => ", directed at a possible deadlock".to_string(),
            (Way::Strategy, u64::MAX) => String::new(),
            (Way::Strategy, limit) => format!(" of {}", thousands(limit)),
        };
        let member = self
            .member
            .map_or(String::new(), |name| format!(": {name}"));
        format!(
            "execution {execution}{budget} ({}{member}, seed {:#x})",
            self.strategy, self.seed
        )
    }
}

/// A size in words, and what has become less of it. Fewer preemptions may take more steps.
fn size_text(now: Size, before: Option<Size>) -> String {
    let steps = count(now.steps as u64, "step");
    let preemptions = count(now.preemptions as u64, "preemption");
    match before {
        Some(before) if now.steps < before.steps => format!(
            "shrunk from {} to {}, {preemptions}",
            count(before.steps as u64, "step"),
            thousands(now.steps as u64),
        ),
        Some(before) if now.preemptions < before.preemptions => format!(
            "{steps}, shrunk from {} to {}",
            count(before.preemptions as u64, "preemption"),
            thousands(now.preemptions as u64),
        ),
        _ => format!("{steps}, {preemptions}"),
    }
}

/// What to do about an execution that takes too many steps.
const HINT: &str = "raise the limit with --steps or Config::steps if it only needs longer";

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
                FailureKind::Panic => {
                    let handled = handled_message(failure.task, trace);
                    format!("panicked{place}: {message}{handled}")
                }
                FailureKind::Misuse => format!("misuse{place}: {message}"),
                FailureKind::DataRace | FailureKind::Livelock => message,
                FailureKind::StepLimit => format!("step limit: {message} ({HINT})"),
                FailureKind::StackOverflow => format!("stack overflow: {message}"),
                FailureKind::Abort
                | FailureKind::Signal
                | FailureKind::ExitCode
                | FailureKind::UseAfterFree
                | FailureKind::InvalidFree
                | FailureKind::OutOfBounds => format!("{message}{place}"),
            }
        }
        Outcome::Deadlock(deadlock) => {
            let blocked = count(deadlock.blocked.len() as u64, "task");
            match deadlock.cycle.as_slice() {
                [] => format!("deadlock: {blocked} can never go on"),
                [task] => format!("deadlock: {} waits for itself", trace.task_name(*task)),
                ring => {
                    let names: Vec<String> =
                        ring.iter().map(|&task| trace.task_name(task)).collect();
                    format!("deadlock: {} wait for each other", names.join(", "))
                }
            }
        }
        Outcome::StepLimit { limit } => format!(
            "inconclusive: not at its end after {} steps ({HINT})",
            thousands(*limit)
        ),
        Outcome::Diverged(divergence) => format!(
            "diverged at step {}: expected {}, found {}",
            divergence.step, divergence.expected, divergence.found
        ),
    }
}

/// The message that an actor was at. It has a name, and the first mailbox it receives from is its own; from
/// others it takes answers.
fn handled_message(task: TaskId, trace: &Trace) -> String {
    let is_receipt = |step: &&Step| {
        step.task == task && matches!(step.op.kind, OpKind::Receive | OpKind::TryReceive)
    };
    let has_name = trace
        .tasks
        .get(task.index())
        .is_some_and(|info| info.name.is_some());
    let own = trace.steps.iter().find(is_receipt).filter(|_| has_name);
    let label = own.and_then(|own| {
        let mut receipts = trace.steps.iter().rev().filter(is_receipt);
        trace.label(receipts.find(|step| step.op.object == own.op.object)?)
    });
    match label {
        Some(label) => format!(" (while {} handled `{label}`)", trace.task_name(task)),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_trace::{Choice, Failure, ObjectId, Op, SiteId, TaskBits, TaskInfo};

    #[test]
    fn a_panic_of_an_actor_tells_what_it_was_at() {
        let mut trace = Trace::default();
        for name in [None, Some("account")] {
            trace.tasks.push(TaskInfo {
                parent: TaskId(0),
                index: 0,
                object: ObjectId::NONE,
                name: name.map(str::to_string),
            });
        }
        let steps = [
            (0, OpKind::Send, 2, "deposit"),
            (1, OpKind::Receive, 2, "deposit"),
            (1, OpKind::Send, 2, "reminder"),
            (1, OpKind::Receive, 3, "answer"),
            (0, OpKind::Receive, 4, "answer"),
        ];
        for (index, (task, kind, object, label)) in steps.into_iter().enumerate() {
            let (task, op) = (TaskId(task), Op::new(kind, ObjectId(object)));
            let step = Step::new(Choice::Task(task), task, op, SiteId::UNKNOWN);
            trace.push(step, TaskBits::from_words(0, &[]));
            trace.set_label(index, label);
        }
        let headline_of = |task| {
            let failure = Failure {
                kind: FailureKind::Panic,
                task: TaskId(task),
                message: "no".to_string(),
                site: None,
            };
            headline(&Outcome::Fail(failure), &trace)
        };
        assert_eq!(headline_of(0), "panicked: no");
        assert_eq!(
            headline_of(1),
            "panicked: no (while task 1 (account) handled `deposit`)"
        );
    }

    #[test]
    fn what_has_become_less_is_told() {
        let size = |steps, preemptions| Size { steps, preemptions };
        let text = |now, before| size_text(now, before);
        assert_eq!(text(size(9, 1), None), "9 steps, 1 preemption");
        assert_eq!(
            text(size(9, 2), Some(size(1_041, 7))),
            "shrunk from 1,041 steps to 9, 2 preemptions"
        );
        assert_eq!(
            text(size(12, 0), Some(size(10, 3))),
            "12 steps, shrunk from 3 preemptions to 0"
        );
        assert_eq!(text(size(4, 1), Some(size(4, 1))), "4 steps, 1 preemption");
    }
}
