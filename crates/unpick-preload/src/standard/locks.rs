//! Mutexes, condition variables and reader-writer locks.

use super::{ACQUIRE, RELAXED, RELEASE, deadline, stand_in};
use crate::atomics::{exchange, load, modify};
use crate::futex::{ALL, wait_while, wake_word};

/// The word of a mutex.
const UNLOCKED: u32 = 0;
const LOCKED: u32 = 1;
/// Locked, and somebody may wait for it.
const CONTENDED: u32 = 2;

/// Locks a mutex.
///
/// # Safety
///
/// It is the word of a mutex.
pub unsafe fn lock(mutex: *mut u32, pc: usize) {
    // SAFETY: by the caller.
    unsafe {
        let (_, is_locked) = exchange(mutex, UNLOCKED, LOCKED, (ACQUIRE, RELAXED), false, pc);
        if !is_locked {
            lock_contended(mutex, pc);
        }
    }
}

/// Waits for a mutex and locks it.
///
/// # Safety
///
/// As above.
unsafe fn lock_contended(mutex: *mut u32, pc: usize) {
    // SAFETY: by the caller.
    unsafe {
        while modify(mutex, ACQUIRE, pc, |_| CONTENDED) != UNLOCKED {
            wait_while(mutex, CONTENDED, None, pc);
        }
    }
}

/// Unlocks a mutex.
///
/// # Safety
///
/// As above.
pub unsafe fn unlock(mutex: *mut u32, pc: usize) {
    // SAFETY: by the caller.
    unsafe {
        if modify(mutex, RELEASE, pc, |_| UNLOCKED) == CONTENDED {
            wake_word(mutex, 1, pc);
        }
    }
}

/// Waits for a notification; `false` if the time was up before. A notification that comes before the look at the
/// counter is missed.
///
/// # Safety
///
/// These are the counter of a condition variable, and the word of a mutex that is locked.
pub unsafe fn wait(
    condvar: *mut u32,
    mutex: *mut u32,
    deadline: Option<libc::timespec>,
    pc: usize,
) -> bool {
    // SAFETY: by the caller.
    unsafe {
        let count = load(condvar, RELAXED, pc);
        unlock(mutex, pc);
        let is_woken = wait_while(condvar, count, deadline, pc);
        lock(mutex, pc);
        is_woken
    }
}

/// Wakes so many who wait for a notification.
///
/// # Safety
///
/// It is the counter of a condition variable.
pub unsafe fn notify(condvar: *mut u32, count: u32, pc: usize) {
    // SAFETY: by the caller.
    unsafe { modify(condvar, RELAXED, pc, |found| found.wrapping_add(1)) };
    wake_word(condvar, count, pc);
}

/// The word of a reader-writer lock: who has it, and who waits.
const HOLDERS: u32 = (1 << 30) - 1;
const READERS_MAX: u32 = HOLDERS - 1;
const WRITER: u32 = HOLDERS;
const READERS_WAIT: u32 = 1 << 30;
const WRITERS_WAIT: u32 = 1 << 31;

/// A reader-writer lock.
#[repr(C)]
pub struct RwLock {
    state: u32,
    /// Counts the wake-ups of writers.
    wakes: u32,
}

/// Whether a reader can have the lock. One that has waited may pass writers by, where a writer has become a reader.
fn is_readable(state: u32, has_waited: bool) -> bool {
    let holders = state & HOLDERS;
    let is_shared = holders != 0 && has_waited;
    let waiting = match is_shared {
        true => READERS_WAIT,
        false => READERS_WAIT | WRITERS_WAIT,
    };
    holders < READERS_MAX && state & waiting == 0
}

/// Locks for reading.
///
/// # Safety
///
/// These are the words of a lock.
unsafe fn read(state: *mut u32, pc: usize) {
    let mut has_waited = false;
    // SAFETY: by the caller, here and below.
    let mut known = unsafe { load(state, RELAXED, pc) };
    loop {
        let (next, order) = match is_readable(known, has_waited) {
            true => (known + 1, ACQUIRE),
            false => (known | READERS_WAIT, RELAXED),
        };
        if next != known {
            // SAFETY: as above.
            let (found, succeeds) =
                unsafe { exchange(state, known, next, (order, RELAXED), false, pc) };
            if !succeeds {
                known = found;
                continue;
            }
            if order == ACQUIRE {
                return;
            }
        }
        // SAFETY: as above.
        known = unsafe {
            wait_while(state, next, None, pc);
            load(state, RELAXED, pc)
        };
        has_waited = true;
    }
}

/// Locks for writing.
///
/// # Safety
///
/// These are the words of a lock.
unsafe fn write(state: *mut u32, wakes: *mut u32, pc: usize) {
    // Others may wait as well, once this one has.
    let mut others = 0;
    // SAFETY: by the caller, here and below.
    let mut known = unsafe { load(state, RELAXED, pc) };
    loop {
        let (next, order) = match known & HOLDERS {
            0 => (known | WRITER | others, ACQUIRE),
            _ => (known | WRITERS_WAIT, RELAXED),
        };
        if next != known {
            // SAFETY: as above.
            let (found, succeeds) =
                unsafe { exchange(state, known, next, (order, RELAXED), false, pc) };
            if !succeeds {
                known = found;
                continue;
            }
            if order == ACQUIRE {
                return;
            }
        }
        others = WRITERS_WAIT;
        // SAFETY: as above.
        unsafe {
            let count = load(wakes, ACQUIRE, pc);
            known = load(state, RELAXED, pc);
            if known & HOLDERS == 0 || known & WRITERS_WAIT == 0 {
                continue;
            }
            wait_while(wakes, count, None, pc);
            known = load(state, RELAXED, pc);
        }
    }
}

/// Wakes a writer; whether one was waiting.
///
/// # Safety
///
/// It is the word of a lock.
unsafe fn wake_writer(wakes: *mut u32, pc: usize) -> bool {
    // SAFETY: by the caller.
    unsafe { modify(wakes, RELEASE, pc, |found| found.wrapping_add(1)) };
    wake_word(wakes, 1, pc) > 0
}

/// Wakes who waits for a lock that has become free: a writer, else all readers.
///
/// # Safety
///
/// These are the words of a lock.
unsafe fn wake(state: *mut u32, wakes: *mut u32, mut known: u32, pc: usize) {
    // SAFETY: by the caller, here and below.
    let put = |known, next| unsafe { exchange(state, known, next, (RELAXED, RELAXED), false, pc) };
    if known == WRITERS_WAIT {
        let (found, succeeds) = put(known, 0);
        if succeeds {
            // SAFETY: as above.
            unsafe { wake_writer(wakes, pc) };
            return;
        }
        known = found;
    }
    if known == READERS_WAIT | WRITERS_WAIT {
        // Whoever has locked it meanwhile wakes the others.
        // SAFETY: as above.
        if !put(known, READERS_WAIT).1 || unsafe { wake_writer(wakes, pc) } {
            return;
        }
        known = READERS_WAIT;
    }
    if known == READERS_WAIT && put(known, 0).1 {
        wake_word(state, ALL, pc);
    }
}

stand_in! {
    fn mutex_lock(mutex: *mut u32; pc) {
        lock_contended(mutex, pc)
    }

    fn wake_one(word: *mut u32; pc) -> bool {
        wake_word(word, 1, pc) > 0
    }

    fn condvar_wait(condvar: *mut u32, mutex: *mut u32; pc) {
        wait(condvar, mutex, None, pc);
    }

    fn condvar_wait_timeout(condvar: *mut u32, mutex: *mut u32, seconds: u64, nanoseconds: u32; pc) -> bool {
        wait(condvar, mutex, deadline(seconds, nanoseconds), pc)
    }

    fn condvar_notify_one(condvar: *mut u32; pc) {
        notify(condvar, 1, pc)
    }

    fn condvar_notify_all(condvar: *mut u32; pc) {
        notify(condvar, ALL, pc)
    }

    fn rwlock_read(lock: *mut RwLock; pc) {
        read(&raw mut (*lock).state, pc)
    }

    fn rwlock_write(lock: *mut RwLock; pc) {
        write(&raw mut (*lock).state, &raw mut (*lock).wakes, pc)
    }

    fn rwlock_wake(lock: *mut RwLock, state: u32; pc) {
        wake(&raw mut (*lock).state, &raw mut (*lock).wakes, state, pc)
    }
}
