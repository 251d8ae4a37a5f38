//! Names of tasks, objects and source locations inside one execution.

use core::fmt;
use serde::{Deserialize, Serialize};

/// A task, numbered in order of creation; the test body is task 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskId(pub u32);

impl TaskId {
    /// The task that runs the test body.
    pub const MAIN: TaskId = TaskId(0);

    /// Position in tables that hold one entry a task.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A shared object, numbered in order of first use in its execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// Stands for "no object", as in a yield or a fence.
    pub const NONE: ObjectId = ObjectId(u32::MAX);

    /// Position in tables that hold one entry an object. Never call it on [`ObjectId::NONE`].
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A source location, as an index into [`crate::Trace::sites`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteId(pub u32);

impl SiteId {
    /// The location is not known.
    pub const UNKNOWN: SiteId = SiteId(u32::MAX);
}
