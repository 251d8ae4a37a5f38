//! A value that is set once.

use super::initialisation::{Attempt, Waiters, get_or_init, look};
use crate::rt::{self, Modelled, ObjectCell};
use std::fmt;
use unpick_engine::{Grant, Shape};
use unpick_trace::OpKind;

/// A cell that is written once, as [`std::sync::OnceLock`].
pub struct OnceLock<T> {
    object: ObjectCell,
    waiters: Waiters,
    inner: std::sync::OnceLock<T>,
}

impl<T> Modelled for OnceLock<T> {
    fn cell(&self) -> &ObjectCell {
        &self.object
    }

    fn shape(&self) -> Shape {
        Shape::Once {
            done: self.inner.get().is_some(),
        }
    }

    fn is_initial(&self) -> bool {
        self.inner.get().is_none()
    }

    fn lends_inside(&self) -> bool {
        true
    }
}

impl<T> OnceLock<T> {
    /// Creates an empty cell.
    #[must_use]
    pub const fn new() -> OnceLock<T> {
        OnceLock {
            object: ObjectCell::new(),
            waiters: Waiters::new(),
            inner: std::sync::OnceLock::new(),
        }
    }

    /// The value, if it is set.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        look(self, &self.inner, false)
    }

    /// The value, if it is set, through an exclusive reference.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.inner.get_mut()
    }

    /// Waits until the value is set.
    #[track_caller]
    pub fn wait(&self) -> &T {
        if !rt::is_in_task() {
            return self.inner.wait();
        }
        loop {
            match look(self, &self.inner, true) {
                Some(value) => return value,
                None => self.waiters.wait(),
            }
        }
    }

    /// Sets the value, or gives it back if there is one already.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        match rt::operate(OpKind::OnceEnter, self) {
            Some(Grant::Leader) => {
                Attempt::new(self, Some(&self.waiters), None).succeed(|| self.inner.set(value))
            }
            _ => self.inner.set(value),
        }
    }

    /// The value, made by `f` if it is not set. If `f` panics it stays unset.
    #[track_caller]
    pub fn get_or_init<F: FnOnce() -> T>(&self, f: F) -> &T {
        get_or_init(self, Some(&self.waiters), &self.inner, f)
    }

    /// Consumes the cell and returns its value.
    pub fn into_inner(self) -> Option<T> {
        self.inner.into_inner()
    }

    /// Takes the value out and leaves the cell empty.
    pub fn take(&mut self) -> Option<T> {
        // A new cell in its place: to the engine the old object is done for ever.
        std::mem::take(self).into_inner()
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> OnceLock<T> {
        OnceLock::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> OnceLock<T> {
        match self.get() {
            Some(value) => OnceLock::from(value.clone()),
            None => OnceLock::new(),
        }
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> OnceLock<T> {
        OnceLock {
            inner: std::sync::OnceLock::from(value),
            ..OnceLock::new()
        }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &OnceLock<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}
