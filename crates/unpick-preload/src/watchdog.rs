//! What the driver can do about a task that never comes back: ask where it is, and end it.

use crate::away;
use crate::context::thread_pointer;
use crate::instrumented;
use crate::real;
use crate::runtime::watching;
use crate::sys;
use core::ffi::{c_int, c_void};
use core::mem::zeroed;
use core::sync::atomic::Ordering;
use unpick_protocol::{Backend, LOOK_SIGNAL};

/// Answers the driver's question from now on.
///
/// # Safety
///
/// Called once, before the program begins.
pub unsafe fn install() {
    // SAFETY: the handler expects three arguments, as the flag says.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = tell as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        real::sigaction()(LOOK_SIGNAL, &action, core::ptr::null_mut());
    }
}

/// Makes a forked execution end when its controller does: the driver knows that one only.
pub fn die_with_parent() {
    let arguments = [
        i64::from(libc::PR_SET_PDEATHSIG),
        i64::from(libc::SIGKILL),
        0,
        0,
        0,
        0,
    ];
    // SAFETY: concerns nothing but this process.
    unsafe {
        sys::call(libc::SYS_prctl, arguments);
        // The parent may have died before.
        if sys::call(libc::SYS_getppid, [0; 6]) == 1 {
            sys::exit_process(sys::INTERNAL_ERROR);
        }
    }
}

// SAFETY: called by the kernel. Only reads what the task that runs does not change while it is
// interrupted, and allocates nothing.
unsafe extern "C" fn tell(_signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(runtime) = watching() else { return };
    let desk = runtime.desk();
    if desk.wish.swap(0, Ordering::AcqRel) != 0 {
        away::consider(runtime);
        return;
    }
    let Some(task) = runtime.tasks.get(runtime.current.index()) else {
        return;
    };
    let slot = &runtime.slots[task.slot];
    // Among threads, the one that runs knows best where it is.
    if runtime.launch.backend == Backend::Threads && slot.handle != thread_pointer() {
        let thread = slot.thread.load(Ordering::Relaxed);
        // SAFETY: a thread of this process, which handles this signal.
        unsafe {
            let process = sys::call(libc::SYS_getpid, [0; 6]);
            let signal = i64::from(LOOK_SIGNAL);
            sys::call(libc::SYS_tgkill, [process, thread.into(), signal, 0, 0, 0]);
        }
        return;
    }
    // SAFETY: what the kernel passes to a handler of this kind.
    let interrupted = unsafe {
        let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        registers[libc::REG_RIP as usize] as usize
    };
    let frames = core::iter::once(interrupted + 1).chain(task.calls.innermost());
    let mut places = desk.running_at.iter();
    for (place, frame) in places.by_ref().zip(frames) {
        place.store(frame as u64, Ordering::Relaxed);
    }
    for place in places {
        place.store(0, Ordering::Relaxed);
    }
    let is_ours = runtime.own_code.contains(&interrupted);
    let is_watched = is_ours || instrumented::is_in(interrupted);
    desk.running_watched
        .store(u32::from(is_watched), Ordering::Relaxed);
    desk.running_task
        .store(runtime.current.index() as u64, Ordering::Relaxed);
    desk.looks.fetch_add(1, Ordering::Release);
}
