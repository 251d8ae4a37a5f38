//! Where a thread is, told to the driver when the program does not come to its end.

use super::thread;
use crate::real;
use core::ffi::{c_int, c_void};
use core::mem::zeroed;
use core::ptr::null_mut;
use core::sync::atomic::Ordering;
use unpick_protocol::{LOOK_SIGNAL, STACK_MAX};

/// Answers the driver's question from now on.
pub fn install() {
    // SAFETY: the handler expects three arguments, as the flag says; the program has not begun.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = tell as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        real::sigaction()(LOOK_SIGNAL, &action, null_mut());
    }
}

// SAFETY: called by the kernel. The C library looks through the stack, for which it may have to load the
// unwinder first: a thread that is interrupted in the allocator would wait for itself. The driver does not
// wait for long, and the program is at its end in any case.
unsafe extern "C" fn tell(_signal: c_int, _info: *mut libc::siginfo_t, _context: *mut c_void) {
    let Some(thread) = thread::known() else {
        return;
    };
    let mut frames = [null_mut(); STACK_MAX];
    // SAFETY: room for so many.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), STACK_MAX as c_int) };
    for (place, frame) in thread.stack.iter().zip(frames) {
        place.store(frame as u64, Ordering::Relaxed);
    }
    let length = count.clamp(0, STACK_MAX as c_int) as u32;
    thread.stack_length.store(length + 1, Ordering::Release);
}
