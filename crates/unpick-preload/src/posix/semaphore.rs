//! Semaphores.

use super::{object, operate_on};
use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{running, runtime};
use crate::sys::set_errno;
use crate::time::{Limit, is_time};
use core::ffi::{c_int, c_void};
use unpick_engine::{Grant, Shape};
use unpick_noise::Operation;
use unpick_trace::{ObjectId, ObjectKind, Op, OpKind};

/// Our use of the words.
#[repr(C)]
struct Semaphore {
    number: u32,
    /// What `sem_init` said, and what has become of it.
    value: u32,
}

/// # Safety
///
/// The program passes a semaphore.
unsafe fn at<'a>(address: *mut c_void) -> &'a mut Semaphore {
    // SAFETY: by the caller.
    unsafe { &mut *address.cast() }
}

fn semaphore(address: *mut c_void, pc: usize) -> ObjectId {
    // SAFETY: the program passes a semaphore.
    let permits = unsafe { at(address) }.value;
    object(
        address,
        Shape::Semaphore { permits },
        ObjectKind::Semaphore,
        pc,
    )
}

/// Takes a unit, or gives an error.
fn take(address: *mut c_void, op: Op, pc: usize) -> c_int {
    let grant = operate_on(address, op, pc, |_| {
        let runtime = runtime();
        // SAFETY: the program passes a semaphore.
        unsafe { at(address) }.value -= 1;
        runtime.clocks.acquire(runtime.current, op.object);
    });
    match grant {
        Grant::Refused => fail_with(libc::EAGAIN),
        Grant::TimedOut => fail_with(libc::ETIMEDOUT),
        _ => 0,
    }
}

fn fail_with(error: c_int) -> c_int {
    set_errno(error);
    -1
}

/// An operation on one unit.
fn of_one(address: *mut c_void, kind: OpKind, pc: usize) -> Op {
    let mut op = Op::new(kind, semaphore(address, pc));
    op.argument = 1;
    op
}

/// Takes a unit, up to a moment. The time decides only for a task that has to wait.
fn take_until(address: *mut c_void, time: *const libc::timespec, pc: usize) -> c_int {
    // SAFETY: the program passes a time.
    if !unsafe { is_time(time) } {
        return fail_with(libc::EINVAL);
    }
    let mut op = of_one(address, OpKind::TryAcquire, pc);
    if take(address, op, pc) == 0 {
        return 0;
    }
    op.kind = OpKind::Acquire;
    // SAFETY: the program passes a time.
    op.timed = unsafe { Limit::at(time) }.set();
    take(address, op, pc)
}

/// Gives a unit. A task that gets it may destroy the semaphore at once.
fn post(address: *mut c_void, pc: usize) {
    let op = of_one(address, OpKind::Release, pc);
    operate_on(address, op, pc, |_| {
        let runtime = runtime();
        // SAFETY: the program passes a semaphore.
        unsafe { at(address) }.value += 1;
        runtime.clocks.release(runtime.current, op.object);
    });
}

interpose! {
    fn sem_init(address: *mut c_void, shared: c_int, value: u32; pc) -> c_int {
        if running().is_none() {
            return real::sem_init()(address, shared, value);
        }
        super::forget(address, size_of::<libc::sem_t>(), pc);
        at(address).value = value;
        0
    }

    fn sem_destroy(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return real::sem_destroy()(address);
        }
        super::destroy(address, size_of::<libc::sem_t>(), pc);
        0
    }

    fn sem_wait(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Acquire, address as usize, pc, || real::sem_wait()(address));
        }
        take(address, of_one(address, OpKind::Acquire, pc), pc)
    }

    fn sem_trywait(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::TryAcquire, address as usize, pc, || real::sem_trywait()(address));
        }
        take(address, of_one(address, OpKind::TryAcquire, pc), pc)
    }

    fn sem_timedwait(address: *mut c_void, time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Acquire, address as usize, pc, || real::sem_timedwait()(address, time));
        }
        take_until(address, time, pc)
    }

    fn sem_clockwait(address: *mut c_void, clock: c_int, time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Acquire, address as usize, pc, || real::sem_clockwait()(address, clock, time));
        }
        take_until(address, time, pc)
    }

    fn sem_post(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Release, address as usize, pc, || real::sem_post()(address));
        }
        post(address, pc);
        0
    }

    fn sem_getvalue(address: *mut c_void, out: *mut c_int; pc) -> c_int {
        if running().is_none() {
            return real::sem_getvalue()(address, out);
        }
        let mut op = of_one(address, OpKind::TryAcquire, pc);
        op.argument = 0;
        operate_on(address, op, pc, |_| *out = at(address).value as c_int);
        0
    }
}
