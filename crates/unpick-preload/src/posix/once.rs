//! One-time initialisation.

use super::{object, operate_on};
use crate::away;
use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{running, runtime};
use core::ffi::{c_int, c_void};
use unpick_engine::{Grant, Shape};
use unpick_noise::Operation;
use unpick_trace::{ObjectId, ObjectKind, Op, OpKind};

/// Runs a routine unless that has been done.
pub(super) fn call(address: *mut c_void, routine: unsafe extern "C" fn(), pc: usize) {
    // One that was done before the program began holds what the C library left there.
    const DONE: u32 = 2;
    // SAFETY: the program passes its object, which begins with a word.
    if unsafe { *address.cast::<u32>() } == DONE {
        return;
    }
    let object = object(address, Shape::Once { done: false }, ObjectKind::Once, pc);
    let grant = operate_on(address, Op::new(OpKind::OnceEnter, object), pc, |_| {
        // Also before the routine: another task may have begun it, and left it by an exception.
        let this = runtime();
        this.clocks.acquire(this.current, object);
    });
    if grant == Grant::Leader {
        perform((address, object), routine, pc);
    }
}

/// A routine that a task runs. They lie on its stack.
struct Initialisation {
    address: *mut c_void,
    object: ObjectId,
    pc: usize,
    outer: *mut c_void,
}

/// Runs a routine, which may end by an exception or by the end of its task.
fn perform((address, object): (*mut c_void, ObjectId), routine: unsafe extern "C" fn(), pc: usize) {
    let outer = innermost();
    let mut this = Initialisation {
        address,
        object,
        pc,
        outer: *outer,
    };
    *outer = (&raw mut this).cast();
    // SAFETY: the program asked for it.
    unsafe { call_guarded(routine) };
    leave(true);
}

/// The innermost initialisation of the running task.
fn innermost() -> &'static mut *mut c_void {
    let this = runtime();
    &mut this.tasks[this.current.index()].initialisation
}

/// The innermost routine of the running task has ended.
fn leave(is_done: bool) {
    away::come_back();
    let innermost = innermost();
    // SAFETY: `perform` has put it there, and its function has not been left.
    let Initialisation {
        address,
        object,
        pc,
        outer,
    } = unsafe { innermost.cast::<Initialisation>().read() };
    *innermost = outer;
    let mut op = Op::new(OpKind::OnceLeave, object);
    op.argument = u16::from(is_done);
    operate_on(address, op, pc, |_| {
        let this = runtime();
        this.clocks.release(this.current, object);
    });
}

unsafe extern "C" {
    /// Calls a routine, and lets `unwind` know if an unwinder takes its frame down.
    fn call_guarded(routine: unsafe extern "C" fn());
}

core::arch::global_asm!(
    ".hidden call_guarded",
    ".globl call_guarded",
    "call_guarded:",
    ".cfi_startproc",
    // The address of the function, relative to this place, in four bytes.
    ".cfi_personality 0x1b, {unwind}",
    "sub rsp, 8",
    ".cfi_adjust_cfa_offset 8",
    "call rdi",
    "add rsp, 8",
    ".cfi_adjust_cfa_offset -8",
    "ret",
    ".cfi_endproc",
    unwind = sym unwind,
);

/// Called by the unwinder of the program, first to ask whether the exception ends here, which it does not, and then
/// when it takes the frame of `call_guarded` down: the initialisation has not happened, as with the C library.
// SAFETY: called with what the ABI of exceptions says.
unsafe extern "C" fn unwind(
    _version: c_int,
    actions: c_int,
    _class: u64,
    _exception: *mut c_void,
    _context: *mut c_void,
) -> c_int {
    const CLEANUP: c_int = 2;
    const CONTINUE: c_int = 8;
    if actions & CLEANUP != 0 && running().is_some() {
        leave(false);
    }
    CONTINUE
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
