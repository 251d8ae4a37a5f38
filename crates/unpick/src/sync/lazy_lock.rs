//! A value that is made on first use.

use super::initialisation::{get_or_init, look};
use crate::rt::{Modelled, ObjectCell};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, OnceLock, PoisonError};
use unpick_engine::Shape;

/// A value that is made on first use, as [`std::sync::LazyLock`].
pub struct LazyLock<T, F = fn() -> T> {
    // Known to the engine as a whole: a static must be put back with its closure.
    object: ObjectCell,
    inner: OnceLock<T>,
    /// Empty once an attempt was made.
    init: Mutex<Option<F>>,
}

impl<T, F> Modelled for LazyLock<T, F> {
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

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// Creates a value that `f` will make.
    pub const fn new(f: F) -> LazyLock<T, F> {
        LazyLock {
            object: ObjectCell::new(),
            inner: OnceLock::new(),
            init: Mutex::new(Some(f)),
        }
    }

    /// Makes the value if it is not there.
    ///
    /// # Panics
    /// If the closure panics or did so before.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        get_or_init(this, None, &this.inner, || make(this.take_init()))
    }

    /// Makes the value if it is not there.
    ///
    /// # Panics
    /// If the closure panics or did so before.
    #[track_caller]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        if this.inner.get().is_none() {
            let value = make(this.take_init());
            this.inner = OnceLock::from(value);
            // To the engine the old object is unfinished.
            this.object = ObjectCell::new();
        }
        this.inner
            .get_mut()
            .expect("internal error: the value was just made")
    }
}

impl<T, F> LazyLock<T, F> {
    /// The value, if it is there.
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        look(this, &this.inner, false)
    }

    /// The value, if it is there, through an exclusive reference.
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        this.inner.get_mut()
    }

    fn take_init(&self) -> Option<F> {
        self.init
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

#[track_caller]
fn make<T, F: FnOnce() -> T>(init: Option<F>) -> T {
    match init {
        Some(init) => init(),
        None => panic!("LazyLock instance has previously been poisoned"),
    }
}

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        LazyLock::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    fn default() -> LazyLock<T> {
        LazyLock::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple("LazyLock");
        match self.inner.get() {
            Some(value) => tuple.field(value),
            None => tuple.field(&format_args!("<uninit>")),
        };
        tuple.finish()
    }
}
