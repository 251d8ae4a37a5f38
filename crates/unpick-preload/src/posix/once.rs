//! One-time initialisation.

use super::object;
use crate::away;
use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{operate, running, runtime};
use core::ffi::{c_int, c_void};
use unpick_engine::{Grant, Shape};
use unpick_noise::Operation;
use unpick_trace::{ObjectKind, Op, OpKind};

/// Runs a routine unless that has been done.
pub(super) fn call(address: *mut c_void, routine: unsafe extern "C" fn(), pc: usize) {
    // One that was done before the program began holds what the C library left there.
    const DONE: u32 = 2;
    // SAFETY: the program passes its object, which begins with a word.
    if unsafe { *address.cast::<u32>() } == DONE {
        return;
    }
    let object = object(address, Shape::Once { done: false }, ObjectKind::Once, pc);
    let grant = operate(Op::new(OpKind::OnceEnter, object), pc);
    let task = runtime().current;
    if grant == Grant::Leader {
        // SAFETY: the program asked for it.
        unsafe { routine() };
        away::come_back();
        runtime().clocks.release(task, object);
        let mut op = Op::new(OpKind::OnceLeave, object);
        op.argument = 1;
        operate(op, pc);
    }
    runtime().clocks.acquire(task, object);
}

interpose! {
    fn pthread_once(address: *mut c_void, routine: unsafe extern "C" fn(); pc) -> c_int {
        if running().is_none() {
            return free::around(Operation::Once, address as usize, pc, || real::pthread_once()(address, routine));
        }
        call(address, routine, pc);
        0
    }
}
