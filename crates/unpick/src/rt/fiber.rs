//! Fibers: one for each task number, kept from execution to execution.

use super::runtime::run_task;
use corosensei::stack::{DefaultStack, Stack};
use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::io;
use std::ops::Range;

/// The smallest page of the supported systems; guard pages are at least as large.
const PAGE_SIZE: usize = 4096;

/// Why a fiber is at its end for good.
#[derive(Clone, Copy)]
pub(super) enum Ended {
    /// It was told to quit.
    Quit,
    /// It ran out of stack; what was on it is lost.
    Overflow,
}

/// A stack and where execution stands on it. Between executions it waits for its next task.
pub(super) struct Fiber {
    coroutine: Coroutine<(), (), Ended, DefaultStack>,
    /// Set by the fiber itself when it first runs.
    yielder: *const Yielder<(), ()>,
    /// Whether it waits for a task, with nothing of one on its stack.
    is_idle: bool,
    is_quitting: bool,
    pub trap_handler: CoroutineTrapHandler<Ended>,
    /// The page below the stack: a fault there is an overflow.
    pub guard_page: Range<usize>,
    stack_size: usize,
}

impl Fiber {
    /// A fiber that runs the next task of the current runtime each time it is resumed while idle.
    pub fn new(stack_size: usize) -> io::Result<Box<Fiber>> {
        let stack = DefaultStack::new(stack_size)?;
        let guard_page = stack.limit().get()..stack.limit().get() + PAGE_SIZE;
        let place: *mut *mut Fiber = Box::into_raw(Box::new(std::ptr::null_mut()));
        let coroutine = Coroutine::with_stack(stack, move |yielder, ()| {
            // SAFETY: `place` was filled before the first resume and is given back here, once.
            let fiber: *mut Fiber = unsafe { *Box::from_raw(place) };
            // SAFETY: the fiber's box outlives its coroutine, which it owns.
            unsafe { (*fiber).yielder = yielder };
            loop {
                // SAFETY: as above.
                unsafe {
                    if (*fiber).is_quitting {
                        return Ended::Quit;
                    }
                    (*fiber).is_idle = false;
                    run_task();
                    (*fiber).is_idle = true;
                }
                yielder.suspend(());
            }
        });
        let mut fiber = Box::new(Fiber {
            trap_handler: coroutine.trap_handler(),
            coroutine,
            yielder: std::ptr::null(),
            is_idle: true,
            is_quitting: false,
            guard_page,
            stack_size,
        });
        // SAFETY: the coroutine has not run yet, so `place` is still there.
        unsafe { *place = &raw mut *fiber };
        Ok(fiber)
    }

    pub fn stack_size(&self) -> usize {
        self.stack_size
    }

    /// Runs the fiber until it suspends itself. `true` means that it ran out of stack.
    ///
    /// # Safety
    /// `this` is a live fiber that is suspended, on the thread that made it.
    #[inline]
    pub unsafe fn resume(this: *mut Fiber) -> bool {
        // SAFETY: as the caller promises; no reference to the coroutine itself is live inside it.
        match unsafe { (*this).coroutine.resume(()) } {
            CoroutineResult::Yield(()) => false,
            CoroutineResult::Return(ended) => matches!(ended, Ended::Overflow),
        }
    }

    /// Gives control back to whoever resumed the fiber.
    ///
    /// # Safety
    /// `this` is the fiber that runs.
    #[inline]
    pub unsafe fn suspend(this: *const Fiber) {
        // SAFETY: the yielder lives on the fiber's own stack as long as the fiber runs.
        unsafe { (*(*this).yielder).suspend(()) }
    }

    /// Whether the fiber can never run again.
    pub fn is_done(&self) -> bool {
        self.coroutine.done()
    }

    /// Gives up what is on the stack, without running any of it.
    pub fn discard(&mut self) {
        // SAFETY: the frames are leaked, not reused: nothing of theirs is touched again.
        unsafe { self.coroutine.force_reset() };
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        if self.coroutine.done() {
            return;
        }
        if self.is_idle && self.coroutine.started() {
            self.is_quitting = true;
            let this: *mut Fiber = self;
            // SAFETY: the fiber is idle between executions, suspended in its loop.
            unsafe { Fiber::resume(this) };
        } else {
            // It never ran, or something of a task is still on its stack (only if the host itself
            // panicked): either way it must not run, and what it holds is leaked.
            self.discard();
        }
    }
}
