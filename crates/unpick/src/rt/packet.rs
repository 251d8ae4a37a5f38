//! A task's body before it runs and its result after it has ended, in one allocation with two owners:
//! the task, and the handle to wait for it.

use super::shared::{Owners, destroy, place};
use super::task::{abandon, operate_on_task};
use crate::thread::Thread;
use std::any::Any;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::thread::Result;
use unpick_trace::{OpKind, TaskId};

/// The task's half: something it runs once.
pub(crate) struct Body<'a>(NonNull<dyn Work + 'a>);

/// The handle's half: something that gives the result of a task once.
pub(crate) struct Crop<'a, T>(NonNull<dyn Work + 'a>, PhantomData<fn() -> T>);

/// The two halves of a new packet of the current execution.
#[inline]
pub(crate) fn packet<'a, F, T>(body: F) -> (Body<'a>, Crop<'a, T>)
where
    F: FnOnce() -> T + Send + 'a,
    T: Send + 'a,
{
    let packet = place(|| Packet {
        front: Front {
            owners: Owners::new(2),
            task: Cell::new(TaskId::MAIN),
            thread: OnceLock::new(),
            result: UnsafeCell::new(None),
        },
        body: UnsafeCell::new(Some(body)),
    });
    (Body(packet), Crop(packet, PhantomData))
}

impl<'a> Body<'a> {
    fn work(&self) -> &(dyn Work + 'a) {
        // SAFETY: the packet lives until both halves are dropped.
        unsafe { self.0.as_ref() }
    }

    /// Runs the body and keeps its result. A panic goes on to the caller.
    ///
    /// # Safety
    /// The execution that the packet was made in still runs, on this thread.
    #[inline]
    pub unsafe fn run(self) {
        // SAFETY: as the caller promises.
        let is_last = unsafe { self.work().run_and_give_up() };
        let packet = self.0;
        std::mem::forget(self);
        if is_last {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy(packet) };
        }
    }

    /// Runs the body in place and keeps its result or its panic.
    pub fn run_and_catch(self) {
        assert!(
            self.owners().are_here(),
            "internal error: a task's packet is used outside of its execution"
        );
        // SAFETY: checked above.
        let run = || unsafe { self.work().run() };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(run)) {
            // SAFETY: as above: the same task goes on.
            unsafe { self.work().fail(payload) };
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

    fn owners(&self) -> &Owners {
        // SAFETY: the packet lives until both halves are dropped, and begins with its owners.
        unsafe { self.0.cast::<Owners>().as_ref() }
    }
}

impl Drop for Body<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.owners().give_up() {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy(self.0) };
        }
    }
}

impl<'a, T> Crop<'a, T> {
    #[inline]
    fn front(&self) -> &Front<T> {
        // SAFETY: the packet lives until both halves are dropped, and begins with this.
        unsafe { self.0.cast::<Front<T>>().as_ref() }
    }

    /// The result, if the task has come to its end and nobody took it before.
    pub fn take(&self) -> Option<Result<T>> {
        assert!(
            self.front().owners.are_here(),
            "internal error: a task's packet is used outside of its execution"
        );
        // SAFETY: checked above; the reference ends at once.
        unsafe { (*self.front().result.get()).take() }
    }

    /// Waits for the end of the task, and gives its result.
    #[inline(always)]
    #[track_caller]
    pub fn join(self) -> Result<T> {
        let Some(task) = self.task() else {
            joined_outside();
        };
        operate_on_task(OpKind::Join, false, task);
        // SAFETY: the task that joins belongs to the execution, as was seen above, and goes on only while
        // that runs; the reference ends at once.
        let (result, is_last) = unsafe {
            let front = self.front();
            ((*front.result.get()).take(), front.owners.give_up_here())
        };
        let packet = self.0;
        std::mem::forget(self);
        if is_last {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy(packet) };
        }
        // Empty only while an execution is torn down: the task never came to its end.
        result.unwrap_or_else(|| abandon())
    }

    /// Tells the task, and its handle if it has a name. To be called once, before anything else.
    #[inline]
    pub fn set_task(&self, task: TaskId, named: Option<Thread>) {
        self.front().task.set(task);
        if let Some(thread) = named {
            self.front().thread.get_or_init(|| thread);
        }
    }

    /// The task, if it is one of the execution that the caller belongs to.
    #[inline]
    pub fn task(&self) -> Option<TaskId> {
        let front = self.front();
        front.owners.are_here().then(|| front.task.get())
    }

    /// The handle of the task.
    pub fn thread(&self) -> &Thread {
        let Front { owners, task, .. } = self.front();
        let thread = &self.front().thread;
        thread.get_or_init(|| Thread::of_unnamed_task(owners.stamp(), task.get()))
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

#[cold]
#[track_caller]
fn joined_outside() -> ! {
    panic!(
        "a task is joined outside of its execution; join it inside the closure that is explored"
    );
}

impl<T> Drop for Crop<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if self.front().owners.give_up() {
            // SAFETY: nobody else owns it any more.
            unsafe { destroy(self.0) };
        }
    }
}

// SAFETY: body and result may be sent; what a half does on another thread than that of its execution
// is checked, and giving up a half takes care of threads. The number of the task is set before this half
// is given away, and only read then.
unsafe impl<T> Send for Crop<'_, T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Crop<'_, T> {}

/// A packet as the task sees it. Every packet begins with its owners.
trait Work {
    /// # Safety
    /// The execution that the packet was made in still runs, on this thread.
    unsafe fn run(&self);

    /// Runs, and gives up the task's half unless that panics. Answers whether it was the last.
    ///
    /// # Safety
    /// As for [`Work::run`].
    unsafe fn run_and_give_up(&self) -> bool;

    /// # Safety
    /// As for [`Work::run`].
    unsafe fn fail(&self, payload: Box<dyn Any + Send>);
}

/// What the handle sees of a packet.
#[repr(C)]
struct Front<T> {
    owners: Owners,
    /// Known as soon as somebody has the handle.
    task: Cell<TaskId>,
    /// The handle of the task, once somebody has asked for it.
    thread: OnceLock<Thread>,
    /// Used only inside the execution, whose tasks run one at a time on one thread.
    result: UnsafeCell<Option<Result<T>>>,
}

#[repr(C)]
struct Packet<F, T> {
    front: Front<T>,
    /// As the result.
    body: UnsafeCell<Option<F>>,
}

impl<F: FnOnce() -> T, T> Work for Packet<F, T> {
    // SAFETY: as the trait says.
    #[inline]
    unsafe fn run(&self) {
        // SAFETY: as the caller promises; the reference ends at once.
        let body = unsafe { (*self.body.get()).take() };
        let value = body.expect("internal error: a task was run twice")();
        // SAFETY: as above. There is no result yet.
        unsafe { self.front.result.get().write(Some(Ok(value))) };
    }

    // SAFETY: as the trait says.
    unsafe fn run_and_give_up(&self) -> bool {
        // SAFETY: as the caller promises.
        unsafe {
            self.run();
            self.front.owners.give_up_here()
        }
    }

    // SAFETY: as the trait says.
    unsafe fn fail(&self, payload: Box<dyn Any + Send>) {
        // SAFETY: as the caller promises; the reference ends at once.
        unsafe { *self.front.result.get() = Some(Err(payload)) };
    }
}
