//! The system calls of the program, wherever they are made: in its prelude, and behind that up to the
//! first one.
//!
//! The kernel turns every call from code other than the runtime's own into a signal (*syscall user
//! dispatch*, Linux 5.11). One of the prelude that only asks is made on behalf of the program. Before any
//! other one the watch ends, and the program makes it itself.

use crate::signals;
use crate::sys;
use core::arch::naked_asm;
use core::ffi::{c_int, c_void};
use core::ops::Range;
use core::sync::atomic::{AtomicU8, Ordering};

const SET_DISPATCH: i64 = 59;
const ON: i64 = 1;
const OFF: i64 = 0;
/// What a signal that stands for a system call is marked with.
const IS_DISPATCH: c_int = 2;
/// Bytes of the instruction that makes a system call.
const CALL_BYTES: i64 = 2;

const ALLOW: u8 = 0;
const BLOCK: u8 = 1;
/// The kernel looks here whether calls become signals.
static SELECTOR: AtomicU8 = AtomicU8::new(ALLOW);

/// What to do with a signal, as the kernel takes it.
#[repr(C)]
struct Action {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

const HAS_RESTORER: u64 = 0x0400_0000;

/// Watches the calling thread from now on, but for calls from some code. Answers whether this kernel
/// can.
pub fn watch(own_code: &Range<usize>) -> bool {
    let selector = SELECTOR.as_ptr() as i64;
    let (start, length) = (own_code.start as i64, own_code.len() as i64);
    if !dispatch(ON, start, length, selector) {
        return false;
    }
    // The C library would leave the handler by a system call of its own.
    let flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
    set_action(&Action {
        handler: handle as *const () as usize,
        flags: flags as u64 | HAS_RESTORER,
        restorer: return_from_signal as *const () as usize,
        mask: 0,
    });
    SELECTOR.store(BLOCK, Ordering::Relaxed);
    true
}

/// Ends the watch.
pub fn ignore() {
    SELECTOR.store(ALLOW, Ordering::Relaxed);
    dispatch(OFF, 0, 0, 0);
    signals::handle_faults(&[libc::SIGSYS]);
}

/// Whether the calling thread is watched.
pub fn is_watching() -> bool {
    SELECTOR.load(Ordering::Relaxed) == BLOCK
}

fn dispatch(mode: i64, start: i64, length: i64, selector: i64) -> bool {
    let arguments = [SET_DISPATCH, mode, start, length, selector, 0];
    // SAFETY: the selector lives as long as the process.
    unsafe { sys::call(libc::SYS_prctl, arguments) == 0 }
}

fn set_action(action: &Action) {
    let (signal, size) = (libc::SIGSYS.into(), size_of::<u64>() as i64);
    let action = core::ptr::from_ref(action) as i64;
    // SAFETY: the handler takes what the flags say.
    unsafe { sys::call(libc::SYS_rt_sigaction, [signal, action, 0, size, 0, 0]) };
}

// SAFETY: the kernel lets handlers return here.
#[unsafe(naked)]
unsafe extern "C" fn return_from_signal() {
    naked_asm!("mov eax, {number}", "syscall", number = const libc::SYS_rt_sigreturn)
}

// SAFETY: called by the kernel.
unsafe extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: what the kernel passes to a handler of this kind; the program is at a system call, so
    // that nothing of the runtime is interrupted.
    unsafe {
        if (*info).si_code != IS_DISPATCH {
            signals::handle(signal, info, context);
            return;
        }
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let argument = |register: c_int| registers[register as usize];
        let number = argument(libc::REG_RAX);
        let arguments = [
            argument(libc::REG_RDI),
            argument(libc::REG_RSI),
            argument(libc::REG_RDX),
            argument(libc::REG_R10),
            argument(libc::REG_R8),
            argument(libc::REG_R9),
        ];
        if super::is_running() && only_asks(number, &arguments) {
            registers[libc::REG_RAX as usize] = sys::call(number, arguments);
        } else {
            super::spoil();
            ignore();
            registers[libc::REG_RIP as usize] -= CALL_BYTES;
        }
    }
}

/// Whether a call changes nothing but memory that the program passes, and would give the same again.
fn only_asks(number: i64, arguments: &[i64; 6]) -> bool {
    let request = arguments[1];
    match number {
        libc::SYS_fstat
        | libc::SYS_stat
        | libc::SYS_lstat
        | libc::SYS_newfstatat
        | libc::SYS_access
        | libc::SYS_readlink
        | libc::SYS_getcwd
        | libc::SYS_uname
        | libc::SYS_getpid
        | libc::SYS_getppid
        | libc::SYS_gettid
        | libc::SYS_getuid
        | libc::SYS_geteuid
        | libc::SYS_getgid
        | libc::SYS_getegid
        | libc::SYS_sched_getaffinity => true,
        libc::SYS_ioctl => request == libc::TCGETS as i64 || request == libc::TIOCGWINSZ as i64,
        libc::SYS_fcntl => {
            request == i64::from(libc::F_GETFD) || request == i64::from(libc::F_GETFL)
        }
        // Without a new limit, of this very process.
        libc::SYS_prlimit64 => arguments[2] == 0,
        _ => false,
    }
}
