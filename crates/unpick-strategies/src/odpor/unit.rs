//! One unit of an execution.

use unpick_trace::{Op, TaskId};

/// What a search moves as a whole.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    pub task: TaskId,
    pub name: u32,
    /// How many units of this task came before.
    pub ordinal: u32,
    /// The unit of this task before, or the one that created it.
    pub before: Option<usize>,
    /// Its first event; the number of events if it is pending.
    pub first: usize,
    /// Its last event.
    pub last: usize,
    /// Its first operation.
    pub op: Op,
    /// Whether the execution failed with it, and so ended at once: nothing commutes with it.
    pub is_last: bool,
    /// Whether it was possible because no other unit was, and follows all there is.
    pub follows_all: bool,
    /// Whether it has not begun, and may touch more than is known.
    pub is_partial: bool,
    pub(super) accesses: (usize, usize),
    pub(super) direct: (usize, usize),
}

/// How a unit is placed among all others, whatever they touch.
#[derive(Clone, Copy)]
pub(super) struct Rank {
    pub is_last: bool,
    pub follows_all: bool,
}
