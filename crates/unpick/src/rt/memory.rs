//! Variables under memory models in which others see a store later.
//!
//! What all see, and what waits in buffers, is kept by the engine, as words, by the number of the
//! object: a variable can be moved and dropped while a store to it waits. Its own place is used only
//! while an access is performed: it is made to hold what the running task sees, and what it holds
//! afterwards goes to the engine.

use super::object_cell::Modelled;
use super::runtime::{Runtime, current};
use super::task::{Seen, operate, take_turn_on, unwind};
use std::mem::MaybeUninit;
use std::panic::Location;
use std::sync::atomic::Ordering;
use unpick_trace::{Op, OpKind};

/// The bytes of cells: what the engine knows them by is their place here.
pub(super) type Bytes = Vec<Box<[MaybeUninit<u8>]>>;

/// Performs an access of the running task whose turn it is.
///
/// # Safety
/// `runtime` is current, and no reference into it is live.
#[cold]
pub(super) unsafe fn access<M: Modelled + ?Sized, R>(
    runtime: *mut Runtime,
    op: Op,
    value: &M,
    act: impl FnOnce() -> (R, Seen),
) -> R {
    // SAFETY: as the caller promises; references end before `act`, which may switch.
    unsafe {
        let task = (*runtime).current();
        if let Some(word) = (*runtime).execution.word_seen(task, op.object) {
            value.set_word(word);
        }
        let before = value.word();
        let (result, seen) = act();
        let word = value.word();
        let execution = &mut (*runtime).execution;
        if op.is_buffered() {
            execution.observe(task, seen.value, true);
            execution.buffer_store(task, before, word, seen.value);
            return result;
        }
        if word != before {
            execution.write_through(op.object, word);
        }
        if let Some(stored) = seen.stored {
            execution.observe_store(stored);
        }
        execution.observe(task, seen.value, seen.changed);
        result
    }
}

/// Lets the running task see its buffer empty, if it has to before this operation.
///
/// # Safety
/// As for [`access`].
#[cold]
pub(super) unsafe fn drain(runtime: *mut Runtime, op: Op, location: &'static Location<'static>) {
    // SAFETY: as the caller promises; references end before the switch.
    unsafe {
        if (*runtime).is_tearing_down || !(*runtime).execution.is_relaxed() {
            return;
        }
        let task = (*runtime).current();
        let Some(buffer) = (*runtime).execution.must_drain(task, op) else {
            return;
        };
        if std::thread::panicking() {
            return (*runtime).execution.drain_at_once(task);
        }
        let next = (*runtime).announce_rarely(Op::new(OpKind::Drain, buffer), location);
        if next != (*runtime).context {
            Runtime::switch(runtime, next);
        }
    }
}

/// Puts what the running task sees of a variable into its place, since it has it for itself now.
pub(crate) fn take_back<M: Modelled + ?Sized>(value: &M) {
    let runtime = current();
    if runtime.is_null() {
        return;
    }
    // SAFETY: not null means current; the reference ends with this function.
    let runtime = unsafe { &mut *runtime };
    let task = runtime.current();
    if !runtime.execution.is_relaxed() {
        return;
    }
    if let Some(object) = value.cell().get(runtime.stamp) {
        if let Some(word) = runtime.execution.word_seen(task, object) {
            value.set_word(word);
        }
        runtime.execution.take_back(object);
    }
}

/// Performs a plain access of a cell with a `T` inside, of which `act` is the access itself.
#[inline]
#[track_caller]
pub(crate) fn access_plainly<T: ?Sized, M: Modelled + ?Sized, R>(
    kind: OpKind,
    value: &M,
    act: impl FnOnce() -> R,
) -> R {
    let runtime = current();
    // SAFETY: not null means current; a copy is read.
    let is_relaxed = !runtime.is_null() && unsafe { (*runtime).execution.is_relaxed() };
    if !is_relaxed || std::mem::needs_drop::<T>() {
        operate(kind, value);
        return act();
    }
    // SAFETY: `runtime` is current, and no reference into it is live.
    unsafe {
        let argument = match kind {
            OpKind::PlainWrite => (*runtime).execution.store_argument(Ordering::Relaxed),
            _ => 0,
        };
        let Some(op) = take_turn_on(runtime, kind, argument, value, Location::caller()) else {
            unwind(runtime);
            return act();
        };
        access(runtime, op, value, || {
            let seen = Seen {
                value: 0,
                stored: None,
                changed: op.is_buffered(),
            };
            (act(), seen)
        })
    }
}

/// Keeps the bytes of a value until the end of the execution. Answers what they are known by.
pub(crate) fn keep_bytes<T: ?Sized>(value: &T) -> u64 {
    let runtime = current();
    if runtime.is_null() {
        return 0;
    }
    let place = std::ptr::from_ref(value).cast::<MaybeUninit<u8>>();
    // SAFETY: the bytes of a value may be read, also those that mean nothing, as what may mean nothing.
    // Not null means current; the reference ends with this function.
    unsafe {
        let bytes = std::slice::from_raw_parts(place, size_of_val(value));
        let kept = &mut (*runtime).bytes;
        kept.push(Box::from(bytes));
        kept.len() as u64 - 1
    }
}

/// Gives a cell the bytes of a value that it held before.
pub(crate) fn put_bytes<T: ?Sized>(cell: &T, word: u64) {
    let runtime = current();
    if runtime.is_null() {
        return;
    }
    let place = std::ptr::from_ref(cell)
        .cast_mut()
        .cast::<MaybeUninit<u8>>();
    // SAFETY: `cell` is the inside of a cell, which may be written to through a shared reference; nobody
    // has borrowed it, since this is its task's turn; the bytes are those of a value of its type.
    unsafe {
        let bytes = &(&(*runtime).bytes)[word as usize];
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len());
    }
}
