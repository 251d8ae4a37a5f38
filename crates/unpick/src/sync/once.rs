//! Code that runs once.

use super::initialisation::{Attempt, Waiters};
use crate::rt::{self, Modelled, ObjectCell};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use unpick_engine::{Grant, Shape};
use unpick_trace::{Op, OpKind};

const POISONED: &str = "Once instance has previously been poisoned";

/// A one-time initialisation, as [`std::sync::Once`].
///
/// Inside an exploration the closure runs outside of the standard type, which only learns of its
/// success, so that tasks never wait there.
pub struct Once {
    object: ObjectCell,
    waiters: Waiters,
    /// Whether the last attempt panicked, inside an exploration or not.
    is_poisoned: AtomicBool,
    /// Whether a closure is running in a task.
    is_running: AtomicBool,
    inner: std::sync::Once,
}

/// The initial value of a [`Once`].
#[deprecated(note = "use `Once::new()` instead, as in std")]
#[allow(clippy::declare_interior_mutable_const)]
pub const ONCE_INIT: Once = Once::new();

/// What is known about a [`Once`] when its closure runs.
pub struct OnceState {
    is_poisoned: bool,
}

impl OnceState {
    /// Whether an earlier closure panicked.
    pub fn is_poisoned(&self) -> bool {
        self.is_poisoned
    }
}

impl fmt::Debug for OnceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceState")
            .field("poisoned", &self.is_poisoned())
            .finish()
    }
}

impl Modelled for Once {
    fn cell(&self) -> &ObjectCell {
        &self.object
    }

    fn shape(&self) -> Shape {
        Shape::Once {
            done: self.inner.is_completed(),
        }
    }

    fn is_initial(&self) -> bool {
        !self.inner.is_completed()
    }
}

impl Once {
    /// Creates a `Once` that has not run.
    #[must_use]
    #[allow(clippy::new_without_default)] // std has none either
    pub const fn new() -> Once {
        Once {
            object: ObjectCell::new(),
            waiters: Waiters::new(),
            is_poisoned: AtomicBool::new(false),
            is_running: AtomicBool::new(false),
            inner: std::sync::Once::new(),
        }
    }

    /// Runs `f` if this is the first call, and waits for it if another task runs its own.
    ///
    /// # Panics
    /// If an earlier closure panicked.
    #[track_caller]
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        self.call(false, |_| f());
    }

    /// As [`Once::call_once`], but runs `f` also after an earlier closure panicked.
    #[track_caller]
    pub fn call_once_force<F: FnOnce(&OnceState)>(&self, f: F) {
        self.call(true, f);
    }

    /// Whether a call has completed.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        self.look(0)
    }

    /// Whether a call has completed, also in order to wait for it ([`Op::WAITS`]).
    #[track_caller]
    fn look(&self, argument: u16) -> bool {
        let is_controlled = rt::operate_with(OpKind::OnceRead, false, argument, self).is_some();
        let is_completed = self.inner.is_completed();
        if is_controlled {
            rt::observe(u64::from(is_completed), false);
        }
        is_completed
    }

    /// Waits until a call has completed.
    ///
    /// # Panics
    /// If a closure panicked.
    #[track_caller]
    pub fn wait(&self) {
        if !rt::is_in_task() {
            return self.inner.wait();
        }
        while !self.look(Op::WAITS) {
            // A closure that runs may still mend what another one has left.
            let is_running = self.is_running.load(Ordering::Relaxed);
            let is_poisoned = self.is_poisoned.load(Ordering::Relaxed);
            assert!(is_running || !is_poisoned, "{POISONED}");
            self.waiters.wait();
        }
    }

    /// Waits until a call has completed, whatever became of earlier ones.
    #[track_caller]
    pub fn wait_force(&self) {
        if !rt::is_in_task() {
            return self.inner.wait_force();
        }
        while !self.look(Op::WAITS) {
            self.waiters.wait();
        }
    }

    #[track_caller]
    fn call(&self, forces: bool, f: impl FnOnce(&OnceState)) {
        match rt::operate(OpKind::OnceEnter, self) {
            None => self.call_outside(forces, f),
            Some(Grant::Leader) => self.lead(forces, f),
            Some(_) if self.inner.is_completed() => {}
            // The execution is torn down. Another closure may have begun; if so it will not end.
            Some(_) if self.is_running.load(Ordering::Relaxed) => rt::abandon(),
            Some(_) => self.lead(forces, f),
        }
    }

    #[track_caller]
    fn lead(&self, forces: bool, f: impl FnOnce(&OnceState)) {
        let attempt = Attempt::new(self, Some(&self.waiters), Some(&self.is_poisoned));
        let is_poisoned = self.is_poisoned.load(Ordering::Relaxed);
        assert!(forces || !is_poisoned, "{POISONED}");
        let running = Running::new(&self.is_running);
        f(&OnceState { is_poisoned });
        drop(running);
        // Before others can look, which they can before the end is published.
        self.is_poisoned.store(false, Ordering::Relaxed);
        attempt.succeed(|| self.inner.call_once_force(|_| ()));
    }

    #[track_caller]
    fn call_outside(&self, forces: bool, f: impl FnOnce(&OnceState)) {
        self.inner.call_once_force(|state| {
            let is_poisoned = state.is_poisoned() || self.is_poisoned.load(Ordering::Relaxed);
            assert!(forces || !is_poisoned, "{POISONED}");
            self.is_poisoned.store(true, Ordering::Relaxed);
            f(&OnceState { is_poisoned });
            self.is_poisoned.store(false, Ordering::Relaxed);
        });
    }
}

/// Sets a flag for as long as it lives.
struct Running<'a>(&'a AtomicBool);

impl<'a> Running<'a> {
    fn new(flag: &'a AtomicBool) -> Running<'a> {
        flag.store(true, Ordering::Relaxed);
        Running(flag)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}
