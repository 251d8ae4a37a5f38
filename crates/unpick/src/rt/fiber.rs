//! Fibers: one for each task number, kept from execution to execution.

use super::runtime::{Runtime, run_task};
use corosensei::stack::DefaultStack;
use corosensei::trap::CoroutineTrapHandler;
use corosensei::{Coroutine, CoroutineResult, Yielder};

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
    is_quitting: bool,
    pub trap_handler: CoroutineTrapHandler<Ended>,
    stack_size: usize,
}

impl Fiber {
    /// A fiber that will run the tasks of one number of this runtime, each time it is resumed while
    /// idle.
    pub fn new(runtime: *mut Runtime, stack_size: usize) -> Box<Fiber> {
        let stack = DefaultStack::new(stack_size).unwrap_or_else(|error| {
            panic!(
                "cannot allocate a stack of {stack_size} bytes for a task: {error}; use fewer \
                 tasks or smaller stacks (Config::stack_size)"
            )
        });
        let place: *mut *mut Fiber = Box::into_raw(Box::new(std::ptr::null_mut()));
        let coroutine = Coroutine::with_stack(stack, move |yielder, ()| {
            // SAFETY: `place` was filled before the first resume and is given back here, once.
            let fiber: *mut Fiber = unsafe { *Box::from_raw(place) };
            // SAFETY: the fiber's box outlives its coroutine, which it owns.
            unsafe { (*fiber).yielder = yielder };
            loop {
                // SAFETY: as above.
                if unsafe { (*fiber).is_quitting } {
                    return Ended::Quit;
                }
                run_task(runtime);
                yielder.suspend(());
            }
        });
        let mut fiber = Box::new(Fiber {
            trap_handler: coroutine.trap_handler(),
            coroutine,
            yielder: std::ptr::null(),
            is_quitting: false,
            stack_size,
        });
        // SAFETY: the coroutine has not run yet, so `place` is still there.
        unsafe { *place = &raw mut *fiber };
        fiber
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
        if self.coroutine.started() {
            self.is_quitting = true;
            let this: *mut Fiber = self;
            // SAFETY: the fiber is idle between executions, suspended in its loop.
            unsafe { Fiber::resume(this) };
        } else {
            // It never ran, and what it would have freed is a few bytes.
            self.discard();
        }
    }
}
