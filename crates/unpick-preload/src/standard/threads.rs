//! Threads that park, meet at barriers and end in scopes.

use super::locks::{lock, notify, unlock, wait};
use super::{KNOWN, deadline, stand_in};
use crate::atomics::{exchange, modify, store};
use crate::context::thread_pointer;
use crate::futex::{ALL, wait_while, wake_word};
use crate::memory::UNWATCHED;
use core::sync::atomic::{AtomicUsize, Ordering};

/// How often threads and scopes are referred to is counted in code that is not instrumented too, so that it is not
/// known what comes before they are freed. Their words are not watched for that.
const ACQUIRE: i32 = super::ACQUIRE | UNWATCHED;
const RELAXED: i32 = super::RELAXED | UNWATCHED;
const RELEASE: i32 = super::RELEASE | UNWATCHED;

/// The word by which a thread parks.
const EMPTY: u32 = 0;
const NOTIFIED: u32 = 1;
const PARKED: u32 = u32::MAX;

/// What a handle of a thread points to: counts of references, and what is known of the thread.
#[repr(C)]
pub struct Thread {
    references: AtomicUsize,
    _others: [usize; 4],
    parker: u32,
}

/// A value of the variable that holds the current thread, up to which there is none.
const NO_THREAD_MAX: usize = 2;

/// What that variable points into.
const THREAD_DATA: usize = 16;

/// The word by which the current thread parks.
fn current_parker() -> *mut u32 {
    let variable = thread_pointer().wrapping_add(KNOWN.current_thread.load(Ordering::Relaxed));
    // SAFETY: where the driver has found it; it holds a thread or a small number.
    unsafe {
        let value = *(variable as *const usize);
        let thread = match value {
            0..=NO_THREAD_MAX => create_current(value),
            _ => (value - THREAD_DATA) as *mut Thread,
        };
        &raw mut (*thread).parker
    }
}

/// Makes the handle of a thread that has none yet.
///
/// # Safety
///
/// It is what the variable holds, and no thread.
unsafe fn create_current(value: usize) -> *mut Thread {
    let create = KNOWN.create_current_thread.load(Ordering::Relaxed);
    // SAFETY: such a function, as the driver has found it. The variable holds a reference as well.
    unsafe {
        let create: unsafe extern "C" fn(usize) -> *mut Thread = core::mem::transmute(create);
        let thread = create(value);
        (*thread).references.fetch_sub(1, Ordering::Relaxed);
        thread
    }
}

/// Waits for a token and takes it.
///
/// # Safety
///
/// It is the word of a thread.
unsafe fn wait_for_token(parker: *mut u32, pc: usize) {
    // SAFETY: by the caller.
    unsafe {
        if modify(parker, ACQUIRE, pc, |token| token.wrapping_sub(1)) == NOTIFIED {
            return;
        }
        loop {
            wait_while(parker, PARKED, None, pc);
            if exchange(parker, NOTIFIED, EMPTY, (ACQUIRE, ACQUIRE), false, pc).1 {
                return;
            }
        }
    }
}

/// The same, up to a moment.
///
/// # Safety
///
/// It is the word of a thread.
unsafe fn wait_for_token_until(parker: *mut u32, seconds: u64, nanoseconds: u32, pc: usize) {
    // SAFETY: by the caller.
    unsafe {
        if modify(parker, ACQUIRE, pc, |token| token.wrapping_sub(1)) != NOTIFIED {
            wait_while(parker, PARKED, deadline(seconds, nanoseconds), pc);
            modify(parker, ACQUIRE, pc, |_| EMPTY);
        }
    }
}

/// Gives a thread a token.
///
/// # Safety
///
/// It is the word of a thread.
unsafe fn unpark(parker: *mut u32, pc: usize) {
    // SAFETY: by the caller.
    if unsafe { modify(parker, RELEASE, pc, |_| NOTIFIED) } == PARKED {
        wake_word(parker, 1, pc);
    }
}

/// A barrier.
#[repr(C)]
pub struct Barrier {
    mutex: u32,
    count: usize,
    generation: usize,
    size: usize,
    condvar: u32,
}

/// What the threads of a scope share.
#[repr(C)]
pub struct Scope {
    main: *mut Thread,
    count: usize,
    has_panicked: u8,
}

stand_in! {
    fn park(thread: *const *mut Thread; pc) {
        wait_for_token(&raw mut (**thread).parker, pc)
    }

    fn park_timeout(thread: *const *mut Thread, seconds: u64, nanoseconds: u32; pc) {
        wait_for_token_until(&raw mut (**thread).parker, seconds, nanoseconds, pc)
    }

    fn park_current(; pc) {
        wait_for_token(current_parker(), pc)
    }

    fn park_current_timeout(seconds: u64, nanoseconds: u32; pc) {
        wait_for_token_until(current_parker(), seconds, nanoseconds, pc)
    }

    /// Whether the task is the leader.
    fn barrier_wait(barrier: *mut Barrier; pc) -> bool {
        let (mutex, condvar) = (&raw mut (*barrier).mutex, &raw mut (*barrier).condvar);
        lock(mutex, pc);
        let generation = (*barrier).generation;
        (*barrier).count += 1;
        let is_last = (*barrier).count >= (*barrier).size;
        if is_last {
            (*barrier).count = 0;
            (*barrier).generation = generation.wrapping_add(1);
            notify(condvar, ALL, pc);
        } else {
            while (&raw const (*barrier).generation).read_volatile() == generation {
                wait(condvar, mutex, None, pc);
            }
        }
        unlock(mutex, pc);
        is_last
    }

    fn scope_enter(scope: *mut Scope; pc) {
        modify((&raw mut (*scope).count).cast::<u64>(), RELAXED, pc, |count| count + 1);
    }

    fn scope_leave(scope: *mut Scope, has_panicked: bool; pc) {
        if has_panicked {
            store(&raw mut (*scope).has_panicked, 1, RELAXED, pc);
        }
        // Whoever takes the last one away must not look at the scope any more.
        let main = (*scope).main;
        if modify((&raw mut (*scope).count).cast::<u64>(), RELEASE, pc, |count| count - 1) == 1 {
            unpark(&raw mut (*main).parker, pc);
        }
    }
}
