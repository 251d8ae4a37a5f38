//! A reader-writer lock.
//!
//! As with the mutex, the value lives in the standard type, and inside an exploration the engine
//! decides who holds the lock, so that the standard one can always be taken without waiting. Readers wait
//! while a writer waits, as with std's, unless [`Config::writers_first`](crate::Config::writers_first) says
//! otherwise: then every order of readers and writers is explored.

use crate::rt::{self, Modelled, ObjectCell};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
use unpick_engine::{Grant, Shape};
use unpick_trace::{Op, OpKind};

type InnerRead<'a, T> = std::sync::RwLockReadGuard<'a, T>;
type InnerWrite<'a, T> = std::sync::RwLockWriteGuard<'a, T>;

/// A reader-writer lock, as [`std::sync::RwLock`].
#[derive(Default)]
pub struct RwLock<T: ?Sized> {
    object: ObjectCell,
    inner: std::sync::RwLock<T>,
}

impl<T: ?Sized> Modelled for RwLock<T> {
    #[inline]
    fn cell(&self) -> &ObjectCell {
        &self.object
    }

    fn shape(&self) -> Shape {
        Shape::RwLock
    }

    fn is_initial(&self) -> bool {
        !std::mem::needs_drop::<T>() || !self.object.is_changed_outside()
    }
}

impl<T> RwLock<T> {
    /// Creates a lock that nobody holds.
    pub const fn new(value: T) -> RwLock<T> {
        RwLock {
            object: ObjectCell::new(),
            inner: std::sync::RwLock::new(value),
        }
    }

    /// Consumes the lock and returns its value.
    pub fn into_inner(self) -> LockResult<T> {
        self.inner.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Acquires the lock for reading, blocking while it is held for writing.
    #[inline]
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let here = Location::caller();
        match rt::operate(OpKind::ReadLock, self) {
            None => map_lock(self.inner.read(), |inner| self.read_guard(inner, None)),
            Some(_) => granted(self.inner.try_read(), |inner| {
                self.read_guard(inner, Some(here))
            }),
        }
    }

    /// Acquires the lock for reading if it is not held for writing.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        let here = Location::caller();
        match rt::operate(OpKind::TryReadLock, self) {
            None => map_try_lock(self.inner.try_read(), |inner| self.read_guard(inner, None)),
            Some(Grant::Refused) => Err(TryLockError::WouldBlock),
            Some(_) => granted(self.inner.try_read(), |inner| {
                self.read_guard(inner, Some(here))
            })
            .map_err(TryLockError::Poisoned),
        }
    }

    /// Acquires the lock for writing, blocking while anybody holds it.
    #[inline]
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let here = Location::caller();
        match self.come_to_write() {
            None => map_lock(self.inner.write(), |inner| self.write_guard(inner, None)),
            Some(_) => granted(self.inner.try_write(), |inner| {
                self.write_guard(inner, Some(here))
            }),
        }
    }

    /// Acquires the lock for writing inside an exploration. Where readers wait behind a writer that waits,
    /// to come to wait is an operation.
    #[inline]
    #[track_caller]
    fn come_to_write(&self) -> Option<Grant> {
        if !rt::prefers_writers() {
            return rt::operate(OpKind::WriteLock, self);
        }
        match rt::operate_with(OpKind::TryWriteLock, false, Op::ARRIVAL, self) {
            Some(Grant::Refused) => rt::operate_with(OpKind::WriteLock, false, Op::PREFERRED, self),
            granted => granted,
        }
    }

    /// Acquires the lock for writing if nobody holds it.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let here = Location::caller();
        match rt::operate(OpKind::TryWriteLock, self) {
            None => map_try_lock(self.inner.try_write(), |inner| {
                self.write_guard(inner, None)
            }),
            Some(Grant::Refused) => Err(TryLockError::WouldBlock),
            Some(_) => granted(self.inner.try_write(), |inner| {
                self.write_guard(inner, Some(here))
            })
            .map_err(TryLockError::Poisoned),
        }
    }

    /// Whether a task panicked while it held the lock for writing.
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

    #[inline]
    fn read_guard<'a>(
        &'a self,
        inner: InnerRead<'a, T>,
        acquired_at: Option<&'static Location<'static>>,
    ) -> RwLockReadGuard<'a, T> {
        RwLockReadGuard {
            lock: self,
            inner,
            acquired_at,
        }
    }

    #[inline]
    fn write_guard<'a>(
        &'a self,
        inner: InnerWrite<'a, T>,
        acquired_at: Option<&'static Location<'static>>,
    ) -> RwLockWriteGuard<'a, T> {
        if acquired_at.is_none() && std::mem::needs_drop::<T>() {
            self.object.note_change_outside();
        }
        RwLockWriteGuard {
            lock: self,
            inner: Some(inner),
            acquired_at,
        }
    }
}

fn map_lock<G, H>(result: LockResult<G>, wrap: impl FnOnce(G) -> H) -> LockResult<H> {
    match result {
        Ok(inner) => Ok(wrap(inner)),
        Err(poisoned) => Err(PoisonError::new(wrap(poisoned.into_inner()))),
    }
}

fn map_try_lock<G, H>(result: TryLockResult<G>, wrap: impl FnOnce(G) -> H) -> TryLockResult<H> {
    match result {
        Ok(inner) => Ok(wrap(inner)),
        Err(TryLockError::Poisoned(poisoned)) => Err(TryLockError::Poisoned(PoisonError::new(
            wrap(poisoned.into_inner()),
        ))),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
    }
}

/// Takes the standard lock after the engine has granted it.
#[inline]
#[track_caller]
fn granted<G, H>(result: TryLockResult<G>, wrap: impl FnOnce(G) -> H) -> LockResult<H> {
    match map_try_lock(result, wrap) {
        Ok(guard) => Ok(guard),
        Err(TryLockError::Poisoned(poisoned)) => Err(poisoned),
        Err(TryLockError::WouldBlock) => rt::give_up_lock(),
    }
}

impl<T> From<T> for RwLock<T> {
    fn from(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

/// Holds a [`RwLock`] for reading and releases it when dropped.
#[must_use = "if unused the lock is released at once"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    inner: InnerRead<'a, T>,
    /// Where the lock was taken, inside an execution: the place its release is reported at.
    acquired_at: Option<&'static Location<'static>>,
}

/// Holds a [`RwLock`] for writing and releases it when dropped.
#[must_use = "if unused the lock is released at once"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    /// Invariant: filled until the guard is dropped or downgraded.
    inner: Option<InnerWrite<'a, T>>,
    /// Where the lock was taken, inside an execution: the place its release is reported at.
    acquired_at: Option<&'static Location<'static>>,
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Goes on holding the lock, but only for reading. No writer can come in between.
    #[track_caller]
    pub fn downgrade(mut this: Self) -> RwLockReadGuard<'a, T> {
        let (lock, acquired_at) = (this.lock, this.acquired_at);
        if acquired_at.is_some() {
            rt::operate(OpKind::WriteUnlock, lock);
            // As a whole it waits for nobody.
            rt::operate_at_once(OpKind::ReadLock, Op::PREFERRED, lock);
        }
        let inner = this
            .inner
            .take()
            .expect("internal error: the guard was released");
        lock.read_guard(InnerWrite::downgrade(inner), acquired_at)
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(location) = self.acquired_at {
            rt::operate_at(OpKind::ReadUnlock, self.lock, location);
        }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let (Some(_), Some(location)) = (&self.inner, self.acquired_at) {
            rt::operate_at(OpKind::WriteUnlock, self.lock, location);
        }
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.inner
            .as_ref()
            .expect("internal error: the guard was released")
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.inner
            .as_mut()
            .expect("internal error: the guard was released")
    }
}

macro_rules! format_as_value {
    ($($guard:ident),*) => {
        $(
            impl<T: ?Sized + fmt::Debug> fmt::Debug for $guard<'_, T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    (**self).fmt(f)
                }
            }

            impl<T: ?Sized + fmt::Display> fmt::Display for $guard<'_, T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    (**self).fmt(f)
                }
            }
        )*
    };
}

format_as_value!(RwLockReadGuard, RwLockWriteGuard);
