//! The program as a whole: how it ends, what it may not do.

use crate::away;
use crate::interpose::interpose;
use crate::libraries;
use crate::real;
use crate::runtime::{self, Runtime, fail, running};
use crate::sys;
use alloc::format;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};
use unpick_trace::{Failure, FailureKind, Site};

/// The loader's own end of the process.
static LOADERS_END: AtomicUsize = AtomicUsize::new(0);
/// Where the program called `exit`, if it did.
static EXIT_PC: AtomicUsize = AtomicUsize::new(0);

/// What the C library is to call at the end, instead of the loader. It is told before the program's
/// static objects are made, so that it is called last: handlers and destructors of the program have
/// run by then.
pub fn at_end_instead_of(loaders_end: usize) -> usize {
    LOADERS_END.store(loaders_end, Ordering::Relaxed);
    at_end as *const () as usize
}

// SAFETY: called by the C library, which passes the exit code to all handlers of this kind.
unsafe extern "C" fn at_end(argument: *mut c_void, code: c_int) {
    let is_controlled = running().is_some();
    let address = LOADERS_END.load(Ordering::Relaxed);
    if address != 0 && (!is_controlled || libraries::have_destructors()) {
        // Destructors run here, as part of the execution.
        // SAFETY: the loader passed it for this very purpose.
        unsafe {
            core::mem::transmute::<usize, unsafe extern "C" fn(*mut c_void, c_int)>(address)(
                argument, code,
            );
        }
    }
    if is_controlled {
        // SAFETY: all streams; what the program printed should be seen.
        unsafe { libc::fflush(core::ptr::null_mut()) };
        away::come_back();
        runtime::exit(code, EXIT_PC.load(Ordering::Relaxed));
    }
}

/// Forgets where the last execution called `exit`.
pub fn reset() {
    EXIT_PC.store(0, Ordering::Relaxed);
}

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
    fn exit(code: c_int; pc) -> ! {
        if running().is_some() {
            EXIT_PC.store(pc, Ordering::Relaxed);
        }
        real::exit()(code)
    }

    fn _exit(code: c_int; pc) -> ! {
        if running().is_some() {
            runtime::exit(code, pc);
        }
        real::_exit()(code)
    }

    fn _Exit(code: c_int; pc) -> ! {
        if running().is_some() {
            runtime::exit(code, pc);
        }
        real::_exit()(code)
    }

    fn quick_exit(code: c_int; pc) -> ! {
        if running().is_some() {
            libc::fflush(core::ptr::null_mut());
            away::come_back();
            runtime::exit(code, pc);
        }
        real::quick_exit()(code)
    }

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
        let site = Some(Site { file: file.into(), line, column: 0 });
        runtime.execution.fail(Failure { kind: FailureKind::Abort, task, message, site });
        let _ = pc;
        crate::tasks::leave()
    }

    fn abort(; pc) -> ! {
        if running().is_some() {
            libc::fflush(core::ptr::null_mut());
            away::come_back();
            fail(FailureKind::Abort, "the program aborted", pc);
        }
        real::abort()()
    }
}
