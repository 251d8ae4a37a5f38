//! Condition variables: unlock, wait, lock.

use super::mutex::{self, unlock_early};
use super::{check_still, destroy, forget, object, operate_on};
use crate::buffers;
use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{operate_then, running, runtime};
use crate::tasks;
use crate::time::{Limit, is_time};
use core::ffi::{c_int, c_void};
use unpick_engine::{Grant, Shape};
use unpick_noise::Operation;
use unpick_trace::{ObjectId, ObjectKind, Op, OpKind};

/// Bytes of a condition variable.
const SIZE: usize = size_of::<libc::pthread_cond_t>();

fn condvar(address: *mut c_void, pc: usize) -> ObjectId {
    object(address, Shape::Condvar, ObjectKind::Condvar, pc)
}

/// Makes the running task a waiter, within the operation it has just performed.
pub fn enlist(condvar: ObjectId) {
    let runtime = runtime();
    let strategy = runtime.strategy();
    if !runtime.execution.enlist(runtime.current, condvar, strategy) {
        tasks::leave();
    }
}

pub(super) fn wait(
    address: *mut c_void,
    mutex: *mut c_void,
    time: Option<*const libc::timespec>,
    pc: usize,
) -> c_int {
    // SAFETY: the program passes a time.
    if time.is_some_and(|time| !unsafe { is_time(time) }) {
        return libc::EINVAL;
    }
    let condvar = condvar(address, pc);
    let lock = mutex::object_of(mutex, pc);
    // Nothing may come between the release of the mutex and the wait.
    buffers::drain(Op::new(OpKind::Wait, condvar), pc);
    match unlock_early(mutex) {
        // A recursive mutex that is locked more than once stays locked, as it does without us.
        Some(0) => enlist(condvar),
        Some(error) => return error,
        None => {
            let runtime = runtime();
            runtime.execution.intend_to_wait(runtime.current, condvar);
            mutex::unlock_object(mutex, lock, pc);
            check_still(address, condvar, pc);
            enlist(condvar);
        }
    }
    // SAFETY: the program passes a time.
    let limit = time.map_or(Limit::Never, |time| unsafe { Limit::at(time) });
    let mut op = Op::new(OpKind::Wait, condvar);
    op.timed = limit.set();
    // Who was notified need not find it again: it may be destroyed as soon as all who wait are notified.
    let grant = operate_then(op, pc, |grant| {
        if grant != Grant::TimedOut {
            let runtime = self::runtime();
            runtime.clocks.acquire(runtime.current, condvar);
        }
    });
    let is_late = grant == Grant::TimedOut;
    mutex::lock(mutex, pc);
    match is_late {
        true => libc::ETIMEDOUT,
        false => 0,
    }
}

pub(super) fn notify(address: *mut c_void, kind: OpKind, pc: usize) -> c_int {
    let condvar = condvar(address, pc);
    operate_on(address, Op::new(kind, condvar), pc, |_| {
        let runtime = runtime();
        runtime.clocks.release(runtime.current, condvar);
    });
    0
}

interpose! {
    fn pthread_cond_init(address: *mut c_void, attributes: *const c_void; pc) -> c_int {
        if running().is_none() {
            return real::pthread_cond_init()(address, attributes);
        }
        forget(address, SIZE, pc);
        0
    }

    fn pthread_cond_destroy(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return real::pthread_cond_destroy()(address);
        }
        destroy(address, SIZE, pc);
        0
    }

    fn pthread_cond_wait(address: *mut c_void, mutex: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Wait, address as usize, pc, || real::pthread_cond_wait()(address, mutex));
        }
        wait(address, mutex, None, pc)
    }

    fn pthread_cond_timedwait(address: *mut c_void, mutex: *mut c_void,
                              time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Wait, address as usize, pc, || real::pthread_cond_timedwait()(address, mutex, time));
        }
        wait(address, mutex, Some(time), pc)
    }

    fn pthread_cond_clockwait(address: *mut c_void, mutex: *mut c_void, clock: c_int,
                              time: *const libc::timespec; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Wait, address as usize, pc, || real::pthread_cond_clockwait()(address, mutex, clock, time));
        }
        wait(address, mutex, Some(time), pc)
    }

    fn pthread_cond_signal(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::NotifyOne, address as usize, pc, || real::pthread_cond_signal()(address));
        }
        notify(address, OpKind::NotifyOne, pc)
    }

    fn pthread_cond_broadcast(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::NotifyAll, address as usize, pc, || real::pthread_cond_broadcast()(address));
        }
        notify(address, OpKind::NotifyAll, pc)
    }
}
