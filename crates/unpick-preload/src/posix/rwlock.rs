//! Reader-writer locks.

use super::{destroy, forget, object, operate_on};
use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{running, runtime};
use crate::time::{Limit, is_time};
use core::ffi::{c_int, c_void};
use unpick_engine::{Grant, Shape};
use unpick_noise::Operation;
use unpick_trace::{ObjectId, ObjectKind, Op, OpKind};

/// Bytes of a reader-writer lock.
const SIZE: usize = size_of::<libc::pthread_rwlock_t>();

/// Our use of the words.
#[repr(C)]
struct RwLock {
    number: u32,
    /// The number of the writer's task plus one.
    writer: u32,
    unused: [u32; 10],
    /// Where the C library keeps it, so that static initialisers are right.
    preference: c_int,
}

/// The beginning of the attributes of a reader-writer lock, as the C library has it.
#[repr(C)]
struct Attributes {
    preference: c_int,
}

/// Readers wait while a writer waits.
const PREFER_WRITER_NONRECURSIVE: c_int = 2;

fn rwlock(address: *mut c_void, pc: usize) -> ObjectId {
    object(address, Shape::RwLock, ObjectKind::RwLock, pc)
}

fn set_writer(address: *mut c_void, writer: u32) {
    // SAFETY: the program passes a reader-writer lock.
    unsafe { (*address.cast::<RwLock>()).writer = writer };
}

/// Performs an operation that locks, and notes that the running task has the lock then.
fn operate_lock(address: *mut c_void, op: Op, pc: usize) -> Grant {
    operate_on(address, op, pc, |_| {
        let runtime = runtime();
        let (task, lock) = (runtime.current, op.object);
        // Readers do not wait for each other, and so learn nothing of each other.
        if matches!(op.kind, OpKind::WriteLock | OpKind::TryWriteLock) {
            set_writer(address, task.0 + 1);
            runtime.clocks.acquire_shared(task, lock);
        }
        runtime.clocks.acquire(task, lock);
    })
}

/// Locks with such an operation, or gives an error.
fn lock(address: *mut c_void, op: Op, pc: usize) -> c_int {
    match operate_lock(address, op, pc) {
        Grant::Refused => libc::EBUSY,
        Grant::TimedOut => libc::ETIMEDOUT,
        _ => 0,
    }
}

/// Locks for reading, up to a moment. The time decides only for a task that has to wait.
fn read_lock_until(address: *mut c_void, time: *const libc::timespec, pc: usize) -> c_int {
    let object = rwlock(address, pc);
    lock_until(
        address,
        Op::new(OpKind::TryReadLock, object),
        Op::timed(OpKind::ReadLock, object),
        time,
        pc,
    )
}

/// The same for writing.
fn write_lock_until(address: *mut c_void, time: *const libc::timespec, pc: usize) -> c_int {
    let object = rwlock(address, pc);
    let (mut attempt, mut wait) = (
        Op::new(OpKind::TryWriteLock, object),
        Op::timed(OpKind::WriteLock, object),
    );
    if holds_readers_up(address) {
        attempt.argument = Op::ARRIVAL;
        wait.argument = Op::PREFERRED;
    }
    lock_until(address, attempt, wait, time, pc)
}

fn lock_until(
    address: *mut c_void,
    attempt: Op,
    wait: Op,
    time: *const libc::timespec,
    pc: usize,
) -> c_int {
    // SAFETY: the program passes a time.
    if !unsafe { is_time(time) } {
        return libc::EINVAL;
    }
    if lock(address, attempt, pc) == 0 {
        return 0;
    }
    // SAFETY: the program passes a time.
    unsafe { Limit::at(time) }.set();
    lock(address, wait, pc)
}

/// Whether readers wait behind a writer that waits.
fn holds_readers_up(address: *mut c_void) -> bool {
    // SAFETY: the program passes a reader-writer lock.
    unsafe { (*address.cast::<RwLock>()).preference == PREFER_WRITER_NONRECURSIVE }
}

/// Locks for writing. Where readers wait behind a writer that waits, to come to wait is an operation.
fn write_lock(address: *mut c_void, pc: usize) -> c_int {
    let object = rwlock(address, pc);
    let mut op = Op::new(OpKind::WriteLock, object);
    if holds_readers_up(address) {
        let arrival = Op::arrival(OpKind::TryWriteLock, object);
        if lock(address, arrival, pc) == 0 {
            return 0;
        }
        op.argument = Op::PREFERRED;
    }
    lock(address, op, pc)
}

fn unlock(address: *mut c_void, pc: usize) {
    let object = rwlock(address, pc);
    // SAFETY: the program passes a reader-writer lock.
    let kind = match unsafe { (*address.cast::<RwLock>()).writer } {
        0 => OpKind::ReadUnlock,
        _ => OpKind::WriteUnlock,
    };
    operate_on(address, Op::new(kind, object), pc, |_| {
        let runtime = runtime();
        match kind {
            OpKind::ReadUnlock => runtime.clocks.release_shared(runtime.current, object),
            _ => {
                set_writer(address, 0);
                runtime.clocks.release(runtime.current, object);
            }
        }
    });
}

interpose! {
    fn pthread_rwlock_init(address: *mut c_void, attributes: *const c_void; pc) -> c_int {
        if running().is_none() {
            return real::pthread_rwlock_init()(address, attributes);
        }
        forget(address, SIZE, pc);
        if let Some(attributes) = attributes.cast::<Attributes>().as_ref() {
            (*address.cast::<RwLock>()).preference = attributes.preference;
        }
        0
    }

    fn pthread_rwlock_destroy(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return real::pthread_rwlock_destroy()(address);
        }
        destroy(address, SIZE, pc);
        0
    }

    fn pthread_rwlock_rdlock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::ReadLock, address as usize, pc, || real::pthread_rwlock_rdlock()(address));
        }
        let op = Op::new(OpKind::ReadLock, rwlock(address, pc));
        lock(address, op, pc)
    }

    fn pthread_rwlock_tryrdlock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::RwTryLock, address as usize, pc, || real::pthread_rwlock_tryrdlock()(address));
        }
        let op = Op::new(OpKind::TryReadLock, rwlock(address, pc));
        lock(address, op, pc)
    }

    fn pthread_rwlock_timedrdlock(address: *mut c_void, time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::ReadLock, address as usize, pc, || real::pthread_rwlock_timedrdlock()(address, time));
        }
        read_lock_until(address, time, pc)
    }

    fn pthread_rwlock_clockrdlock(address: *mut c_void, clock: c_int, time: *const libc::timespec; pc)
            -> c_int {
        if running().is_none() {
            return free::around(Operation::ReadLock, address as usize, pc, || real::pthread_rwlock_clockrdlock()(address, clock, time));
        }
        read_lock_until(address, time, pc)
    }

    fn pthread_rwlock_wrlock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::WriteLock, address as usize, pc, || real::pthread_rwlock_wrlock()(address));
        }
        write_lock(address, pc)
    }

    fn pthread_rwlock_trywrlock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::RwTryLock, address as usize, pc, || real::pthread_rwlock_trywrlock()(address));
        }
        let op = Op::new(OpKind::TryWriteLock, rwlock(address, pc));
        lock(address, op, pc)
    }

    fn pthread_rwlock_timedwrlock(address: *mut c_void, time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::WriteLock, address as usize, pc, || real::pthread_rwlock_timedwrlock()(address, time));
        }
        write_lock_until(address, time, pc)
    }

    fn pthread_rwlock_clockwrlock(address: *mut c_void, clock: c_int, time: *const libc::timespec; pc)
            -> c_int {
        if running().is_none() {
            return free::around(Operation::WriteLock, address as usize, pc, || real::pthread_rwlock_clockwrlock()(address, clock, time));
        }
        write_lock_until(address, time, pc)
    }

    fn pthread_rwlock_unlock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::RwUnlock, address as usize, pc, || real::pthread_rwlock_unlock()(address));
        }
        unlock(address, pc);
        0
    }
}
