//! Switches by coroutines: the host resumes whomever the context that suspends itself names.

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::io;

/// A stack, and where execution stands on it while it is suspended.
pub(in crate::rt) struct Context {
    /// It is told its own context when it first runs. `None` for the host.
    coroutine: Option<Coroutine<*mut Context, *mut Context, (), DefaultStack>>,
    /// Set by the coroutine itself when it first runs.
    yielder: *const Yielder<*mut Context, *mut Context>,
}

impl Context {
    /// The context of the thread itself.
    pub fn of_host() -> Context {
        Context {
            coroutine: None,
            yielder: std::ptr::null(),
        }
    }

    /// A context that begins with `entry` when it is first switched to, and again when that returns.
    pub fn new(stack_size: usize, _number: usize, entry: extern "C" fn()) -> io::Result<Context> {
        let stack = DefaultStack::new(stack_size)?;
        let coroutine = Coroutine::with_stack(stack, move |yielder, this: *mut Context| {
            // SAFETY: the context outlives its coroutine, which it owns.
            unsafe { (*this).yielder = yielder };
            loop {
                entry();
            }
        });
        Ok(Context {
            coroutine: Some(coroutine),
            yielder: std::ptr::null(),
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if let Some(coroutine) = &mut self.coroutine {
            // SAFETY: what is on the stack is given up, not used again.
            unsafe { coroutine.force_reset() };
        }
    }
}

/// Suspends `from`, which runs, and goes on in `to`. Comes back when somebody switches to `from`.
///
/// # Safety
/// `from` is the context that runs, `to` another one, suspended on this thread.
#[inline]
pub(in crate::rt) unsafe fn switch(from: *mut Context, to: *mut Context) {
    // SAFETY: as the caller promises; a coroutine runs only after it was resumed below, so that its
    // yielder is there. No reference to the coroutine itself is used inside it.
    unsafe {
        if !(*from).yielder.is_null() {
            (*(*from).yielder).suspend(to);
            return;
        }
        let mut next = to;
        while next != from {
            let Some(coroutine) = &mut (*next).coroutine else {
                panic!("internal error: two hosts");
            };
            match coroutine.resume(next) {
                CoroutineResult::Yield(named) => next = named,
                CoroutineResult::Return(()) => panic!("internal error: a fiber has ended"),
            }
        }
    }
}

/// Goes on in `to`. Comes back when somebody switches to `from`, and the caller returns from the entry,
/// to be called again.
///
/// # Safety
/// As for [`switch`].
pub(in crate::rt) unsafe fn restart(from: *mut Context, to: *mut Context) {
    // SAFETY: as the caller promises.
    unsafe { switch(from, to) };
}
