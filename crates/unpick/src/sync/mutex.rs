//! A mutual exclusion lock.
//!
//! The value lives in a standard mutex. Inside an exploration the engine decides who holds the lock,
//! so that the standard one is always free when it is taken; it only keeps the value and its
//! poisoning.

use crate::rt::{self, Modelled, ObjectCell};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
use unpick_engine::{Grant, Shape};
use unpick_trace::OpKind;

/// A mutual exclusion lock, as [`std::sync::Mutex`].
#[derive(Default)]
pub struct Mutex<T: ?Sized> {
    object: ObjectCell,
    inner: std::sync::Mutex<T>,
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
            inner: std::sync::Mutex::new(value),
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
        match rt::operate(OpKind::Lock, self) {
            None => match self.inner.lock() {
                Ok(inner) => Ok(self.guard_outside(inner)),
                Err(poisoned) => Err(PoisonError::new(self.guard_outside(poisoned.into_inner()))),
            },
            Some(_) => self.take(),
        }
    }

    /// Acquires the mutex if it is free.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match rt::operate(OpKind::TryLock, self) {
            None => match self.inner.try_lock() {
                Ok(inner) => Ok(self.guard_outside(inner)),
                Err(TryLockError::Poisoned(poisoned)) => Err(TryLockError::Poisoned(
                    PoisonError::new(self.guard_outside(poisoned.into_inner())),
                )),
                Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
            },
            Some(Grant::Refused) => Err(TryLockError::WouldBlock),
            Some(_) => self.take().map_err(TryLockError::Poisoned),
        }
    }

    /// Takes the standard mutex after the engine has granted the lock.
    #[inline(always)]
    #[track_caller]
    fn take(&self) -> LockResult<MutexGuard<'_, T>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(self.guard(inner)),
            Err(TryLockError::Poisoned(poisoned)) => {
                Err(PoisonError::new(self.guard(poisoned.into_inner())))
            }
            Err(TryLockError::WouldBlock) => rt::give_up_lock(),
        }
    }

    #[inline]
    #[track_caller]
    fn guard<'a>(&'a self, inner: std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        MutexGuard {
            mutex: self,
            inner: Some(inner),
            acquired_at: Some(Location::caller()),
            is_watched: rt::is_watched(),
        }
    }

    fn guard_outside<'a>(&'a self, inner: std::sync::MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        if std::mem::needs_drop::<T>() {
            self.object.note_change_outside();
        }
        MutexGuard {
            mutex: self,
            inner: Some(inner),
            acquired_at: None,
            is_watched: false,
        }
    }

    /// Whether a task panicked while it held the mutex.
    pub fn is_poisoned(&self) -> bool {
        self.inner.is_poisoned()
    }

    /// Clears the poisoning.
    pub fn clear_poison(&self) {
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
        self.inner.fmt(f)
    }
}

/// Holds a [`Mutex`] and releases it when dropped.
#[must_use = "if unused the mutex is released at once"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// Invariant: filled until the guard is dropped or waits.
    inner: Option<std::sync::MutexGuard<'a, T>>,
    /// Where the lock was taken, inside an execution: the place its release is reported at.
    acquired_at: Option<&'static Location<'static>>,
    /// Whether uses of the value are noted.
    is_watched: bool,
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Releases the mutex as part of a wait, and tells which it was and whether it is controlled.
    #[inline(always)]
    #[track_caller]
    pub(super) fn release(mut self) -> (&'a Mutex<T>, Option<std::sync::MutexGuard<'a, T>>) {
        let mutex = self.mutex;
        let inner = self.inner.take();
        if self.acquired_at.is_some() {
            rt::operate(OpKind::Unlock, mutex);
            drop(inner);
            return (mutex, None);
        }
        (mutex, inner)
    }

    pub(super) fn outside(mutex: &'a Mutex<T>, inner: std::sync::MutexGuard<'a, T>) -> Self {
        mutex.guard_outside(inner)
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        if let (Some(_), Some(location)) = (&self.inner, self.acquired_at) {
            rt::operate_at(OpKind::Unlock, self.mutex, location);
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        if self.is_watched {
            rt::note_use(self.mutex, false);
        }
        self.inner
            .as_ref()
            .expect("internal error: the guard was released")
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        if self.is_watched {
            rt::note_use(self.mutex, true);
        }
        self.inner
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
