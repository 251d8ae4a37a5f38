//! Mutexes of all kinds, and spin locks.

use super::{DESTROYED, destroy, forget, note_gone, object, operate_on, point_at};
use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{running, runtime};
use crate::time::{Limit, is_time};
use core::ffi::{c_int, c_void};
use unpick_engine::{Grant, Shape};
use unpick_noise::Operation;
use unpick_trace::{ObjectId, ObjectKind, Op, OpKind};

/// A mutex as the C library lays it out, with our use of the words.
#[repr(C)]
struct Mutex {
    number: u32,
    /// How often its owner has locked a recursive one again.
    depth: u32,
    /// The number of the owner's task plus one.
    owner: u32,
    users: u32,
    kind: u32,
}

const KIND: u32 = 3;
const RECURSIVE: u32 = libc::PTHREAD_MUTEX_RECURSIVE as u32;
const ERROR_CHECK: u32 = libc::PTHREAD_MUTEX_ERRORCHECK as u32;

impl Mutex {
    /// # Safety
    ///
    /// The program passes a mutex.
    unsafe fn at<'a>(address: *mut c_void) -> &'a mut Mutex {
        // SAFETY: by the caller.
        unsafe { &mut *address.cast() }
    }

    fn is_mine(&self) -> bool {
        self.owner == runtime().current.0 + 1
    }
}

fn mutex(address: *mut c_void, pc: usize) -> ObjectId {
    object(address, Shape::Mutex, ObjectKind::Mutex, pc)
}

/// What locking again by the owner gives, if that is defined.
fn lock_again(mutex: &mut Mutex, error: c_int) -> Option<c_int> {
    if !mutex.is_mine() {
        return None;
    }
    match mutex.kind & KIND {
        RECURSIVE => {
            mutex.depth += 1;
            Some(0)
        }
        ERROR_CHECK => Some(error),
        _ => None,
    }
}

/// Performs an operation that locks, and notes who has locked.
fn operate_lock(address: *mut c_void, op: Op, pc: usize) -> Grant {
    operate_on(address, op, pc, |_| {
        let runtime = runtime();
        // SAFETY: the program passes a mutex.
        unsafe { Mutex::at(address) }.owner = runtime.current.0 + 1;
        runtime.clocks.acquire(runtime.current, op.object);
    })
}

/// Performs an operation that locks a spin lock, which has no room for more than its number.
fn operate_spin(address: *mut c_void, op: Op, pc: usize) -> Grant {
    operate_on(address, op, pc, |_| {
        let runtime = runtime();
        runtime.clocks.acquire(runtime.current, op.object);
    })
}

/// Locks; others may run before.
pub(super) fn lock(address: *mut c_void, pc: usize) -> c_int {
    let object = mutex(address, pc);
    // SAFETY: the program passes a mutex.
    if let Some(result) = lock_again(unsafe { Mutex::at(address) }, libc::EDEADLK) {
        return result;
    }
    operate_lock(address, Op::new(OpKind::Lock, object), pc);
    0
}

/// Locks, up to a moment. The time decides only for a task that has to wait.
pub(super) fn lock_until(address: *mut c_void, time: *const libc::timespec, pc: usize) -> c_int {
    let object = mutex(address, pc);
    // SAFETY: the program passes a mutex and a time.
    let (mutex, limit) = unsafe { (Mutex::at(address), Limit::at(time)) };
    if let Some(result) = lock_again(mutex, libc::EDEADLK) {
        return result;
    }
    if operate_lock(address, Op::new(OpKind::TryLock, object), pc) != Grant::Refused {
        return 0;
    }
    // SAFETY: the program passes a time.
    if !unsafe { is_time(time) } {
        return libc::EINVAL;
    }
    limit.set();
    match operate_lock(address, Op::timed(OpKind::Lock, object), pc) {
        Grant::TimedOut => libc::ETIMEDOUT,
        _ => 0,
    }
}

pub(super) fn try_lock(address: *mut c_void, pc: usize) -> c_int {
    let object = mutex(address, pc);
    // SAFETY: the program passes a mutex.
    if let Some(result) = lock_again(unsafe { Mutex::at(address) }, libc::EBUSY) {
        return result;
    }
    match operate_lock(address, Op::new(OpKind::TryLock, object), pc) {
        Grant::Refused => libc::EBUSY,
        _ => 0,
    }
}

/// What makes an unlock end before it reaches the engine.
pub(super) fn unlock_early(address: *mut c_void) -> Option<c_int> {
    // SAFETY: the program passes a mutex.
    let mutex = unsafe { Mutex::at(address) };
    let kind = mutex.kind & KIND;
    if !mutex.is_mine() && (kind == ERROR_CHECK || kind == RECURSIVE) {
        return Some(libc::EPERM);
    }
    if mutex.is_mine() && mutex.depth > 0 {
        mutex.depth -= 1;
        return Some(0);
    }
    None
}

/// Unlocks; the object is that of the mutex.
pub(super) fn unlock_object(address: *mut c_void, object: ObjectId, pc: usize) {
    operate_on(address, Op::new(OpKind::Unlock, object), pc, |_| {
        let runtime = runtime();
        // SAFETY: the program passes a mutex.
        unsafe { Mutex::at(address) }.owner = 0;
        runtime.clocks.release(runtime.current, object);
    });
}

/// Unlocks, or gives an error.
pub(super) fn unlock(address: *mut c_void, pc: usize) -> c_int {
    let object = mutex(address, pc);
    if let Some(result) = unlock_early(address) {
        return result;
    }
    unlock_object(address, object, pc);
    0
}

/// Locks a lock that is one word, which holds its number.
pub fn lock_word(address: *mut c_void, pc: usize) {
    let object = mutex(address, pc);
    operate_spin(address, Op::new(OpKind::Lock, object), pc);
}

/// The same if it is free; whether it was.
pub fn try_lock_word(address: *mut c_void, pc: usize) -> bool {
    let object = mutex(address, pc);
    operate_spin(address, Op::new(OpKind::TryLock, object), pc) != Grant::Refused
}

/// Unlocks such a lock.
pub fn unlock_word(address: *mut c_void, pc: usize) {
    let object = mutex(address, pc);
    operate_on(address, Op::new(OpKind::Unlock, object), pc, |_| {
        let runtime = runtime();
        runtime.clocks.release(runtime.current, object);
    });
}

/// Makes a lock of so many bytes.
///
/// # Safety
///
/// The program passes room for one.
pub unsafe fn make_lock(address: *mut c_void, bytes: usize, pc: usize) {
    // SAFETY: by the caller.
    unsafe { forget(address, bytes, pc) };
}

/// Destroys such a lock.
///
/// # Safety
///
/// The program passes one.
pub unsafe fn destroy_lock(address: *mut c_void, bytes: usize, pc: usize) {
    // SAFETY: by the caller.
    unsafe { destroy(address, bytes, pc) };
}

/// Makes a mutex of a kind.
pub(super) fn make(address: *mut c_void, is_recursive: bool, pc: usize) {
    // SAFETY: the program passes room for a mutex.
    let mutex = unsafe {
        forget(address, size_of::<libc::pthread_mutex_t>(), pc);
        Mutex::at(address)
    };
    if is_recursive {
        mutex.kind = RECURSIVE;
    }
}

/// The object of a mutex.
pub(super) fn object_of(address: *mut c_void, pc: usize) -> ObjectId {
    mutex(address, pc)
}

interpose! {
    fn pthread_mutex_init(address: *mut c_void, attributes: *const c_void; pc) -> c_int {
        if running().is_some() {
            point_at(address, pc);
            note_gone(address);
        }
        let result = real::pthread_mutex_init()(address, attributes);
        if result == 0 && running().is_some() {
            Mutex::at(address).number = 0;
        }
        result
    }

    fn pthread_mutex_destroy(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return real::pthread_mutex_destroy()(address);
        }
        // Whether it is locked depends on what others do, too.
        point_at(address, pc);
        note_gone(address);
        let mutex = Mutex::at(address);
        if mutex.owner != 0 {
            return libc::EBUSY;
        }
        mutex.number = DESTROYED;
        0
    }

    fn pthread_mutex_lock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Lock, address as usize, pc, || real::pthread_mutex_lock()(address));
        }
        lock(address, pc)
    }

    fn pthread_mutex_trylock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::TryLock, address as usize, pc, || real::pthread_mutex_trylock()(address));
        }
        try_lock(address, pc)
    }

    fn pthread_mutex_timedlock(address: *mut c_void, time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Lock, address as usize, pc, || real::pthread_mutex_timedlock()(address, time));
        }
        lock_until(address, time, pc)
    }

    fn pthread_mutex_clocklock(address: *mut c_void, clock: c_int, time: *const libc::timespec; pc)
            -> c_int {
        if running().is_none() {
            return free::around(Operation::Lock, address as usize, pc, || real::pthread_mutex_clocklock()(address, clock, time));
        }
        lock_until(address, time, pc)
    }

    fn pthread_mutex_unlock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Unlock, address as usize, pc, || real::pthread_mutex_unlock()(address));
        }
        unlock(address, pc)
    }

    fn pthread_spin_init(address: *mut c_void, shared: c_int; pc) -> c_int {
        if running().is_none() {
            return real::pthread_spin_init()(address, shared);
        }
        forget(address, 4, pc);
        0
    }

    fn pthread_spin_destroy(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return real::pthread_spin_destroy()(address);
        }
        destroy(address, 4, pc);
        0
    }

    fn pthread_spin_lock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Lock, address as usize, pc, || real::pthread_spin_lock()(address));
        }
        lock_word(address, pc);
        0
    }

    fn pthread_spin_trylock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::TryLock, address as usize, pc, || real::pthread_spin_trylock()(address));
        }
        match try_lock_word(address, pc) {
            true => 0,
            false => libc::EBUSY,
        }
    }

    fn pthread_spin_unlock(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Unlock, address as usize, pc, || real::pthread_spin_unlock()(address));
        }
        unlock_word(address, pc);
        0
    }
}
