//! What happened in one execution, kept outside of everything the engine knows of.

use super::{ATOMICS, CELLS, MUTEXES, RWLOCKS};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What one task did in one execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskRecord {
    /// Whether it was created.
    pub exists: bool,
    /// Whether it came to its end.
    pub has_ended: bool,
    /// Every value that an operation has given it, in order: the state of its locals.
    pub seen: Vec<u32>,
}

/// An access to the number inside a mutex, which is no operation of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataAccess {
    /// The number of the task in the program.
    pub task: usize,
    /// The operation of that task, from 0, in whose transition the access was made.
    pub operation: usize,
    /// The operation of that task, from 0, that acquired the mutex.
    pub acquired_by: usize,
    /// Whether it was a write.
    pub is_write: bool,
}

/// An operation that did not simply succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The number of the task in the program.
    pub task: usize,
    /// The operation of that task, from 0.
    pub operation: usize,
    /// Whether the other side of the channel was gone.
    pub is_closed: bool,
    /// Whether an attempt was refused, or an exchange found another value. If it is neither, a
    /// variable was left as it was.
    pub is_refused: bool,
}

/// An atomic operation or a fence that is not sequentially consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ordered {
    /// The number of the task in the program.
    pub task: usize,
    /// The operation of that task, from 0.
    pub operation: usize,
    /// The memory order in which it was performed: that of the failure, if it is an exchange that failed.
    pub order: Ordering,
}

/// What happened in one execution, as far as the program itself can tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Atomics, cells, and the numbers inside mutexes and reader-writer locks, in this order.
    pub values: Vec<u32>,
    /// By number in the program.
    pub tasks: Vec<TaskRecord>,
    /// The tasks in the order of their creation.
    pub created: Vec<usize>,
    /// Accesses to the numbers inside mutexes.
    pub data: Vec<DataAccess>,
    /// Operations that did not simply succeed.
    pub deviations: Vec<Deviation>,
    /// Operations that are not sequentially consistent.
    pub ordered: Vec<Ordered>,
    /// How many messages fit into the channel; `None` is no limit.
    pub capacity: Option<usize>,
}

/// Where in the values the cells begin.
pub(super) const FIRST_CELL: usize = ATOMICS;
/// Where the numbers inside mutexes begin.
pub(super) const FIRST_DATUM: usize = FIRST_CELL + CELLS;
/// Where the numbers inside reader-writer locks begin.
pub(super) const FIRST_RWLOCK: usize = FIRST_DATUM + MUTEXES;

impl Record {
    /// Forgets everything, keeps the memory.
    pub(super) fn reset(&mut self, task_count: usize) {
        self.values.clear();
        self.values.resize(FIRST_RWLOCK + RWLOCKS, 0);
        self.tasks.resize_with(task_count, TaskRecord::default);
        for task in &mut self.tasks {
            task.exists = false;
            task.has_ended = false;
            task.seen.clear();
        }
        self.created.clear();
        self.data.clear();
        self.deviations.clear();
        self.ordered.clear();
    }
}

/// The record of the execution that is under way or was last.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Record>>);

impl Log {
    /// The record. Nobody may wait for an operation while holding it.
    pub fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
