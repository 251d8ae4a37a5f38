//! Thread-locals: one value for each task inside an exploration, for each thread outside.

use crate::rt::{self, TaskLocal};
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;

/// Declares thread-locals, as [`std::thread_local!`].
///
/// ```
/// use std::cell::{Cell, RefCell};
///
/// unpick::thread_local! {
///     /// Every task counts for itself.
///     pub static COUNT: Cell<u32> = const { Cell::new(0) };
///     static NAMES: RefCell<Vec<String>> = RefCell::new(Vec::new());
/// }
///
/// COUNT.set(COUNT.get() + 1);
/// NAMES.with_borrow_mut(|names| names.push("one".to_string()));
/// ```
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr; $($rest:tt)*) => {
        $crate::thread_local!($(#[$attribute])* $visibility static $name: $type = $init);
        $crate::thread_local!($($rest)*);
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr) => {
        $(#[$attribute])*
        $visibility static $name: $crate::thread::LocalKey<$type> = {
            fn __unpick_init() -> $type {
                $init
            }
            ::std::thread_local! {
                static __UNPICK_OUTSIDE: $type = __unpick_init();
            }
            $crate::thread::LocalKey::__new(&__UNPICK_OUTSIDE, __unpick_init)
        };
    };
}

/// A thread-local value, as [`std::thread::LocalKey`].
pub struct LocalKey<T: 'static> {
    outside: &'static std::thread::LocalKey<T>,
    init: fn() -> T,
}

/// The value of a thread-local is gone, or about to go, as [`std::thread::AccessError`].
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct AccessError;

impl fmt::Debug for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessError").finish()
    }
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("already destroyed")
    }
}

impl Error for AccessError {}

#[cold]
#[track_caller]
fn destroyed() -> ! {
    panic!(
        "cannot access a Thread Local Storage value during or after destruction: {AccessError:?}"
    )
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn __new(outside: &'static std::thread::LocalKey<T>, init: fn() -> T) -> LocalKey<T> {
        LocalKey { outside, init }
    }

    /// Runs `f` on the value, which is made on first use.
    ///
    /// # Panics
    /// If the task is ending and has dropped the value.
    #[track_caller]
    pub fn with<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.try_with(f).unwrap_or_else(|_| destroyed())
    }

    /// Runs `f` on the value, unless the task is ending and has dropped it.
    pub fn try_with<F, R>(&'static self, f: F) -> Result<R, AccessError>
    where
        F: FnOnce(&T) -> R,
    {
        match self.task_local(self.init) {
            TaskLocal::Value(value) => Ok(f(&value)),
            TaskLocal::Dropped => Err(AccessError),
            TaskLocal::Outside => self.outside.try_with(f).map_err(|_| AccessError),
        }
    }

    /// Writes a value through `write`, or makes it the first one.
    #[track_caller]
    fn put(&'static self, value: T, write: impl FnOnce(&T, T)) {
        if !rt::is_in_task() {
            return self.outside.with(|place| write(place, value));
        }
        let mut value = Some(value);
        let local = self.task_local(|| {
            value
                .take()
                .expect("internal error: a thread-local was made twice")
        });
        match (local, value) {
            (TaskLocal::Value(place), Some(value)) => write(&place, value),
            (TaskLocal::Value(_), None) => {}
            (TaskLocal::Dropped | TaskLocal::Outside, _) => destroyed(),
        }
    }

    fn task_local(&'static self, init: impl FnOnce() -> T) -> TaskLocal<T> {
        rt::task_local(std::ptr::from_ref(self).cast::<u8>() as usize, init)
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Writes a value; the initialiser does not run.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        if !rt::is_in_task() {
            return self.outside.set(value);
        }
        self.put(Cell::new(value), |cell, value| cell.set(value.into_inner()));
    }

    /// A copy of the value.
    #[track_caller]
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes the value and leaves the default in its place.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Writes a value and returns the one before.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Borrows the value.
    #[track_caller]
    pub fn with_borrow<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&T) -> R,
    {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Borrows the value mutably.
    #[track_caller]
    pub fn with_borrow_mut<F, R>(&'static self, f: F) -> R
    where
        F: FnOnce(&mut T) -> R,
    {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Writes a value; the initialiser does not run.
    #[track_caller]
    pub fn set(&'static self, value: T) {
        if !rt::is_in_task() {
            return self.outside.set(value);
        }
        self.put(RefCell::new(value), |cell, value| {
            *cell.borrow_mut() = value.into_inner();
        });
    }

    /// Takes the value and leaves the default in its place.
    #[track_caller]
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Writes a value and returns the one before.
    #[track_caller]
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}
