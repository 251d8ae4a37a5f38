//! Semaphores.

use super::{object, operate_on};
use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{running, runtime};
use crate::sys::set_errno;
use crate::time::Limit;
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

fn wait(
    address: *mut c_void,
    kind: OpKind,
    time: Option<*const libc::timespec>,
    pc: usize,
) -> c_int {
    let object = semaphore(address, pc);
    let mut op = Op::new(kind, object);
    op.argument = 1;
    // SAFETY: the program passes a time.
    let limit = time.map_or(Limit::Never, |time| unsafe { Limit::at(time) });
    op.timed = limit.set();
    let grant = operate_on(address, op, pc, |_| {
        let runtime = runtime();
        // SAFETY: the program passes a semaphore.
        unsafe { at(address) }.value -= 1;
        runtime.clocks.acquire(runtime.current, object);
    });
    match grant {
        Grant::Refused => {
            set_errno(libc::EAGAIN);
            -1
        }
        Grant::TimedOut => {
            set_errno(libc::ETIMEDOUT);
            -1
        }
        _ => 0,
    }
}

/// Gives a unit. A task that gets it may destroy the semaphore at once.
fn post(address: *mut c_void, pc: usize) {
    let mut op = Op::new(OpKind::Release, semaphore(address, pc));
    op.argument = 1;
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
        super::forget(address, size_of::<libc::sem_t>());
        at(address).value = value;
        0
    }

    fn sem_destroy(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return real::sem_destroy()(address);
        }
        super::forget(address, size_of::<libc::sem_t>());
        0
    }

    fn sem_wait(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Acquire, address as usize, pc, || real::sem_wait()(address));
        }
        wait(address, OpKind::Acquire, None, pc)
    }

    fn sem_trywait(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::TryAcquire, address as usize, pc, || real::sem_trywait()(address));
        }
        wait(address, OpKind::TryAcquire, None, pc)
    }

    fn sem_timedwait(address: *mut c_void, time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Acquire, address as usize, pc, || real::sem_timedwait()(address, time));
        }
        wait(address, OpKind::Acquire, Some(time), pc)
    }

    fn sem_clockwait(address: *mut c_void, clock: c_int, time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Acquire, address as usize, pc, || real::sem_clockwait()(address, clock, time));
        }
        wait(address, OpKind::Acquire, Some(time), pc)
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
        *out = at(address).value as c_int;
        0
    }
}
