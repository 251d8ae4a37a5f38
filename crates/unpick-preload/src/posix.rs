//! POSIX threads, modelled: nothing of the C library's own locks is used.
//!
//! The number of an object lies in its first word. Static initialisers are zero there, and so is
//! what `init` leaves, so that an object is known from its first use on and memory can be used again.

mod barrier;
mod c11;
mod condvar;
pub mod keys;
mod leaving;
mod mutex;
mod once;
mod rwlock;
mod semaphore;
mod thread;

pub use condvar::enlist;
pub use leaving::look_up;
pub use mutex::{destroy_lock, lock_word, make_lock, try_lock_word, unlock_word};
pub use thread::{join, main_stack, stack_of, stack_size};

use crate::bounds;
use crate::runtime::{OURS, fail, operate, operate_then, runtime};
use alloc::format;
use core::ffi::c_void;
use core::ops::Range;
use unpick_engine::{Effect, Grant, Shape};
use unpick_trace::{FailureKind, ObjectId, ObjectKind, Op, OpKind};

/// The object at an address. Something else there is a fault of the program.
fn object(address: *mut c_void, shape: Shape, kind: ObjectKind, pc: usize) -> ObjectId {
    bounds::check_object(address as usize, kind, pc);
    // SAFETY: the program passes its object, which begins with a word.
    let word = unsafe { &mut *address.cast::<u32>() };
    let is_destroyed = *word == DESTROYED;
    match runtime().object_in(word, shape, kind) {
        Some(object) => object,
        None => {
            let what = match is_destroyed {
                true => "was destroyed before",
                false => "is not initialised, or was overwritten",
            };
            let message = format!("the {} used here {what}", kind.word());
            fail(FailureKind::Misuse, &message, pc)
        }
    }
}

/// Performs an operation that others may run before, and what belongs to it unless it is refused or times out. If they
/// have freed or destroyed the object meanwhile, the program is at fault: a task that is about to use it is a user.
fn operate_on(address: *mut c_void, op: Op, pc: usize, perform: impl FnOnce(Grant)) -> Grant {
    operate_then(op, pc, |grant| {
        check_still(address, op.object, pc);
        if !matches!(grant, Grant::Refused | Grant::TimedOut) {
            perform(grant);
        }
    })
}

/// Ends the execution if an object is not at its address any more.
fn check_still(address: *mut c_void, object: ObjectId, pc: usize) {
    let this = runtime();
    let kind = this.execution.trace().objects[object.index()].kind;
    bounds::check_object(address as usize, kind, pc);
    // SAFETY: the program passes its object, which begins with a word.
    let found = unsafe { address.cast::<u32>().read() };
    if found != OURS | object.0 {
        let (word, task) = (kind.word(), this.execution.trace().task_name(this.current));
        // Initialised objects are zeroed, and get their number when they are used.
        let what = match found == 0 || found & OURS == OURS && found != DESTROYED {
            true => "initialised",
            false => "destroyed",
        };
        let message = format!("the {word} was {what} while {task} was about to use it");
        fail(FailureKind::Misuse, &message, pc);
    }
}

/// Lets others run before an object is initialised or destroyed: they may use it already, or still.
fn point_at(address: *mut c_void, pc: usize) {
    let this = runtime();
    if !this.is_alone() {
        let variable = this.variable(address as usize);
        operate(Op::new(OpKind::Store, variable), pc);
    }
}

/// Notes that the object at an address goes away, if one is known there: what others do with it depends on when.
///
/// # Safety
///
/// There is a word.
unsafe fn note_gone(address: *mut c_void) {
    let this = runtime();
    // SAFETY: by the caller.
    let index = (unsafe { address.cast::<u32>().read_unaligned() } ^ OURS) as usize;
    // If no other task is left, all that others did with it comes before.
    if this.addresses.get(index) == Some(&(address as u64)) && !this.is_alone() {
        this.execution
            .note(Effect::Destroys(ObjectId(index as u32)));
    }
}

/// Notes the same of objects in memory that the running task frees. For techniques that ask alone, since all objects
/// are looked through.
pub fn note_freed(freed: Range<usize>) {
    let this = runtime();
    if !this.races || this.is_alone() || !this.execution.is_watched() {
        return;
    }
    for index in 0..this.addresses.len() {
        let address = this.addresses[index] as usize;
        if freed.contains(&address) && freed.end - address >= size_of::<u32>() {
            // SAFETY: the block was the program's until now, and its memory is kept.
            unsafe { note_gone(address as *mut c_void) };
        }
    }
}

/// What an object that was destroyed holds in its first word, until it is initialised again or its memory is used for
/// something else.
const DESTROYED: u32 = OURS - 1;

/// Destroys an object: who uses it from now on is at fault.
///
/// # Safety
///
/// The object of the program is of that many bytes.
unsafe fn destroy(address: *mut c_void, bytes: usize, pc: usize) {
    // SAFETY: by the caller.
    unsafe {
        forget(address, bytes, pc);
        address.cast::<u32>().write(DESTROYED);
    }
}

/// Makes an object unknown: it is initialised.
///
/// # Safety
///
/// The object of the program is of that many bytes.
unsafe fn forget(address: *mut c_void, bytes: usize, pc: usize) {
    point_at(address, pc);
    // SAFETY: by the caller.
    unsafe {
        note_gone(address);
        core::ptr::write_bytes(address.cast::<u8>(), 0, bytes);
    }
}
