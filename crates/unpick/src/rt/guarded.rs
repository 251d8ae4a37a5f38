//! A value that one at a time may use, of which the engine decides who that is inside an execution.
//!
//! A standard mutex would do, but gives itself back with an operation that a processor takes as much time
//! for as for all the rest of a step: it must know whether somebody waits. Inside an execution nobody ever
//! does. Those outside wait for each other in a queue of their own, a standard mutex, and whoever comes
//! first there has the value to share only with executions on other threads.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{LockResult, MutexGuard, PoisonError, TryLockError};
use std::thread::{panicking, yield_now};

/// A value, and who has it.
#[derive(Default)]
pub(crate) struct Guarded<T: ?Sized> {
    /// Held by whoever has the value outside of an execution.
    outside: std::sync::Mutex<()>,
    state: AtomicU8,
    is_poisoned: AtomicBool,
    /// Invariant: used by whoever has changed the state from `FREE`, until that is put back, or by an
    /// exclusive owner.
    value: UnsafeCell<T>,
}

const FREE: u8 = 0;
const TAKEN: u8 = 1;
/// By a thread that unwinds: that it still does so in the end does not poison the value.
const TAKEN_WHILE_UNWINDING: u8 = 2;

// SAFETY: as for a standard mutex: one at a time uses the value, on whatever thread.
unsafe impl<T: ?Sized + Send> Send for Guarded<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Guarded<T> {}

impl<T: ?Sized> UnwindSafe for Guarded<T> {}
impl<T: ?Sized> RefUnwindSafe for Guarded<T> {}

/// The standard mutex that those outside hold.
pub(crate) type Queued<'a> = MutexGuard<'a, ()>;

impl<T> Guarded<T> {
    pub const fn new(value: T) -> Guarded<T> {
        Guarded {
            outside: std::sync::Mutex::new(()),
            state: AtomicU8::new(FREE),
            is_poisoned: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    pub fn into_inner(self) -> LockResult<T> {
        let is_poisoned = self.is_poisoned();
        judge(self.value.into_inner(), is_poisoned)
    }
}

impl<T: ?Sized> Guarded<T> {
    /// Takes the value, unless somebody has it.
    #[inline(always)]
    pub fn take(&self) -> Option<Hold<'_, T>> {
        self.state
            .compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed)
            .ok()?;
        Some(Hold {
            guarded: self,
            value: PhantomData,
        })
    }

    /// Waits for the value outside of an execution.
    pub fn take_outside(&self) -> (Hold<'_, T>, Queued<'_>) {
        let queued = self.outside.lock();
        let queued = queued.unwrap_or_else(PoisonError::into_inner);
        (self.take_queued(panicking()), queued)
    }

    /// The same, of somebody who has come first. `is_unwinding` tells whether its thread unwound already when
    /// it had the value first.
    pub fn take_queued(&self, is_unwinding: bool) -> Hold<'_, T> {
        loop {
            match self.take() {
                Some(hold) => {
                    hold.note_unwinding(is_unwinding);
                    return hold;
                }
                None => yield_now(),
            }
        }
    }

    /// Takes the value outside of an execution, unless somebody has it.
    pub fn try_take_outside(&self) -> Option<(Hold<'_, T>, Queued<'_>)> {
        let queued = match self.outside.try_lock() {
            Ok(queued) => queued,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let hold = self.take()?;
        hold.note_unwinding(panicking());
        Some((hold, queued))
    }

    /// Whether somebody panicked while it had the value.
    #[inline]
    pub fn is_poisoned(&self) -> bool {
        self.is_poisoned.load(Ordering::Relaxed)
    }

    pub fn clear_poison(&self) {
        self.is_poisoned.store(false, Ordering::Relaxed);
    }

    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let is_poisoned = self.is_poisoned();
        judge(self.value.get_mut(), is_poisoned)
    }
}

fn judge<R>(result: R, is_poisoned: bool) -> LockResult<R> {
    match is_poisoned {
        true => Err(PoisonError::new(result)),
        false => Ok(result),
    }
}

/// Has the value, and gives it back when dropped.
pub(crate) struct Hold<'a, T: ?Sized> {
    guarded: &'a Guarded<T>,
    /// Threads may share it if they may share the value.
    value: PhantomData<&'a T>,
}

impl<T: ?Sized> UnwindSafe for Hold<'_, T> {}
impl<T: ?Sized> RefUnwindSafe for Hold<'_, T> {}

impl<T: ?Sized> Hold<'_, T> {
    /// To be called by whoever may have taken the value while its thread unwinds.
    pub fn note_unwinding(&self, is_unwinding: bool) {
        if is_unwinding {
            let state = &self.guarded.state;
            state.store(TAKEN_WHILE_UNWINDING, Ordering::Relaxed);
        }
    }

    /// Whether the value was taken while the thread unwound.
    pub fn was_unwinding(&self) -> bool {
        self.guarded.state.load(Ordering::Relaxed) == TAKEN_WHILE_UNWINDING
    }

    /// To be called by whoever gives the value back while its thread unwinds.
    pub fn poison(&self) {
        if !self.was_unwinding() {
            self.guarded.is_poisoned.store(true, Ordering::Relaxed);
        }
    }
}

impl<T: ?Sized> Deref for Hold<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this has the value, and is borrowed as long as the reference lives.
        unsafe { &*self.guarded.value.get() }
    }
}

impl<T: ?Sized> DerefMut for Hold<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this has the value, and is borrowed exclusively as long as the reference lives.
        unsafe { &mut *self.guarded.value.get() }
    }
}

impl<T: ?Sized> Drop for Hold<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.guarded.state.store(FREE, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::scope;

    #[test]
    fn one_at_a_time_has_the_value() {
        let guarded = Guarded::new(0_u64);
        scope(|scope| {
            // As two executions on threads of their own, and two threads outside of any.
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        *guarded.take_outside().0 += 1;
                    }
                });
                scope.spawn(|| {
                    for _ in 0..10_000 {
                        let mut hold = loop {
                            match guarded.take() {
                                Some(hold) => break hold,
                                None => yield_now(),
                            }
                        };
                        *hold += 1;
                    }
                });
            }
        });
        assert_eq!(guarded.into_inner().unwrap(), 40_000);
    }

    #[test]
    fn what_is_held_cannot_be_taken() {
        let guarded = Guarded::new(());
        let inside = guarded.take();
        assert!(inside.is_some());
        assert!(guarded.take().is_none() && guarded.try_take_outside().is_none());
        drop(inside);
        let outside = guarded.try_take_outside();
        assert!(outside.is_some());
        assert!(guarded.take().is_none() && guarded.try_take_outside().is_none());
        drop(outside);
        assert!(guarded.take().is_some());
    }
}
