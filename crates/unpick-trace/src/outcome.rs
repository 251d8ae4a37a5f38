//! How an execution ends.

use crate::{Op, Site, TaskId};
use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// The end of one execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Every task ended and nothing was wrong.
    Pass,
    /// The program did something wrong.
    Fail(Failure),
    /// Some tasks can never go on.
    Deadlock(Deadlock),
    /// The execution did not end within the allowed number of steps, which says nothing about the program.
    StepLimit {
        /// The limit that was reached.
        limit: u64,
    },
    /// The program did not follow the schedule it was given.
    Diverged(Divergence),
    /// The strategy saw no point in going on.
    Cut,
}

impl Outcome {
    /// Whether the outcome is a bug of the program under test.
    pub fn is_failure(&self) -> bool {
        matches!(self, Outcome::Fail(_) | Outcome::Deadlock(_))
    }

    /// One word for tables and machine-readable output.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Pass => "pass",
            Outcome::Fail(failure) if failure.kind == FailureKind::StepLimit => "step-limit",
            Outcome::Fail(_) => "fail",
            Outcome::Deadlock(_) => "deadlock",
            Outcome::StepLimit { .. } => "step-limit",
            Outcome::Diverged(_) => "diverged",
            Outcome::Cut => "cut",
        }
    }
}

/// What went wrong, in which task, where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The kind of fault.
    pub kind: FailureKind,
    /// The task that ran into it.
    pub task: TaskId,
    /// The fault in words: a panic's message, or a sentence of ours.
    pub message: String,
    /// Where it happened, if known.
    pub site: Option<Site>,
}

/// Kinds of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FailureKind {
    /// A task panicked.
    Panic,
    /// A task locked a lock it holds, or released one it does not hold.
    Misuse,
    /// Two tasks accessed one cell, one of them to write it, and nothing orders the accesses.
    DataRace,
    /// A task ran out of stack.
    StackOverflow,
    /// The program ended itself: `abort`, a failed assertion.
    Abort,
    /// The program was stopped by a signal, such as an invalid memory access.
    Signal,
    /// The program ended with an exit code that is not zero.
    ExitCode,
    /// A task used memory that had been freed.
    UseAfterFree,
    /// A task freed memory twice, or freed what was never allocated.
    InvalidFree,
    /// Something that has to come did not come, although every task could go on.
    Livelock,
    /// A task used memory beside a block of the heap.
    OutOfBounds,
    /// The program was not at its end after the allowed number of steps, where that is a fault.
    StepLimit,
}

/// Tasks that wait for each other, or for something that never comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deadlock {
    /// Every task that has not ended, with what it waits for.
    pub blocked: Vec<Blocked>,
    /// The tasks that wait for each other in a ring, if there is one; each waits for the next.
    pub cycle: Vec<TaskId>,
}

/// A task that cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// The task.
    pub task: TaskId,
    /// The operation it waits to perform.
    pub op: Op,
    /// Where that operation stands.
    pub site: Option<Site>,
    /// The tasks that could make the operation possible, where that is known.
    pub waits_for: Vec<TaskId>,
}

/// The first place where an execution left its schedule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divergence {
    /// Step number, from 0.
    pub step: u64,
    /// What the schedule says.
    pub expected: String,
    /// What the program did.
    pub found: String,
}
