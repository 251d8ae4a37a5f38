//! A task's body before it runs and its result after it has ended, in one allocation.

use super::task::stamp;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Result;

/// Something a task runs once.
pub(crate) trait Work {
    /// Runs the body and keeps its result. A panic goes on to the caller.
    fn run(&self);

    /// Runs the body and keeps its result or its panic.
    fn run_and_catch(&self);
}

/// Something that gives the result of a task once.
pub(crate) trait Harvest<T> {
    /// The result, if the task has come to its end and nobody took it before.
    fn take(&self) -> Option<Result<T>>;
}

/// What a handle holds of a task.
pub(crate) type Crop<'a, T> = Arc<dyn Harvest<T> + Send + Sync + 'a>;

/// A task's body and result.
pub(crate) struct Packet<F, T> {
    stamp: u64,
    body: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<T>>>,
}

// SAFETY: the cells are used only inside the execution with this stamp, whose tasks run one at a
// time on one thread; what they hold may be dropped on any thread.
unsafe impl<F: Send, T: Send> Sync for Packet<F, T> {}

impl<F: FnOnce() -> T, T> Packet<F, T> {
    /// A packet of the current execution.
    pub fn new(body: F) -> Arc<Packet<F, T>> {
        Arc::new(Packet {
            stamp: stamp(),
            body: UnsafeCell::new(Some(body)),
            result: UnsafeCell::new(None),
        })
    }

    fn take_body(&self) -> F {
        self.check_execution();
        // SAFETY: checked above; the reference ends at once.
        let body = unsafe { (*self.body.get()).take() };
        body.expect("internal error: a task was run twice")
    }

    fn put_result(&self, result: Result<T>) {
        // SAFETY: called after `take_body` of the same task; the reference ends at once.
        unsafe { *self.result.get() = Some(result) };
    }
}

impl<F, T> Packet<F, T> {
    fn check_execution(&self) {
        assert!(
            self.stamp == stamp(),
            "internal error: a task's packet is used outside of its execution"
        );
    }
}

impl<F: FnOnce() -> T, T> Work for Packet<F, T> {
    fn run(&self) {
        let value = self.take_body()();
        self.put_result(Ok(value));
    }

    fn run_and_catch(&self) {
        let body = self.take_body();
        self.put_result(catch_unwind(AssertUnwindSafe(body)));
    }
}

impl<F, T> Harvest<T> for Packet<F, T> {
    fn take(&self) -> Option<Result<T>> {
        self.check_execution();
        // SAFETY: checked above; the reference ends at once.
        unsafe { (*self.result.get()).take() }
    }
}
