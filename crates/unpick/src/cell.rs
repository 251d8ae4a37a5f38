//! Drop-in for `std::cell`: cells whose accesses can be seen to race.
//!
//! Under exploration an access is a scheduling point. Two accesses of one cell by different tasks, at
//! least one of them a write, are a data race if no synchronisation orders them; an execution that
//! has one fails when it is over. As in `std` these types are not `Sync`: they are the stuff of types
//! that say `unsafe impl Sync` themselves. Under a memory model with store buffers others see a write
//! later, unless the value has a destructor: then it is seen at once, since there is one of it only.
//!
//! Not here: `UnsafeCell::raw_get` and `from_mut`, `Cell::from_mut` and cells of slices, since these
//! types hold more than the bare value.

use crate::rt::{self, Modelled, ObjectCell};
pub use std::cell::{BorrowError, BorrowMutError, LazyCell, OnceCell, Ref, RefCell, RefMut};
use std::cmp::Ordering;
use std::fmt;
use unpick_engine::Shape;
use unpick_trace::OpKind;

/// The core of interior mutability, as [`std::cell::UnsafeCell`].
///
/// [`UnsafeCell::with`] and [`UnsafeCell::with_mut`] announce what their closure is about to do.
/// Accesses through the pointer that [`UnsafeCell::get`] returns are not controlled.
#[derive(Default)]
pub struct UnsafeCell<T: ?Sized> {
    object: ObjectCell,
    inner: std::cell::UnsafeCell<T>,
}

impl<T: ?Sized> Modelled for UnsafeCell<T> {
    fn cell(&self) -> &ObjectCell {
        &self.object
    }

    fn shape(&self) -> Shape {
        Shape::Variable
    }

    fn word(&self) -> u64 {
        rt::keep_bytes(&self.inner)
    }

    fn set_word(&self, word: u64) {
        rt::put_bytes(&self.inner, word);
    }
}

impl<T> UnsafeCell<T> {
    /// Creates a cell with this value.
    pub const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell {
            object: ObjectCell::new(),
            inner: std::cell::UnsafeCell::new(value),
        }
    }

    /// Consumes the cell and returns its value.
    pub fn into_inner(self) -> T {
        rt::take_back(&self);
        self.inner.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    /// A pointer to the value. Accesses through it are not controlled.
    pub const fn get(&self) -> *mut T {
        self.inner.get()
    }

    /// The value, through an exclusive reference.
    pub fn get_mut(&mut self) -> &mut T {
        rt::take_back(self);
        self.inner.get_mut()
    }

    /// Runs `f` on a pointer that it reads through. Not in std; as in loom.
    #[track_caller]
    pub fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
        rt::access_plainly::<T, _, _>(OpKind::PlainRead, self, || f(self.inner.get()))
    }

    /// Runs `f` on a pointer that it writes through. Not in std; as in loom.
    #[track_caller]
    pub fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
        rt::access_plainly::<T, _, _>(OpKind::PlainWrite, self, || f(self.inner.get()))
    }
}

impl<T> From<T> for UnsafeCell<T> {
    fn from(value: T) -> UnsafeCell<T> {
        UnsafeCell::new(value)
    }
}

impl<T: ?Sized> fmt::Debug for UnsafeCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsafeCell").finish_non_exhaustive()
    }
}

/// A cell whose value is copied or moved in and out, as [`std::cell::Cell`].
#[derive(Default)]
pub struct Cell<T: ?Sized> {
    object: ObjectCell,
    inner: std::cell::Cell<T>,
}

impl<T: ?Sized> Modelled for Cell<T> {
    fn cell(&self) -> &ObjectCell {
        &self.object
    }

    fn shape(&self) -> Shape {
        Shape::Variable
    }

    fn word(&self) -> u64 {
        rt::keep_bytes(&self.inner)
    }

    fn set_word(&self, word: u64) {
        rt::put_bytes(&self.inner, word);
    }
}

impl<T> Cell<T> {
    /// Creates a cell with this value.
    pub const fn new(value: T) -> Cell<T> {
        Cell {
            object: ObjectCell::new(),
            inner: std::cell::Cell::new(value),
        }
    }

    /// Writes a value.
    #[track_caller]
    pub fn set(&self, value: T) {
        drop(self.replace(value));
    }

    /// Exchanges the values of two cells.
    #[track_caller]
    pub fn swap(&self, other: &Cell<T>) {
        if std::ptr::eq(self, other) {
            return;
        }
        rt::operate(OpKind::PlainWrite, self);
        rt::operate(OpKind::PlainWrite, other);
        // Two writes, which are seen by all at once under every memory model.
        rt::take_back(self);
        rt::take_back(other);
        self.inner.swap(&other.inner);
    }

    /// Writes a value and returns the one before.
    #[track_caller]
    pub fn replace(&self, value: T) -> T {
        rt::access_plainly::<T, _, _>(OpKind::PlainWrite, self, || self.inner.replace(value))
    }

    /// Consumes the cell and returns its value.
    pub fn into_inner(self) -> T {
        rt::take_back(&self);
        self.inner.into_inner()
    }
}

impl<T: Copy> Cell<T> {
    /// A copy of the value.
    #[track_caller]
    pub fn get(&self) -> T {
        rt::access_plainly::<T, _, _>(OpKind::PlainRead, self, || self.inner.get())
    }

    /// Writes what `f` makes of the value.
    #[track_caller]
    pub fn update(&self, f: impl FnOnce(T) -> T) {
        let old = self.get();
        self.set(f(old));
    }
}

impl<T: Default> Cell<T> {
    /// Takes the value and leaves the default in its place.
    #[track_caller]
    pub fn take(&self) -> T {
        self.replace(T::default())
    }
}

impl<T: ?Sized> Cell<T> {
    /// A pointer to the value. Accesses through it are not controlled.
    pub const fn as_ptr(&self) -> *mut T {
        self.inner.as_ptr()
    }

    /// The value, through an exclusive reference.
    pub fn get_mut(&mut self) -> &mut T {
        rt::take_back(self);
        self.inner.get_mut()
    }
}

impl<T: Copy> Clone for Cell<T> {
    #[track_caller]
    fn clone(&self) -> Cell<T> {
        Cell::new(self.get())
    }
}

impl<T> From<T> for Cell<T> {
    fn from(value: T) -> Cell<T> {
        Cell::new(value)
    }
}

impl<T: Copy + PartialEq> PartialEq for Cell<T> {
    #[track_caller]
    fn eq(&self, other: &Cell<T>) -> bool {
        self.get() == other.get()
    }
}

impl<T: Copy + Eq> Eq for Cell<T> {}

impl<T: Copy + PartialOrd> PartialOrd for Cell<T> {
    #[track_caller]
    fn partial_cmp(&self, other: &Cell<T>) -> Option<Ordering> {
        self.get().partial_cmp(&other.get())
    }
}

impl<T: Copy + Ord> Ord for Cell<T> {
    #[track_caller]
    fn cmp(&self, other: &Cell<T>) -> Ordering {
        self.get().cmp(&other.get())
    }
}

impl<T: Copy + fmt::Debug> fmt::Debug for Cell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}
