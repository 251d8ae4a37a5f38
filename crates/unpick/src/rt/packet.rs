//! A task's body before it runs and its result after it has ended, in one allocation with two owners:
//! the task, and the handle to wait for it.

use super::shared::{Owners, destroy, place};
use crate::thread::Thread;
use std::any::Any;
use std::cell::{OnceCell, UnsafeCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::thread::Result;

/// The task's half: something it runs once.
pub(crate) struct Body<'a>(NonNull<dyn Work + 'a>);

/// The handle's half: something that gives the result of a task once.
pub(crate) struct Crop<'a, T>(NonNull<dyn Harvest<T> + 'a>);

/// The two halves of a new packet of the current execution.
#[inline]
pub(crate) fn packet<'a, F, T>(body: F) -> (Body<'a>, Crop<'a, T>)
where
    F: FnOnce() -> T + Send + 'a,
    T: Send + 'a,
{
    let packet = place(Packet {
        owners: Owners::new(2),
        thread: OnceCell::new(),
        body: UnsafeCell::new(Some(body)),
        result: UnsafeCell::new(None),
    });
    (Body(packet), Crop(packet))
}

impl<'a> Body<'a> {
    fn work(&self) -> &(dyn Work + 'a) {
        // SAFETY: the packet lives until both halves are dropped.
        unsafe { self.0.as_ref() }
    }

    /// Runs the body and keeps its result. A panic goes on to the caller.
    #[inline]
    pub fn run(self) {
        let is_last = self.work().run_and_give_up();
        let packet = self.0;
        std::mem::forget(self);
        if is_last {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy(packet) };
        }
    }

    /// Runs the body and keeps its result or its panic.
    pub fn run_and_catch(self) {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| self.work().run())) {
            self.work().fail(payload);
        }
    }

    /// The same body, taken for one that borrows nothing.
    ///
    /// # Safety
    /// What it borrows outlives the task that runs it.
    pub unsafe fn extend(self) -> Body<'static> {
        // SAFETY: only the lifetime changes, and the caller promises that it is long enough.
        unsafe { std::mem::transmute::<Body<'a>, Body<'static>>(self) }
    }
}

impl Drop for Body<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.work().give_up() {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy(self.0) };
        }
    }
}

impl<'a, T> Crop<'a, T> {
    fn harvest(&self) -> &(dyn Harvest<T> + 'a) {
        // SAFETY: the packet lives until both halves are dropped.
        unsafe { self.0.as_ref() }
    }

    /// The result, if the task has come to its end and nobody took it before.
    #[inline]
    pub fn take(&self) -> Option<Result<T>> {
        self.harvest().take()
    }

    /// Keeps the handle of the task, for as long as this half. To be called once.
    #[inline]
    pub fn set_thread(&self, thread: Thread) {
        if self.harvest().thread().set(thread).is_err() {
            panic!("internal error: a packet of two tasks");
        }
    }

    /// The handle of the task.
    #[inline]
    pub fn thread(&self) -> &Thread {
        let thread = self.harvest().thread().get();
        thread.expect("internal error: a packet without a task")
    }

    /// The same half, taken for one that borrows nothing.
    ///
    /// # Safety
    /// What it borrows outlives the task and its result.
    pub unsafe fn extend(self) -> Crop<'static, T>
    where
        T: 'a,
    {
        // SAFETY: only the lifetime changes, and the caller promises that it is long enough.
        unsafe { std::mem::transmute::<Crop<'a, T>, Crop<'static, T>>(self) }
    }
}

impl<T> Drop for Crop<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.harvest().give_up() {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy(self.0) };
        }
    }
}

// SAFETY: body and result may be sent; what a half does on another thread than that of its execution
// is checked, and giving up a half takes care of threads. The handle of the task is set before this half
// is given away, and only read then.
unsafe impl<T> Send for Crop<'_, T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Crop<'_, T> {}

/// A packet as one of its owners sees it.
trait Owned {
    /// Gives up one half. Answers whether the other one was given up before.
    fn give_up(&self) -> bool;
}

trait Work: Owned {
    fn run(&self);
    /// Runs, and gives up the task's half unless that panics.
    fn run_and_give_up(&self) -> bool;
    fn fail(&self, payload: Box<dyn Any + Send>);
}

trait Harvest<T>: Owned {
    fn take(&self) -> Option<Result<T>>;
    fn thread(&self) -> &OnceCell<Thread>;
}

struct Packet<F, T> {
    owners: Owners,
    /// The handle of the task, if somebody keeps it here.
    thread: OnceCell<Thread>,
    /// This and the result are used only inside the execution, whose tasks run one at a time on one
    /// thread.
    body: UnsafeCell<Option<F>>,
    result: UnsafeCell<Option<Result<T>>>,
}

impl<F, T> Packet<F, T> {
    #[inline]
    fn check_execution(&self) {
        assert!(
            self.owners.are_here(),
            "internal error: a task's packet is used outside of its execution"
        );
    }

    fn put_result(&self, result: Result<T>) {
        // SAFETY: called by the task, inside its execution; the reference ends at once.
        unsafe { *self.result.get() = Some(result) };
    }
}

impl<F, T> Owned for Packet<F, T> {
    #[inline]
    fn give_up(&self) -> bool {
        self.owners.give_up()
    }
}

impl<F: FnOnce() -> T, T> Work for Packet<F, T> {
    #[inline]
    fn run(&self) {
        self.check_execution();
        // SAFETY: checked above; the reference ends at once.
        let body = unsafe { (*self.body.get()).take() };
        let value = body.expect("internal error: a task was run twice")();
        self.put_result(Ok(value));
    }

    fn run_and_give_up(&self) -> bool {
        self.run();
        self.give_up()
    }

    fn fail(&self, payload: Box<dyn Any + Send>) {
        self.put_result(Err(payload));
    }
}

impl<F, T> Harvest<T> for Packet<F, T> {
    fn take(&self) -> Option<Result<T>> {
        self.check_execution();
        // SAFETY: checked above; the reference ends at once.
        unsafe { (*self.result.get()).take() }
    }

    fn thread(&self) -> &OnceCell<Thread> {
        &self.thread
    }
}
