//! Sleep sets: transitions that were explored from a point and need not be explored again after
//! others that do not touch what they touch.
//!
//! P. Godefroid, *Partial-order methods for the verification of concurrent systems*, LNCS 1032, 1996.

use alloc::vec::Vec;
use unpick_engine::{Access, conflict};
use unpick_trace::TaskId;

/// A task whose next transition was explored.
#[derive(Clone)]
pub(crate) struct Sleeper {
    pub task: TaskId,
    /// What it touches.
    pub accesses: Vec<Access>,
    /// Whether the execution ended with it.
    pub is_last: bool,
    /// How many objects there were when it fell asleep.
    pub object_count: usize,
}

impl Sleeper {
    /// Whether an event that touches this makes a difference to the sleeping transition. The order
    /// of locking always does: the lazy relation is no relation of independence.
    pub fn is_woken_by(&self, accesses: &[Access]) -> bool {
        // Objects that appeared later have other numbers in other executions.
        let is_new = |access: &Access| access.location.object.index() >= self.object_count;
        self.is_last
            || conflict(&self.accesses, accesses, false)
            || (self.accesses.iter().any(is_new) && accesses.iter().any(is_new))
    }
}
