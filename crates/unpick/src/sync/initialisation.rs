//! What one-time initialisations have in common inside an exploration.
//!
//! The engine decides who initialises and who waits, so that the standard types beneath are never
//! found in the middle of an initialisation. A result is published in the transition of `OnceLeave`:
//! nobody sees it before that operation was performed.

use crate::rt::{self, Modelled, ObjectCell};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use unpick_engine::{Grant, Shape};
use unpick_trace::{Op, OpKind};

/// The tasks that wait for an initialisation without taking part in it.
#[derive(Default)]
pub(super) struct Waiters {
    object: ObjectCell,
}

impl Modelled for Waiters {
    fn cell(&self) -> &ObjectCell {
        &self.object
    }

    fn shape(&self) -> Shape {
        Shape::Condvar
    }
}

impl Waiters {
    pub const fn new() -> Waiters {
        Waiters {
            object: ObjectCell::new(),
        }
    }

    /// Waits until an attempt to initialise has ended. The caller has found it unfinished in this
    /// very transition, by a look that waited for its own stores ([`Op::WAITS`]), so that no end can be missed, and
    /// looks again afterwards.
    #[track_caller]
    pub fn wait(&self) {
        rt::enlist(self);
        rt::operate(OpKind::Wait, self);
        if rt::is_over() {
            // A destructor waits while its task unwinds: what it waits for will never happen.
            rt::abandon();
        }
    }

    /// Wakes those who wait. No operation takes place if nobody in this execution ever did.
    #[track_caller]
    pub fn notify(&self) {
        if self.object.get(rt::stamp()).is_some() {
            rt::operate(OpKind::NotifyAll, self);
        }
    }
}

/// The right to initialise. Dropped without success, it makes way for the next attempt.
pub(super) struct Attempt<'a, M: Modelled> {
    model: &'a M,
    waiters: Option<&'a Waiters>,
    /// Set when the attempt fails.
    poisoned: Option<&'a AtomicBool>,
    is_over: bool,
}

impl<'a, M: Modelled> Attempt<'a, M> {
    pub fn new(
        model: &'a M,
        waiters: Option<&'a Waiters>,
        poisoned: Option<&'a AtomicBool>,
    ) -> Attempt<'a, M> {
        Attempt {
            model,
            waiters,
            poisoned,
            is_over: false,
        }
    }

    /// Ends the initialisation and publishes its result.
    #[track_caller]
    pub fn succeed<R>(mut self, publish: impl FnOnce() -> R) -> R {
        self.is_over = true;
        rt::operate_with(OpKind::OnceLeave, false, 1, self.model);
        let result = publish();
        if let Some(waiters) = self.waiters {
            waiters.notify();
        }
        result
    }
}

impl<M: Modelled> Drop for Attempt<'_, M> {
    #[track_caller]
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        if let Some(poisoned) = self.poisoned {
            poisoned.store(true, Ordering::Relaxed);
        }
        rt::operate_with(OpKind::OnceLeave, false, 0, self.model);
        if let Some(waiters) = self.waiters {
            waiters.notify();
        }
    }
}

/// Looks at a value that may not be initialised yet, also in order to wait for it.
#[track_caller]
pub(super) fn look<'a, M: Modelled, T>(
    model: &M,
    place: &'a OnceLock<T>,
    waits: bool,
) -> Option<&'a T> {
    let argument = if waits { Op::WAITS } else { 0 };
    let is_controlled = rt::operate_with(OpKind::OnceRead, false, argument, model).is_some();
    let value = place.get();
    if is_controlled {
        rt::observe(u64::from(value.is_some()), false);
    }
    value
}

/// The value of `place`, made by `f` if it is not there.
#[track_caller]
pub(super) fn get_or_init<'a, M: Modelled, T>(
    model: &M,
    waiters: Option<&Waiters>,
    place: &'a OnceLock<T>,
    f: impl FnOnce() -> T,
) -> &'a T {
    match rt::operate(OpKind::OnceEnter, model) {
        Some(Grant::Leader) => {
            let attempt = Attempt::new(model, waiters, None);
            let value = f();
            attempt.succeed(|| place.get_or_init(|| value))
        }
        None => place.get_or_init(f),
        // It is there, unless the execution is torn down. Then `f` runs first and by itself, so that
        // the standard type is never entered for longer than a moment.
        Some(_) => match place.get() {
            Some(value) => value,
            None => {
                let value = f();
                place.get_or_init(|| value)
            }
        },
    }
}
