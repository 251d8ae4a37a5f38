//! `pthread_exit`: the functions that a task is in are left one after the other, with their cleanup.
//!
//! Destructors of C++ and handlers of code with exceptions run by way of the unwinder of the program,
//! if it has one. Handlers that plain C has pushed are known from where the compiler's macro registers
//! them: jumping back into such a function runs the handler, and comes back here.

use crate::away;
use crate::free;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{running, runtime};
use crate::tasks;
use alloc::boxed::Box;
use core::ffi::{c_int, c_void};
use core::mem::transmute;
use core::sync::atomic::{AtomicUsize, Ordering};

/// What the unwinder carries along.
#[repr(C, align(16))]
struct Exception {
    words: [u64; 4],
}

/// Where `setjmp` was, as the C library lays it out for a handler, with our use of the rest.
#[repr(C)]
struct Handler {
    registers: [u64; 8],
    mask_was_saved: c_int,
    /// The handler pushed before.
    next: *mut Handler,
    rest: [usize; 3],
}

type Stop = unsafe extern "C" fn(c_int, c_int, u64, *mut c_void, *mut c_void, *mut c_void) -> c_int;
type ForcedUnwind = unsafe extern "C" fn(*mut Exception, Stop, *mut c_void) -> c_int;
type FrameAddress = unsafe extern "C" fn(*mut c_void) -> usize;

/// `_URC_NO_REASON`: go on with the next function.
const GO_ON: c_int = 0;
const END_OF_STACK: c_int = 16;

static FORCED_UNWIND: AtomicUsize = AtomicUsize::new(0);
static FRAME_ADDRESS: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    fn _longjmp(buffer: *mut Handler, value: c_int) -> !;
}

/// Looks for an unwinder in the program.
pub fn look_up() {
    let find = |name: &core::ffi::CStr| {
        // SAFETY: a name that ends in zero; the answer is an address or null.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as usize }
    };
    FORCED_UNWIND.store(find(c"_Unwind_ForcedUnwind"), Ordering::Relaxed);
    FRAME_ADDRESS.store(find(c"_Unwind_GetCFA"), Ordering::Relaxed);
}

/// Leaves all functions that the running task is in, then ends it.
fn leave_all() -> ! {
    let forced = FORCED_UNWIND.load(Ordering::Relaxed);
    if forced != 0 && FRAME_ADDRESS.load(Ordering::Relaxed) != 0 {
        // Not on the stack, which is taken down meanwhile.
        let exception = Box::into_raw(Box::new(Exception { words: [0; 4] }));
        // SAFETY: the function of that name has that signature. It comes back only if it fails.
        unsafe {
            let forced: ForcedUnwind = transmute(forced);
            forced(exception, stop, core::ptr::null_mut());
        }
    }
    run_handler();
    tasks::end_task()
}

/// Runs the innermost handler that plain C has pushed, if there is one: then it does not return.
fn run_handler() {
    let this = runtime();
    let handlers = &mut this.tasks[this.current.index()].handlers;
    let handler = (*handlers).cast::<Handler>();
    if !handler.is_null() {
        // SAFETY: the function that pushed it has not been left, and jumps to its handler.
        unsafe {
            *handlers = (*handler).next.cast();
            _longjmp(handler, 1);
        }
    }
}

// SAFETY: called by the unwinder for every function that is left.
unsafe extern "C" fn stop(
    _version: c_int,
    actions: c_int,
    _class: u64,
    _exception: *mut c_void,
    context: *mut c_void,
    _argument: *mut c_void,
) -> c_int {
    // SAFETY: found by that name before the program began.
    let frame = unsafe {
        let address: FrameAddress = transmute(FRAME_ADDRESS.load(Ordering::Relaxed));
        address(context)
    };
    away::come_back();
    let this = runtime();
    let task = &this.tasks[this.current.index()];
    let is_last = actions & END_OF_STACK != 0 || frame >= task.base;
    // A handler lies in the frame of the function that pushed it.
    if !task.handlers.is_null() && (is_last || (task.handlers as usize) < frame) {
        run_handler();
    }
    if is_last {
        tasks::end_task();
    }
    GO_ON
}

interpose! {
    fn pthread_exit(value: *mut c_void; pc) -> ! {
        if running().is_none() {
            free::leave(pc);
            real::pthread_exit()(value)
        }
        tasks::set_result(value);
        leave_all()
    }

    fn __pthread_register_cancel(handler: *mut Handler; pc) {
        let Some(this) = running() else {
            return real::__pthread_register_cancel()(handler.cast());
        };
        let handlers = &mut this.tasks[this.current.index()].handlers;
        (*handler).next = (*handlers).cast();
        *handlers = handler.cast();
    }

    fn __pthread_unregister_cancel(handler: *mut Handler; pc) {
        let Some(this) = running() else {
            return real::__pthread_unregister_cancel()(handler.cast());
        };
        this.tasks[this.current.index()].handlers = (*handler).next.cast();
    }

    fn __pthread_unwind_next(handler: *mut Handler; pc) -> ! {
        if running().is_none() {
            real::__pthread_unwind_next()(handler.cast())
        }
        leave_all()
    }
}
