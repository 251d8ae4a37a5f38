//! Barriers.

use super::{destroy, forget, object, operate_on};
use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{operate, running, runtime};
use core::ffi::{c_int, c_void};
use unpick_engine::{Grant, Shape};
use unpick_noise::Operation;
use unpick_trace::{ObjectKind, Op, OpKind};

/// Bytes of a barrier.
const SIZE: usize = size_of::<libc::pthread_barrier_t>();

/// Our use of the words.
#[repr(C)]
struct Barrier {
    number: u32,
    size: u32,
}

interpose! {
    fn pthread_barrier_init(address: *mut c_void, attributes: *const c_void, count: u32; pc) -> c_int {
        if running().is_none() {
            return real::pthread_barrier_init()(address, attributes, count);
        }
        if count == 0 {
            return libc::EINVAL;
        }
        forget(address, SIZE, pc);
        (*address.cast::<Barrier>()).size = count;
        0
    }

    fn pthread_barrier_destroy(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return real::pthread_barrier_destroy()(address);
        }
        destroy(address, SIZE, pc);
        0
    }

    fn pthread_barrier_wait(address: *mut c_void; pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::BarrierWait, address as usize, pc, || real::pthread_barrier_wait()(address));
        }
        let size = (*address.cast::<Barrier>()).size;
        let object = object(address, Shape::Barrier { size }, ObjectKind::Barrier, pc);
        let task = runtime().current;
        let arrival = operate_on(address, Op::arrival(OpKind::BarrierWait, object), pc, |_| {
            runtime().clocks.release(task, object);
        });
        if arrival != Grant::Leader {
            // The one that comes first out of it may destroy it: those behind need not find it again.
            operate(Op::new(OpKind::BarrierWait, object), pc);
        }
        runtime().clocks.acquire(task, object);
        match arrival {
            Grant::Leader => libc::PTHREAD_BARRIER_SERIAL_THREAD,
            _ => 0,
        }
    }
}
