//! Critical sections, and the locks that programs make themselves.

use super::openmp;
use crate::posix::{destroy_lock, lock_word, make_lock, try_lock_word, unlock_word};
use crate::runtime::{Runtime, operate_then, runtime};
use core::ffi::{c_int, c_void};
use unpick_engine::Shape;
use unpick_trace::{ObjectId, Op, OpKind};

/// Stand for the address of a name where there is none.
const CRITICAL: usize = 0;
const ATOMIC: usize = 1;

/// Bytes of a lock, and of one that its owner may lock again.
const LOCK_SIZE: usize = 4;
const NEST_LOCK_SIZE: usize = 16;

impl Runtime {
    /// The lock of the critical sections with a name.
    fn critical(&mut self, name: usize) -> ObjectId {
        let known = self.openmp.locks.iter().find(|lock| lock.0 == name);
        if let Some(&(_, object)) = known {
            return object;
        }
        let address = if name > ATOMIC { name as u64 } else { 0 };
        let object = self.add_object(Shape::Mutex, address);
        match name {
            CRITICAL => self.execution.name_object(object, "critical"),
            ATOMIC => self.execution.name_object(object, "atomic"),
            _ => {}
        }
        self.openmp.locks.push((name, object));
        // For the next execution to begin without it.
        self.member();
        object
    }
}

fn enter(name: usize, pc: usize) {
    let object = runtime().critical(name);
    operate_then(Op::new(OpKind::Lock, object), pc, |_| {
        let this = runtime();
        this.clocks.acquire(this.current, object);
    });
}

fn leave(name: usize, pc: usize) {
    let object = runtime().critical(name);
    operate_then(Op::new(OpKind::Unlock, object), pc, |_| {
        let this = runtime();
        this.clocks.release(this.current, object);
    });
}

/// A lock that its owner may lock again.
#[repr(C)]
struct NestLock {
    number: u32,
    depth: u32,
    /// The number of the owner's task plus one.
    owner: u64,
}

impl NestLock {
    /// Takes it again, if the running task has it; how often it has it then.
    ///
    /// # Safety
    ///
    /// The program passes such a lock.
    unsafe fn again(address: *mut c_void) -> Option<u32> {
        // SAFETY: by the caller.
        let lock = unsafe { &mut *address.cast::<NestLock>() };
        let is_mine = lock.owner == u64::from(runtime().current.0) + 1;
        is_mine.then(|| {
            lock.depth += 1;
            lock.depth
        })
    }

    /// The running task has taken it.
    ///
    /// # Safety
    ///
    /// As for [`NestLock::again`].
    unsafe fn own(address: *mut c_void) {
        // SAFETY: by the caller.
        let lock = unsafe { &mut *address.cast::<NestLock>() };
        lock.owner = u64::from(runtime().current.0) + 1;
        lock.depth = 1;
    }
}

openmp! {
    fn GOMP_critical_start(; pc) {
        enter(CRITICAL, pc);
    }

    fn GOMP_critical_end(; pc) {
        leave(CRITICAL, pc);
    }

    fn GOMP_critical_name_start(name: *mut *mut c_void; pc) {
        enter(name as usize, pc);
    }

    fn GOMP_critical_name_end(name: *mut *mut c_void; pc) {
        leave(name as usize, pc);
    }

    fn GOMP_atomic_start(; pc) {
        enter(ATOMIC, pc);
    }

    fn GOMP_atomic_end(; pc) {
        leave(ATOMIC, pc);
    }

    fn omp_init_lock(lock: *mut c_void; pc) {
        make_lock(lock, LOCK_SIZE, pc);
    }

    fn omp_destroy_lock(lock: *mut c_void; pc) {
        destroy_lock(lock, LOCK_SIZE, pc);
    }

    fn omp_set_lock(lock: *mut c_void; pc) {
        lock_word(lock, pc);
    }

    fn omp_unset_lock(lock: *mut c_void; pc) {
        unlock_word(lock, pc);
    }

    fn omp_test_lock(lock: *mut c_void; pc) -> c_int {
        c_int::from(try_lock_word(lock, pc))
    }

    fn omp_init_nest_lock(lock: *mut c_void; pc) {
        make_lock(lock, NEST_LOCK_SIZE, pc);
    }

    fn omp_destroy_nest_lock(lock: *mut c_void; pc) {
        destroy_lock(lock, NEST_LOCK_SIZE, pc);
    }

    fn omp_set_nest_lock(lock: *mut c_void; pc) {
        if NestLock::again(lock).is_none() {
            lock_word(lock, pc);
            NestLock::own(lock);
        }
    }

    fn omp_test_nest_lock(lock: *mut c_void; pc) -> c_int {
        if let Some(depth) = NestLock::again(lock) {
            return depth as c_int;
        }
        let is_mine = try_lock_word(lock, pc);
        if is_mine {
            NestLock::own(lock);
        }
        c_int::from(is_mine)
    }

    fn omp_unset_nest_lock(lock: *mut c_void; pc) {
        let nested = &mut *lock.cast::<NestLock>();
        nested.depth = nested.depth.saturating_sub(1);
        if nested.depth == 0 {
            nested.owner = 0;
            unlock_word(lock, pc);
        }
    }
}
