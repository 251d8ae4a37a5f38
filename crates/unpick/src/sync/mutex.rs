//! A mutual exclusion lock.
//!
//! Inside an exploration the engine decides who holds the lock, so that the value is always free when it
//! is taken.

use crate::rt::{self, Guarded, Hold, Modelled, ObjectCell, Queued};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
use std::thread::panicking;
use unpick_engine::{Effect, Grant, Shape};
use unpick_trace::OpKind;

/// A mutual exclusion lock, as [`std::sync::Mutex`].
#[derive(Default)]
pub struct Mutex<T: ?Sized> {
    object: ObjectCell,
    inner: Guarded<T>,
}

impl<T: ?Sized> Modelled for Mutex<T> {
    #[inline]
    fn cell(&self) -> &ObjectCell {
        &self.object
    }

    fn shape(&self) -> Shape {
        Shape::Mutex
    }

    fn is_initial(&self) -> bool {
        !std::mem::needs_drop::<T>() || !self.object.is_changed_outside()
    }
}

impl<T> Mutex<T> {
    /// Creates an unlocked mutex.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex {
            object: ObjectCell::new(),
            inner: Guarded::new(value),
        }
    }

    /// Consumes the mutex and returns its value.
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Acquires the mutex, blocking until it is free.
    #[inline(always)]
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        // In a closure, the place of the caller would be lost.
        #[allow(clippy::manual_map)]
        let held = if panicking() {
            self.hold_while_unwinding()
        } else if let Some(is_watched) = rt::operate_calmly(OpKind::Lock, self, Location::caller())
        {
            Some((self.hold(), is_watched))
        } else {
            None
        };
        match held {
            Some((hold, is_watched)) => self.guard(hold, is_watched),
            None => self.outside(self.inner.take_outside()),
        }
    }

    /// Takes the value after the engine has granted the lock.
    #[inline(always)]
    #[track_caller]
    fn hold(&self) -> Hold<'_, T> {
        match self.inner.take() {
            Some(hold) => hold,
            None => rt::give_up_lock(),
        }
    }

    /// Asks for the lock and takes the value while the thread unwinds. Tells whether effects are noted, too.
    /// `None` outside an execution.
    #[cold]
    #[track_caller]
    fn hold_while_unwinding(&self) -> Option<(Hold<'_, T>, bool)> {
        rt::operate(OpKind::Lock, self)?;
        let hold = self.hold();
        hold.note_unwinding(true);
        Some((hold, rt::is_watched()))
    }

    /// Acquires the mutex if it is free.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match rt::operate(OpKind::TryLock, self) {
            None => match self.inner.try_take_outside() {
                Some(held) => Ok(self.outside(held)?),
                None => Err(TryLockError::WouldBlock),
            },
            Some(Grant::Refused) => Err(TryLockError::WouldBlock),
            Some(_) => {
                let hold = self.hold();
                hold.note_unwinding(panicking());
                Ok(self.guard(hold, rt::is_watched())?)
            }
        }
    }

    #[inline(always)]
    #[track_caller]
    fn guard<'a>(&'a self, hold: Hold<'a, T>, is_watched: bool) -> LockResult<MutexGuard<'a, T>> {
        self.judge(MutexGuard {
            mutex: self,
            hold: Some(hold),
            way: Way::Inside(Location::caller()),
            is_watched,
        })
    }

    #[inline(always)]
    fn outside<'a>(
        &'a self,
        (hold, queued): (Hold<'a, T>, Queued<'a>),
    ) -> LockResult<MutexGuard<'a, T>> {
        if std::mem::needs_drop::<T>() {
            self.object.note_change_outside();
        }
        self.judge(MutexGuard {
            mutex: self,
            hold: Some(hold),
            way: Way::Outside(queued),
            is_watched: false,
        })
    }

    #[inline(always)]
    fn judge<'a>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        if guard.is_watched {
            rt::note_use(self, Effect::ReadsPoison);
        }
        match self.inner.is_poisoned() {
            true => Err(PoisonError::new(guard)),
            false => Ok(guard),
        }
    }

    /// Whether a task panicked while it held the mutex.
    pub fn is_poisoned(&self) -> bool {
        if rt::is_watched() {
            rt::note_use(self, Effect::ReadsPoison);
        }
        self.inner.is_poisoned()
    }

    /// Clears the poisoning.
    pub fn clear_poison(&self) {
        if rt::is_watched() {
            rt::note_use(self, Effect::WritesPoison);
        }
        self.inner.clear_poison();
    }

    /// The value, through an exclusive reference; no locking takes place.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.inner.get_mut()
    }
}

impl<T> From<T> for Mutex<T> {
    fn from(value: T) -> Mutex<T> {
        Mutex::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Mutex");
        match self.inner.try_take_outside() {
            Some((hold, queued)) => {
                let guard = MutexGuard {
                    mutex: self,
                    hold: Some(hold),
                    way: Way::Outside(queued),
                    is_watched: false,
                };
                text.field("data", &&*guard)
            }
            None => text.field("data", &"<locked>"),
        };
        text.field("poisoned", &self.is_poisoned());
        text.finish_non_exhaustive()
    }
}

/// Holds a [`Mutex`] and releases it when dropped.
#[must_use = "if unused the mutex is released at once"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// Invariant: filled until the guard is dropped or waits.
    hold: Option<Hold<'a, T>>,
    way: Way<'a>,
    /// Whether uses of the value are noted.
    is_watched: bool,
}

/// How a mutex was locked.
enum Way<'a> {
    /// In an execution, at this place, which its release is reported at, too.
    Inside(&'static Location<'static>),
    Outside(Queued<'a>),
    Released,
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Releases the mutex as part of a wait. Tells which it was and, if it is not controlled, what to wait
    /// with, and whether the thread unwound when it was locked.
    #[inline(always)]
    #[track_caller]
    pub(super) fn release(mut self) -> (&'a Mutex<T>, Option<(Queued<'a>, bool)>) {
        let mutex = self.mutex;
        let hold = self.hold.take();
        if let Way::Inside(_) = self.way {
            if panicking() {
                hold.iter().for_each(Hold::poison);
                if self.is_watched {
                    rt::note_use(mutex, Effect::WritesPoison);
                }
            }
            rt::operate(OpKind::Unlock, mutex);
            drop(hold);
            // Nothing is left to drop.
            std::mem::forget(self);
            return (mutex, None);
        }
        let was_unwinding = hold.as_ref().is_some_and(Hold::was_unwinding);
        drop(hold);
        match std::mem::replace(&mut self.way, Way::Released) {
            Way::Outside(queued) => (mutex, Some((queued, was_unwinding))),
            _ => (mutex, None),
        }
    }

    /// Whether effects are noted.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// The lock again, after a wait that was not controlled.
    pub(super) fn outside(
        mutex: &'a Mutex<T>,
        queued: Queued<'a>,
        was_unwinding: bool,
    ) -> LockResult<Self> {
        mutex.outside((mutex.inner.take_queued(was_unwinding), queued))
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        let Some(hold) = &self.hold else {
            return;
        };
        if panicking() {
            hold.poison();
            if self.is_watched {
                rt::note_use(self.mutex, Effect::WritesPoison);
            }
            self.unlock_while_unwinding();
        } else if let Way::Inside(location) = self.way {
            rt::operate_calmly(OpKind::Unlock, self.mutex, location);
        }
    }
}

impl<T: ?Sized> MutexGuard<'_, T> {
    #[cold]
    fn unlock_while_unwinding(&self) {
        if let Way::Inside(location) = self.way {
            rt::operate_at(OpKind::Unlock, self.mutex, location);
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        if self.is_watched {
            rt::note_use(self.mutex, Effect::ReadsData);
        }
        self.hold
            .as_ref()
            .expect("internal error: the guard was released")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        if self.is_watched {
            rt::note_use(self.mutex, Effect::WritesData);
        }
        self.hold
            .as_mut()
            .expect("internal error: the guard was released")
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
