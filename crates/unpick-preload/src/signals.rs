//! Faults of the program: signals that would end it become outcomes. Signals that it sends to itself
//! are modelled.

mod calls;
mod delivery;

pub use delivery::{Pending, deliver, raise};

use crate::interpose::interpose;
use crate::process::signal_name;
use crate::real;
use crate::runtime::{running, runtime};
use crate::sys;
use crate::timestamp;
use alloc::{format, vec::Vec};
use calls::bits;
use core::ffi::{c_int, c_void};
use core::mem::zeroed;
use core::ptr::{null, null_mut};
use delivery::Action;
use unpick_protocol::LOOK_SIGNAL;
use unpick_trace::FailureKind;

/// The signals that end a program by its own fault.
const FATAL: [c_int; 7] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGABRT,
    libc::SIGTRAP,
    libc::SIGSYS,
];

/// The code of a fault that no address caused, from `asm-generic/siginfo.h`.
const SI_KERNEL: c_int = 0x80;

/// Bytes of a stack for handlers.
pub const STACK: usize = 64 << 10;

/// What the program believes of its alternative signal stacks. The kernel has ours: several tasks
/// share one thread of the operating system.
#[derive(Clone, Default)]
pub struct Stacks {
    /// By task number.
    told: Vec<libc::stack_t>,
}

impl Stacks {
    pub fn new() -> Stacks {
        Stacks { told: Vec::new() }
    }

    pub fn reset(&mut self) {
        self.told.clear();
    }

    /// Takes over what another execution believes; keeps the memory.
    pub fn copy_from(&mut self, other: &Stacks) {
        self.told.clone_from(&other.told);
    }

    fn of(&mut self, task: usize) -> &mut libc::stack_t {
        while self.told.len() <= task {
            self.told.push(libc::stack_t {
                ss_sp: null_mut(),
                ss_flags: libc::SS_DISABLE,
                ss_size: 0,
            });
        }
        &mut self.told[task]
    }
}

/// Makes handlers and the mask that the program has from before its `main` part of the model. The kernel
/// calls none of the handlers from now on, which would interrupt the runtime. Nor are signals blocked that the
/// runtime needs.
///
/// # Safety
///
/// Called once, before the program begins and before there are other threads.
pub unsafe fn take_over(pending: &mut Pending) {
    let signals = (1..=64).filter(|signal| !FATAL.contains(signal));
    // SAFETY: zeroes are valid in all structures, and an empty set; there is no handler afterwards.
    unsafe {
        for signal in signals {
            let mut action: libc::sigaction = zeroed();
            let is_known = real::sigaction()(signal, null(), &mut action) == 0;
            if !is_known || [libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction) {
                continue;
            }
            pending.begin_with_action(signal, Action::of(&action));
            action.sa_sigaction = libc::SIG_IGN;
            real::sigaction()(signal, &action, null_mut());
        }
        let (mut needed, mut mask) = (zeroed(), zeroed());
        for signal in FATAL.into_iter().chain([LOOK_SIGNAL]) {
            libc::sigaddset(&mut needed, signal);
        }
        real::sigprocmask()(libc::SIG_UNBLOCK, &needed, &mut mask);
        pending.begin_with_mask(bits(&mask));
    }
}

/// Handles faults from now on.
///
/// # Safety
///
/// Called once, before the program begins, when there are slots.
pub unsafe fn install() {
    runtime().slots[0].make_handler_stack();
    use_stack(0);
    handle_faults(&FATAL);
    // SAFETY: there is no handler.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        // Who writes to a pipe without readers gets it by way of the error.
        action.sa_sigaction = libc::SIG_IGN;
        real::sigaction()(libc::SIGPIPE, &action, null_mut());
    }
}

/// Makes outcomes of some signals.
pub fn handle_faults(signals: &[c_int]) {
    // SAFETY: the handler expects three arguments, as the flag says.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        for &signal in signals {
            real::sigaction()(signal, &action, null_mut());
        }
    }
}

/// Gives the calling thread, which is that of a slot, a stack for handlers.
pub fn use_stack(slot: usize) {
    let memory = runtime().slots[slot].handler_stack();
    let stack = libc::stack_t {
        ss_sp: memory.cast(),
        ss_flags: 0,
        ss_size: STACK,
    };
    let address = &raw const stack as i64;
    // SAFETY: the memory belongs to the slot, which lives as long as the process.
    unsafe { sys::call(libc::SYS_sigaltstack, [address, 0, 0, 0, 0, 0]) };
}

/// What becomes of a fault.
///
/// # Safety
///
/// Called by the kernel, or with what it passes.
pub unsafe extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: what the kernel passes to a handler of this kind.
    let is_answered = unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let is_by_instruction = signal == libc::SIGSEGV && (*info).si_code == SI_KERNEL;
        is_by_instruction && timestamp::answer(registers)
    };
    if is_answered {
        return;
    }
    // SAFETY: what the kernel passes to a handler of this kind.
    let (pc, stack, address) = unsafe {
        let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let pc = registers[libc::REG_RIP as usize] as usize;
        let stack = registers[libc::REG_RSP as usize] as usize;
        (pc, stack, (*info).si_addr() as usize)
    };
    if running().is_none() {
        let text = format!(
            "unpick: internal error: {} at {pc:#x}, address {address:#x}\n",
            signal_name(signal)
        );
        sys::print(text.as_bytes());
        sys::exit_process(sys::INTERNAL_ERROR);
    }
    // A fault just below the stack pointer is a stack that has run out.
    let is_overflow = signal == libc::SIGSEGV && stack.abs_diff(address) < 64 << 10;
    let runtime = runtime();
    // An access that the runtime performs for the program is the program's, at the place of its call.
    let is_own = runtime.own_code.contains(&pc) && !runtime.is_alone();
    let place = if is_own { 0 } else { pc + 1 };
    if is_overflow {
        let message = format!(
            "{} ran out of stack",
            runtime.execution.trace().task_name(runtime.current)
        );
        runtime.fail(FailureKind::StackOverflow, message, place);
    } else if signal == libc::SIGABRT {
        runtime.fail(FailureKind::Abort, "the program aborted".into(), place);
    } else {
        let message = match signal {
            libc::SIGSEGV | libc::SIGBUS => {
                format!("{}: address {address:#x}", signal_name(signal))
            }
            _ => signal_name(signal).into(),
        };
        runtime.fail(FailureKind::Signal, message, place);
    }
    crate::tasks::leave()
}

interpose! {
    fn sigaltstack(new: *const libc::stack_t, old: *mut libc::stack_t; pc) -> c_int {
        let Some(runtime) = running() else {
            return real::sigaltstack()(new, old);
        };
        let task = runtime.current.index();
        let told = runtime.stacks.of(task);
        if !old.is_null() {
            *old = *told;
        }
        if !new.is_null() {
            *told = *new;
        }
        0
    }
}
