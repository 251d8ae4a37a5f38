//! The state in which an execution of a generated program ends.

use crate::generated::Record;
use std::fmt;
use unpick::Execution;
use unpick::trace::{FailureKind, Outcome, TaskId};

/// How an execution ended, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ending {
    /// Every task ended.
    Pass,
    /// Some tasks cannot go on.
    Deadlock,
    /// A task panicked.
    Panic,
    /// A lock was misused.
    Misuse,
    /// Two accesses of one cell are not ordered.
    DataRace,
    /// A task ran out of stack.
    StackOverflow,
    /// There were too many steps.
    StepLimit,
}

/// What there is at the end of an execution: enough to tell two ends apart that the program itself
/// could tell apart, and nothing that depends on the order of independent operations.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// How it ended.
    pub ending: Ending,
    /// The task that failed, by number in the program.
    pub culprit: Option<usize>,
    /// The shared numbers.
    pub values: Vec<u32>,
    /// The tasks, by number in the program.
    pub tasks: Vec<TaskState>,
}

/// Where a task is at the end.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskState {
    /// Operations it has performed: the number of the one it stands before.
    pub operations: u64,
    /// Whether it came to its end; `None` if it was never created.
    pub has_ended: Option<bool>,
    /// Every value that an operation has given it.
    pub seen: Vec<u32>,
}

impl State {
    /// The state of an execution with this record; `None` if the strategy ended it.
    pub(super) fn of(execution: &Execution, record: &Record) -> Option<State> {
        let ending = match execution.outcome()? {
            Outcome::Pass => Ending::Pass,
            Outcome::Deadlock(_) => Ending::Deadlock,
            Outcome::StepLimit { .. } => Ending::StepLimit,
            Outcome::Fail(failure) => match failure.kind {
                FailureKind::Panic => Ending::Panic,
                FailureKind::Misuse => Ending::Misuse,
                FailureKind::DataRace => Ending::DataRace,
                FailureKind::StackOverflow => Ending::StackOverflow,
                kind => unreachable!("no program of the suite ends in {kind:?}"),
            },
            Outcome::Diverged(_) | Outcome::Cut => return None,
        };
        let mut tasks: Vec<TaskState> = record
            .tasks
            .iter()
            .map(|task| TaskState {
                operations: 0,
                has_ended: task.exists.then_some(task.has_ended),
                seen: task.seen.clone(),
            })
            .collect();
        for (task, &number) in record.created.iter().enumerate() {
            tasks[number].operations = execution.operations_of(TaskId(task as u32));
        }
        let culprit = match execution.outcome()? {
            Outcome::Fail(failure) if ending == Ending::Panic => {
                record.created.get(failure.task.index()).copied()
            }
            _ => None,
        };
        Some(State {
            ending,
            culprit,
            values: record.values.clone(),
            tasks,
        })
    }

    /// How the execution ended, and if a task failed, where that task was and what it had seen: the others may
    /// have been anywhere then.
    pub fn failure(&self) -> (Ending, Option<(usize, &TaskState)>) {
        let culprit = self.culprit.map(|task| (task, &self.tasks[task]));
        (self.ending, culprit)
    }

    /// Whether the execution ended before its tasks were done or could not go on.
    pub fn is_early(&self) -> bool {
        !matches!(self.ending, Ending::Pass | Ending::Deadlock)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, values {:?}", self.ending, self.values)?;
        for (number, task) in self.tasks.iter().enumerate() {
            let end = match task.has_ended {
                None => continue,
                Some(true) => "ended",
                Some(false) => "stopped",
            };
            let count = task.operations;
            write!(f, "; t{number} {end} after {count}, saw {:?}", task.seen)?;
        }
        Ok(())
    }
}
