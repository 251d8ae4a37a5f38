//! Steps and the choices that lead to them.

use crate::{Op, SiteId, TaskId};
use serde::{Deserialize, Serialize};

/// One piece of nondeterminism, resolved by the strategy. This is the only way in which anything
/// undetermined enters an execution, so a list of choices is a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Choice {
    /// Which task performs its next operation. Which waiter a notification wakes is decided here
    /// too: every waiter becomes a candidate, and the first one that is scheduled consumes it.
    Task(TaskId),
    /// Whether a timed operation that could also succeed gives up.
    Timeout(bool),
    /// Whether a wait that begins now ends without a notification.
    SpuriousWake(bool),
    /// Whether a weak compare-and-exchange that would succeed fails.
    WeakFailure(bool),
    /// A value asked for by the program.
    Datum {
        /// The value given, below `of`.
        value: u32,
        /// How many values were possible.
        of: u32,
    },
}

impl Choice {
    /// How many answers a choice that is not a task had.
    pub fn answer_count(self) -> u32 {
        match self {
            Choice::Task(_) => 1,
            Choice::Timeout(_) | Choice::SpuriousWake(_) | Choice::WeakFailure(_) => 2,
            Choice::Datum { of, .. } => of,
        }
    }

    /// The answer of a choice that is not a task, as a number: zero is the ordinary course.
    pub fn answer(self) -> u32 {
        match self {
            Choice::Task(_) => 0,
            Choice::Timeout(flag) | Choice::SpuriousWake(flag) | Choice::WeakFailure(flag) => {
                u32::from(flag)
            }
            Choice::Datum { value, .. } => value,
        }
    }

    /// The same question with another answer.
    pub fn with_answer(self, answer: u32) -> Choice {
        match self {
            Choice::Task(task) => Choice::Task(task),
            Choice::Timeout(_) => Choice::Timeout(answer != 0),
            Choice::SpuriousWake(_) => Choice::SpuriousWake(answer != 0),
            Choice::WeakFailure(_) => Choice::WeakFailure(answer != 0),
            Choice::Datum { of, .. } => Choice::Datum { value: answer, of },
        }
    }
}

/// One step of an execution: a choice, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The choice that was made.
    pub choice: Choice,
    /// The task that acts.
    pub task: TaskId,
    /// The operation it performs; for a choice that is not a task, the operation it belongs to.
    pub op: Op,
    /// What the operation read or returned, as far as the front end tells.
    pub value: u64,
    /// Where in the program the operation stands.
    pub site: SiteId,
    /// The tasks below 64 that were enabled.
    pub(crate) enabled: u64,
    /// Where the trace keeps the others: start and number of words.
    pub(crate) more_enabled: (u32, u32),
}

impl Step {
    /// A step whose operation has given no value yet.
    #[inline]
    pub fn new(choice: Choice, task: TaskId, op: Op, site: SiteId) -> Step {
        Step {
            choice,
            task,
            op,
            value: 0,
            site,
            enabled: 0,
            more_enabled: (0, 0),
        }
    }
}

impl Step {
    /// Whether this step runs a task, as opposed to answering a question within a step.
    #[inline]
    pub fn is_operation(&self) -> bool {
        matches!(self.choice, Choice::Task(_))
    }
}
