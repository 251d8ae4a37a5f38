//! The functions by which a program sends, blocks and awaits signals.

use super::FATAL;
use super::delivery::{
    Action, bit, deliver, point, raise as raise_now, receiver, send, send_to_all,
};
use crate::interpose::interpose;
use crate::real;
use crate::runtime::{refuse, running, runtime};
use crate::sys::set_errno;
use crate::time::{Limit, nanoseconds};
use crate::waiting::{self, Waited, Wanted};
use core::ffi::c_int;
use core::mem::zeroed;
use unpick_protocol::TroubleKind;

/// A set of signals as the C library has it: the first word holds all there are.
type Set = libc::sigset_t;

/// # Safety
///
/// A set of the program.
pub unsafe fn bits(set: *const Set) -> u64 {
    // SAFETY: by the caller; a set is made of words.
    unsafe { *set.cast::<u64>() }
}

impl Action {
    /// An action as the C library has it.
    pub fn of(action: &libc::sigaction) -> Action {
        Action {
            handler: action.sa_sigaction,
            flags: action.sa_flags,
            // SAFETY: a set.
            mask: unsafe { bits(&action.sa_mask) },
        }
    }
}

fn is_signal(signal: c_int) -> bool {
    (1..=64).contains(&signal)
}

/// Waits for one of some signals; `None` if the time is over.
fn await_one(signals: u64, limit_ns: Option<u64>, pc: usize) -> Option<c_int> {
    let limit = Limit::from_here(limit_ns);
    loop {
        point(pc);
        let this = runtime();
        let task = this.current.index();
        if let Some(signal) = this.pending.take(task, signals) {
            return Some(signal);
        }
        if limit_ns == Some(0) {
            return None;
        }
        if waiting::wait(&wanted(signals), limit, pc) == Waited::TimedOut {
            return None;
        }
    }
}

fn wanted(signals: u64) -> Wanted<'static> {
    Wanted {
        files: &[],
        signals,
        is_outside: false,
        is_inside: true,
        name: "a signal".into(),
    }
}

/// Waits until a handler has run.
fn await_handler(pc: usize) -> c_int {
    while waiting::wait(&wanted(0), Limit::Never, pc) == Waited::Woken {}
    set_errno(libc::EINTR);
    -1
}

/// # Safety
///
/// Each is null, or a set of the program.
unsafe fn change_mask(how: c_int, new: *const Set, old: *mut Set) -> c_int {
    let this = runtime();
    let mask = this.pending.mask(this.current.index());
    // SAFETY: by the caller; zeroes are an empty set.
    unsafe {
        if !old.is_null() {
            *old = zeroed();
            *old.cast::<u64>() = *mask;
        }
        if !new.is_null() {
            *mask = match how {
                libc::SIG_BLOCK => *mask | bits(new),
                libc::SIG_UNBLOCK => *mask & !bits(new),
                libc::SIG_SETMASK => bits(new),
                _ => return libc::EINVAL,
            };
        }
    }
    deliver();
    0
}

fn set_action(signal: c_int, action: Action) {
    *runtime().pending.action(signal) = action;
}

/// What the functions of the kind of `signal` do, which differ in the flags. `None` where there is nothing to model.
fn set_handler(signal: c_int, handler: usize, flags: c_int) -> Option<usize> {
    if running().is_none() || !is_signal(signal) {
        return None;
    }
    let old = runtime().pending.action(signal).handler;
    if !FATAL.contains(&signal) {
        set_action(
            signal,
            Action {
                handler,
                flags,
                mask: 0,
            },
        );
    }
    Some(old)
}

/// Flags of handlers by System V.
const ONCE: c_int = libc::SA_RESETHAND | libc::SA_NODEFER;

interpose! {
    fn sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction; pc) -> c_int {
        if running().is_none() || !is_signal(signal) {
            return real::sigaction()(signal, new, old);
        }
        // Faults are ours. A program that asks is told that somebody handles them: Rust's standard
        // library then leaves them alone, and needs no stacks for its own handlers.
        let mut known = *runtime().pending.action(signal);
        if FATAL.contains(&signal) {
            known.handler = super::handle as *const () as usize;
        }
        if !old.is_null() {
            *old = zeroed();
            (*old).sa_sigaction = known.handler;
            (*old).sa_flags = known.flags;
            *(&raw mut (*old).sa_mask).cast::<u64>() = known.mask;
        }
        if !new.is_null() && !FATAL.contains(&signal) {
            set_action(signal, Action::of(&*new));
        }
        0
    }

    fn signal(signal: c_int, handler: usize; pc) -> usize {
        let old = set_handler(signal, handler, libc::SA_RESTART);
        old.unwrap_or_else(|| real::signal()(signal, handler))
    }

    fn bsd_signal(signal: c_int, handler: usize; pc) -> usize {
        let old = set_handler(signal, handler, libc::SA_RESTART);
        old.unwrap_or_else(|| real::signal()(signal, handler))
    }

    fn ssignal(signal: c_int, handler: usize; pc) -> usize {
        let old = set_handler(signal, handler, libc::SA_RESTART);
        old.unwrap_or_else(|| real::signal()(signal, handler))
    }

    fn sysv_signal(signal: c_int, handler: usize; pc) -> usize {
        let old = set_handler(signal, handler, ONCE);
        old.unwrap_or_else(|| real::__sysv_signal()(signal, handler))
    }

    /// `signal` in programs that are compiled by a strict standard, such as `-std=c11`.
    fn __sysv_signal(signal: c_int, handler: usize; pc) -> usize {
        let old = set_handler(signal, handler, ONCE);
        old.unwrap_or_else(|| real::__sysv_signal()(signal, handler))
    }

    fn siginterrupt(signal: c_int, interrupts: c_int; pc) -> c_int {
        if running().is_none() || !is_signal(signal) {
            return real::siginterrupt()(signal, interrupts);
        }
        let flags = &mut runtime().pending.action(signal).flags;
        match interrupts {
            0 => *flags |= libc::SA_RESTART,
            _ => *flags &= !libc::SA_RESTART,
        }
        0
    }

    fn raise(signal: c_int; pc) -> c_int {
        if running().is_none() || !is_signal(signal) {
            return real::raise()(signal);
        }
        point(pc);
        raise_now(signal, pc);
        0
    }

    fn gsignal(signal: c_int; pc) -> c_int {
        if running().is_none() || !is_signal(signal) {
            return real::raise()(signal);
        }
        point(pc);
        raise_now(signal, pc);
        0
    }

    fn kill(process: c_int, signal: c_int; pc) -> c_int {
        if running().is_none() || signal == 0 {
            return real::kill()(process, signal);
        }
        if !is_signal(signal) {
            set_errno(libc::EINVAL);
            return -1;
        }
        if process != libc::getpid() && process != 0 {
            refuse(TroubleKind::Unmodelled, "kill of another process", pc);
        }
        point(pc);
        send_to_all(signal, pc);
        0
    }

    fn pthread_kill(thread: libc::pthread_t, signal: c_int; pc) -> c_int {
        if running().is_none() {
            return real::pthread_kill()(thread, signal);
        }
        if signal != 0 && !is_signal(signal) {
            return libc::EINVAL;
        }
        point(pc);
        match receiver(thread as usize) {
            None => libc::ESRCH,
            Some(task) => {
                if signal != 0 && !runtime().execution.is_finished(task) {
                    send(task, signal, pc);
                }
                0
            }
        }
    }

    fn pthread_sigmask(how: c_int, new: *const Set, old: *mut Set; pc) -> c_int {
        if running().is_none() {
            return real::pthread_sigmask()(how, new, old);
        }
        change_mask(how, new, old)
    }

    fn sigprocmask(how: c_int, new: *const Set, old: *mut Set; pc) -> c_int {
        if running().is_none() {
            return real::sigprocmask()(how, new, old);
        }
        match change_mask(how, new, old) {
            0 => 0,
            error => {
                set_errno(error);
                -1
            }
        }
    }

    fn sigpending(out: *mut Set; pc) -> c_int {
        if running().is_none() {
            return real::sigpending()(out);
        }
        let this = runtime();
        let task = this.current.index();
        let coming = this.pending.coming(task) & *this.pending.mask(task);
        *out = zeroed();
        *out.cast::<u64>() = coming;
        0
    }

    fn sigwait(set: *const Set, out: *mut c_int; pc) -> c_int {
        if running().is_none() {
            return real::sigwait()(set, out);
        }
        if let Some(signal) = await_one(bits(set), None, pc) {
            *out = signal;
        }
        0
    }

    fn sigwaitinfo(set: *const Set, info: *mut libc::siginfo_t; pc) -> c_int {
        if running().is_none() {
            return real::sigwaitinfo()(set, info);
        }
        let signal = await_one(bits(set), None, pc).unwrap_or(-1);
        tell(info, signal);
        signal
    }

    fn sigtimedwait(set: *const Set, info: *mut libc::siginfo_t, time: *const libc::timespec; pc)
            -> c_int {
        if running().is_none() {
            return real::sigtimedwait()(set, info, time);
        }
        let limit_ns = (!time.is_null()).then(|| nanoseconds(time));
        match await_one(bits(set), limit_ns, pc) {
            Some(signal) => {
                tell(info, signal);
                signal
            }
            None => {
                set_errno(libc::EAGAIN);
                -1
            }
        }
    }

    fn pause(; pc) -> c_int {
        if running().is_none() {
            return real::pause()();
        }
        point(pc);
        await_handler(pc)
    }

    fn sigsuspend(set: *const Set; pc) -> c_int {
        if running().is_none() {
            return real::sigsuspend()(set);
        }
        let wanted = bits(set);
        point(pc);
        let this = runtime();
        let task = this.current.index();
        let before = core::mem::replace(this.pending.mask(task), wanted);
        this.pending.take_handled(task);
        deliver();
        if runtime().pending.take_handled(task).is_none() {
            await_handler(pc);
        }
        *runtime().pending.mask(task) = before;
        set_errno(libc::EINTR);
        -1
    }
}

/// Tells the program which signal has come.
///
/// # Safety
///
/// Null, or where the program wants it.
unsafe fn tell(info: *mut libc::siginfo_t, signal: c_int) {
    if !info.is_null() {
        // SAFETY: by the caller; zeroes are valid.
        unsafe {
            *info = zeroed();
            (*info).si_signo = signal;
            debug_assert!(bit(signal) != 0);
        }
    }
}
