//! The program as a whole: what the watchdog and reports have to know of it, and failed assertions.

use crate::away;
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{self, Runtime, running};
use crate::sys;
use alloc::format;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char};
use core::sync::atomic::Ordering;
use unpick_trace::{Failure, FailureKind, Site};

/// Tells the watchdog that no task hangs: a step is made, or all wait for the world outside.
#[inline]
pub fn note_motion(runtime: &mut Runtime) {
    let desk = runtime.desk();
    let steps = desk.steps.load(Ordering::Relaxed);
    desk.steps.store(steps.wrapping_add(1), Ordering::Relaxed);
}

/// The program counters known to touch shared memory.
pub fn shared(runtime: &Runtime) -> Vec<u64> {
    let places = runtime.shadow.shared().export();
    places.into_iter().map(|pc| pc as u64).collect()
}

/// A signal by its name.
pub fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGSEGV => "SIGSEGV (invalid memory access)",
        libc::SIGBUS => "SIGBUS (invalid memory access)",
        libc::SIGILL => "SIGILL (invalid instruction)",
        libc::SIGFPE => "SIGFPE (arithmetic fault)",
        libc::SIGABRT => "SIGABRT (aborted)",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGSYS => "SIGSYS",
        libc::SIGKILL => "SIGKILL (killed, perhaps for want of memory)",
        libc::SIGPIPE => "SIGPIPE (nobody reads the pipe)",
        libc::SIGTERM => "SIGTERM (asked to end)",
        libc::SIGINT => "SIGINT (interrupted)",
        libc::SIGHUP => "SIGHUP",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGALRM => "SIGALRM",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => "a signal that stops",
        _ => "a signal",
    }
}

/// A C string of the program.
///
/// # Safety
///
/// Null, or a string that ends in zero.
unsafe fn text<'a>(pointer: *const c_char) -> &'a str {
    if pointer.is_null() {
        return "";
    }
    // SAFETY: by the caller.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("?")
}

interpose! {
    fn __assert_fail(expression: *const c_char, file: *const c_char, line: u32,
                     function: *const c_char; pc) -> ! {
        if running().is_none() {
            real::__assert_fail()(expression, file, line, function)
        }
        let (expression, file) = (text(expression), text(file));
        let message = format!("assertion `{expression}` failed in {}", text(function));
        let shown = format!("{file}:{line}: {message}\n");
        libc::fflush(core::ptr::null_mut());
        sys::print(shown.as_bytes());
        away::come_back();
        let runtime = runtime::runtime();
        let task = runtime.current;
        let site = Some(Site::new(file, line, 0));
        runtime.execution.fail(Failure { kind: FailureKind::Abort, task, message, site });
        let _ = pc;
        crate::tasks::leave()
    }
}
