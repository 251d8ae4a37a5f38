//! Drop-in for `std::sync::atomic`.
//!
//! Under exploration every operation is a scheduling point and takes effect at once, in one order
//! for all tasks (sequential consistency), unless another memory model is chosen
//! ([`Config::memory`](crate::Config::memory)): then others may see stores later that are not `SeqCst`.
//! Data races of [cells](crate::cell) are judged by the orderings as they are written: a `Relaxed` flag
//! hands nothing over.
//! `compare_exchange_weak` may fail without reason
//! ([`Config::weak_failures`](crate::Config::weak_failures)).
//!
//! Not here: `from_ptr` and `from_mut`, since these types hold more than the bare value.

use crate::rt::{self, Modelled, ObjectCell, Seen};
use std::fmt;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
pub use std::sync::atomic::{Ordering, compiler_fence};
use unpick_engine::Shape;
use unpick_trace::OpKind;

/// A memory fence. Under exploration it is a scheduling point.
#[track_caller]
pub fn fence(order: Ordering) {
    assert!(
        order != Relaxed,
        "there is no such thing as a relaxed fence"
    );
    if rt::operate_fence(order).is_none() {
        std::sync::atomic::fence(order);
    }
}

#[inline]
#[track_caller]
fn check_load(order: Ordering) {
    match order {
        Release => panic!("there is no such thing as a release load"),
        AcqRel => panic!("there is no such thing as an acquire-release load"),
        _ => {}
    }
}

#[inline]
#[track_caller]
fn check_store(order: Ordering) {
    match order {
        Acquire => panic!("there is no such thing as an acquire store"),
        AcqRel => panic!("there is no such thing as an acquire-release store"),
        _ => {}
    }
}

/// What all atomic types have in common: `$value` is the type inside, `$bits` makes a number of a
/// value for the trace, `$whole` tells whether that number is the whole value, `$word` and `$of_word` make
/// the whole value a number and back, and `$generic` are the type parameters.
macro_rules! atomic_common {
    (
        [$($generic:ident)?] $name:ident, $value:ty, $inner:ty, $bits:expr, $whole:expr,
        $word:expr, $of_word:expr
    ) => {
        impl $(<$generic>)? Modelled for $name $(<$generic>)? {
            #[inline]
            fn cell(&self) -> &ObjectCell {
                &self.object
            }

            fn shape(&self) -> Shape {
                Shape::Variable
            }

            fn word(&self) -> u64 {
                $word(self.inner.load(Relaxed))
            }

            fn value(&self) -> Option<u64> {
                $whole.then(|| $bits(self.inner.load(Relaxed)))
            }

            fn set_word(&self, word: u64) {
                self.inner.store($of_word(word), Relaxed);
            }
        }

        impl $(<$generic>)? $name $(<$generic>)? {
            /// Creates an atomic with this value.
            pub const fn new(value: $value) -> Self {
                $name {
                    object: ObjectCell::new(),
                    inner: <$inner>::new(value),
                }
            }

            /// The value, through an exclusive reference.
            pub fn get_mut(&mut self) -> &mut $value {
                rt::take_back(self);
                self.inner.get_mut()
            }

            /// Consumes the atomic and returns its value.
            pub fn into_inner(self) -> $value {
                rt::take_back(&self);
                self.inner.into_inner()
            }

            /// A pointer to the value. Accesses through it are not controlled.
            pub const fn as_ptr(&self) -> *mut $value {
                self.inner.as_ptr()
            }

            /// Reads the value.
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                let known = rt::access(OpKind::Load, (order, order), self, || {
                    check_load(order);
                    let value = self.inner.load(Relaxed);
                    let seen = Seen {
                        value: $bits(value),
                        stored: None,
                        changed: false,
                    };
                    (value, seen)
                });
                match known {
                    Some(value) => value,
                    None => self.inner.load(order),
                }
            }

            /// Writes a value.
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                let known = rt::access(OpKind::Store, (order, order), self, || {
                    check_store(order);
                    let old = self.inner.load(Relaxed);
                    self.inner.store(value, Relaxed);
                    let seen = Seen {
                        value: $bits(value),
                        stored: $whole.then(|| $bits(value)),
                        changed: old != value,
                    };
                    ((), seen)
                });
                if known.is_none() {
                    self.inner.store(value, order);
                }
            }

            /// Writes a value and returns the one before.
            #[inline]
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                match self.modify(order, |_| value) {
                    Some(old) => old,
                    None => self.inner.swap(value, order),
                }
            }

            /// Writes `new` if the value is `current`; returns the value before.
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let known = rt::access(OpKind::CompareExchange, (success, failure), self, || {
                    check_load(failure);
                    self.exchange(current, new)
                });
                match known {
                    Some(result) => result,
                    None => self.inner.compare_exchange(current, new, success, failure),
                }
            }

            /// As [`Self::compare_exchange`], but may fail although the value is `current`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let known = rt::access(OpKind::CompareExchange, (success, failure), self, || {
                    check_load(failure);
                    let old = self.inner.load(Relaxed);
                    if old == current && rt::weak_failure() {
                        rt::observe_failed_exchange();
                        let seen = Seen {
                            value: $bits(old),
                            stored: None,
                            changed: true,
                        };
                        return (Err(old), seen);
                    }
                    self.exchange(current, new)
                });
                match known {
                    Some(result) => result,
                    None => self
                        .inner
                        .compare_exchange_weak(current, new, success, failure),
                }
            }

            /// Writes `new` if the value is `current`; returns the value before.
            #[deprecated(note = "use `compare_exchange`, as in std")]
            #[track_caller]
            pub fn compare_and_swap(&self, current: $value, new: $value, order: Ordering) -> $value {
                let failure = match order {
                    Release => Relaxed,
                    AcqRel => Acquire,
                    other => other,
                };
                match self.compare_exchange(current, new, order, failure) {
                    Ok(old) | Err(old) => old,
                }
            }

            /// Applies `update` until it takes effect or gives up; returns the value before.
            #[track_caller]
            pub fn fetch_update<F>(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut update: F,
            ) -> Result<$value, $value>
            where
                F: FnMut($value) -> Option<$value>,
            {
                let mut old = self.load(fetch_order);
                while let Some(new) = update(old) {
                    match self.compare_exchange_weak(old, new, set_order, fetch_order) {
                        Ok(old) => return Ok(old),
                        Err(now) => old = now,
                    }
                }
                Err(old)
            }

            /// As [`Self::fetch_update`], by the name that std prefers.
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                update: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.fetch_update(set_order, fetch_order, update)
            }

            /// Applies `update` until it takes effect; returns the value before.
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut update: impl FnMut($value) -> $value,
            ) -> $value {
                let result = self.fetch_update(set_order, fetch_order, |old| Some(update(old)));
                result.unwrap_or_else(|old| old)
            }

            #[inline]
            fn exchange(&self, current: $value, new: $value) -> (Result<$value, $value>, Seen) {
                let old = self.inner.load(Relaxed);
                let succeeds = old == current;
                if succeeds {
                    self.inner.store(new, Relaxed);
                } else {
                    rt::observe_failed_exchange();
                }
                let seen = Seen {
                    value: $bits(old),
                    stored: ($whole && succeeds).then(|| $bits(new)),
                    changed: succeeds && old != new,
                };
                (if succeeds { Ok(old) } else { Err(old) }, seen)
            }

            /// Performs a read-modify-write under exploration. `None` outside of one.
            #[inline]
            #[track_caller]
            fn modify(
                &self,
                order: Ordering,
                change: impl FnOnce($value) -> $value,
            ) -> Option<$value> {
                rt::access(OpKind::ReadModifyWrite, (order, order), self, || {
                    let old = self.inner.load(Relaxed);
                    let new = change(old);
                    self.inner.store(new, Relaxed);
                    let seen = Seen {
                        value: $bits(old),
                        stored: $whole.then(|| $bits(new)),
                        changed: old != new,
                    };
                    (old, seen)
                })
            }
        }

        impl $(<$generic>)? From<$value> for $name $(<$generic>)? {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl $(<$generic>)? fmt::Debug for $name $(<$generic>)? {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.inner.fmt(f)
            }
        }
    };
}

macro_rules! fetch {
    ($argument:ty => $value:ty: $($(#[$meta:meta])* $name:ident = $change:expr;)*) => {
        $(
            $(#[$meta])*
            #[inline]
            #[track_caller]
            pub fn $name(&self, value: $argument, order: Ordering) -> $value {
                match self.modify(order, |old| $change(old, value)) {
                    Some(old) => old,
                    None => self.inner.$name(value, order),
                }
            }
        )*
    };
}

macro_rules! atomic_integer {
    ($($name:ident, $value:ident;)*) => {
        $(
            #[doc = concat!("An integer shared between tasks, as [`std::sync::atomic::", stringify!($name), "`].")]
            #[derive(Default)]
            pub struct $name {
                object: ObjectCell,
                inner: std::sync::atomic::$name,
            }

            atomic_common!(
                [] $name, $value, std::sync::atomic::$name, |value: $value| value as u64, true,
                |value: $value| value as u64, |word: u64| word as $value
            );

            impl $name {
                fetch! { $value => $value:
                    /// Adds, wrapping round; returns the value before.
                    fetch_add = |old: $value, value| old.wrapping_add(value);
                    /// Subtracts, wrapping round; returns the value before.
                    fetch_sub = |old: $value, value| old.wrapping_sub(value);
                    /// Bitwise and; returns the value before.
                    fetch_and = |old: $value, value| old & value;
                    /// Bitwise nand; returns the value before.
                    fetch_nand = |old: $value, value: $value| !(old & value);
                    /// Bitwise or; returns the value before.
                    fetch_or = |old: $value, value| old | value;
                    /// Bitwise exclusive or; returns the value before.
                    fetch_xor = |old: $value, value| old ^ value;
                    /// The larger of the two; returns the value before.
                    fetch_max = |old: $value, value| old.max(value);
                    /// The smaller of the two; returns the value before.
                    fetch_min = |old: $value, value| old.min(value);
                }
            }
        )*
    };
}

atomic_integer! {
    AtomicI8, i8;
    AtomicI16, i16;
    AtomicI32, i32;
    AtomicI64, i64;
    AtomicIsize, isize;
    AtomicU8, u8;
    AtomicU16, u16;
    AtomicU32, u32;
    AtomicU64, u64;
    AtomicUsize, usize;
}

/// A truth value shared between tasks, as [`std::sync::atomic::AtomicBool`].
#[derive(Default)]
pub struct AtomicBool {
    object: ObjectCell,
    inner: std::sync::atomic::AtomicBool,
}

atomic_common!(
    [] AtomicBool, bool, std::sync::atomic::AtomicBool, |value: bool| u64::from(value), true,
    |value: bool| u64::from(value), |word: u64| word != 0
);

impl AtomicBool {
    fetch! { bool => bool:
        /// Logical and; returns the value before.
        fetch_and = |old: bool, value| old & value;
        /// Logical nand; returns the value before.
        fetch_nand = |old: bool, value: bool| !(old & value);
        /// Logical or; returns the value before.
        fetch_or = |old: bool, value| old | value;
        /// Logical exclusive or; returns the value before.
        fetch_xor = |old: bool, value| old ^ value;
    }

    /// Logical not; returns the value before.
    #[track_caller]
    pub fn fetch_not(&self, order: Ordering) -> bool {
        self.fetch_xor(true, order)
    }
}

/// A pointer shared between tasks, as [`std::sync::atomic::AtomicPtr`].
pub struct AtomicPtr<T> {
    object: ObjectCell,
    inner: std::sync::atomic::AtomicPtr<T>,
}

// An address differs from execution to execution, so traces only tell whether it is null.
atomic_common!(
    [T] AtomicPtr, *mut T, std::sync::atomic::AtomicPtr<T>, |value: *mut T| u64::from(!value.is_null()), false,
    |value: *mut T| value.expose_provenance() as u64,
    |word: u64| std::ptr::with_exposed_provenance_mut(word as usize)
);

impl<T> AtomicPtr<T> {
    fetch! { usize => *mut T:
        /// Moves the pointer up by so many elements; returns the pointer before.
        fetch_ptr_add = |old: *mut T, value| old.wrapping_add(value);
        /// Moves the pointer down by so many elements; returns the pointer before.
        fetch_ptr_sub = |old: *mut T, value| old.wrapping_sub(value);
        /// Moves the pointer up by so many bytes; returns the pointer before.
        fetch_byte_add = |old: *mut T, value| old.wrapping_byte_add(value);
        /// Moves the pointer down by so many bytes; returns the pointer before.
        fetch_byte_sub = |old: *mut T, value| old.wrapping_byte_sub(value);
        /// Bitwise or of the address; returns the pointer before.
        fetch_or = |old: *mut T, value| old.map_addr(|address| address | value);
        /// Bitwise and of the address; returns the pointer before.
        fetch_and = |old: *mut T, value| old.map_addr(|address| address & value);
        /// Bitwise exclusive or of the address; returns the pointer before.
        fetch_xor = |old: *mut T, value| old.map_addr(|address| address ^ value);
    }
}

impl<T> Default for AtomicPtr<T> {
    fn default() -> AtomicPtr<T> {
        AtomicPtr::new(std::ptr::null_mut())
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.inner, f)
    }
}
