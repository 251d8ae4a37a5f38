//! A condition variable.

use crate::rt::{self, Modelled, ObjectCell};
use crate::sync::MutexGuard;
use std::fmt;
use std::sync::{LockResult, PoisonError};
use std::time::Duration;
use unpick_engine::{Grant, Shape};
use unpick_trace::OpKind;

/// Whether a timed wait ended because its time was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether the time was over.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// A condition variable, as [`std::sync::Condvar`].
///
/// Under exploration a wait is three operations: it releases the mutex, waits for a notification,
/// and acquires the mutex again. Every waiter is a candidate for a `notify_one`, and the first one
/// that is scheduled consumes it. Waits may wake spuriously
/// ([`Config::spurious_wakes`](crate::Config::spurious_wakes)), and timed ones may time out at any
/// moment.
#[derive(Default)]
pub struct Condvar {
    object: ObjectCell,
    inner: std::sync::Condvar,
}

impl Modelled for Condvar {
    #[inline]
    fn cell(&self) -> &ObjectCell {
        &self.object
    }

    fn shape(&self) -> Shape {
        Shape::Condvar
    }
}

impl Condvar {
    /// Creates a condition variable that nobody waits for.
    pub const fn new() -> Condvar {
        Condvar {
            object: ObjectCell::new(),
            inner: std::sync::Condvar::new(),
        }
    }

    /// Releases the guard's mutex and waits for a notification.
    #[inline(always)]
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        if guard.is_watched() {
            rt::intend_to_wait(self);
        }
        match guard.release() {
            (mutex, Some((queued, was_unwinding))) => {
                let queued = self.inner.wait(queued);
                let queued = queued.unwrap_or_else(PoisonError::into_inner);
                MutexGuard::outside(mutex, queued, was_unwinding)
            }
            (mutex, None) => {
                self.wait_controlled(None);
                mutex.lock()
            }
        }
    }

    /// Waits until a notification comes or the time is over. Answers whether it was over.
    #[inline(always)]
    #[track_caller]
    fn wait_controlled(&self, limit: Option<Duration>) -> bool {
        rt::enlist(self);
        match limit {
            None => {
                rt::operate(OpKind::Wait, self);
                false
            }
            Some(limit) => rt::operate_until(OpKind::Wait, self, limit) == Some(Grant::TimedOut),
        }
    }

    /// Waits while `condition` holds.
    #[track_caller]
    pub fn wait_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        mut condition: F,
    ) -> LockResult<MutexGuard<'a, T>>
    where
        F: FnMut(&mut T) -> bool,
    {
        while condition(&mut *guard) {
            guard = self.wait(guard)?;
        }
        Ok(guard)
    }

    /// Waits for a notification, but not for longer than `limit`.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        limit: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        if guard.is_watched() {
            rt::intend_to_wait(self);
        }
        match guard.release() {
            (mutex, Some((queued, was_unwinding))) => {
                let woken = self.inner.wait_timeout(queued, limit);
                let (queued, end) = woken.unwrap_or_else(PoisonError::into_inner);
                let end = WaitTimeoutResult(end.timed_out());
                pair(MutexGuard::outside(mutex, queued, was_unwinding), end)
            }
            (mutex, None) => {
                let end = WaitTimeoutResult(self.wait_controlled(Some(limit)));
                pair(mutex.lock(), end)
            }
        }
    }

    /// Waits for a notification, but not for longer than `ms` milliseconds.
    #[deprecated(note = "replaced by `Condvar::wait_timeout`, as in std")]
    #[track_caller]
    pub fn wait_timeout_ms<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        ms: u32,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        let limit = Duration::from_millis(u64::from(ms));
        match self.wait_timeout(guard, limit) {
            Ok((guard, end)) => Ok((guard, !end.timed_out())),
            Err(poisoned) => {
                let (guard, end) = poisoned.into_inner();
                Err(PoisonError::new((guard, !end.timed_out())))
            }
        }
    }

    /// Waits while `condition` holds, but not for longer than `limit`.
    #[track_caller]
    pub fn wait_timeout_while<'a, T, F>(
        &self,
        mut guard: MutexGuard<'a, T>,
        limit: Duration,
        mut condition: F,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)>
    where
        F: FnMut(&mut T) -> bool,
    {
        let start = crate::time::Instant::now();
        loop {
            if !condition(&mut *guard) {
                return Ok((guard, WaitTimeoutResult(false)));
            }
            let rest = match limit.checked_sub(start.elapsed()) {
                Some(rest) => rest,
                None => return Ok((guard, WaitTimeoutResult(true))),
            };
            guard = self.wait_timeout(guard, rest)?.0;
        }
    }

    /// Wakes one waiter, if there is one.
    #[inline]
    #[track_caller]
    pub fn notify_one(&self) {
        if rt::operate(OpKind::NotifyOne, self).is_none() {
            self.inner.notify_one();
        }
    }

    /// Wakes all waiters.
    #[inline]
    #[track_caller]
    pub fn notify_all(&self) {
        if rt::operate(OpKind::NotifyAll, self).is_none() {
            self.inner.notify_all();
        }
    }
}

fn pair<T>(
    locked: LockResult<MutexGuard<'_, T>>,
    end: WaitTimeoutResult,
) -> LockResult<(MutexGuard<'_, T>, WaitTimeoutResult)> {
    match locked {
        Ok(guard) => Ok((guard, end)),
        Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), end))),
    }
}

impl fmt::Debug for Condvar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Condvar").finish_non_exhaustive()
    }
}
