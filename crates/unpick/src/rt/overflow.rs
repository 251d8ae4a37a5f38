//! Turns a task that runs out of stack into an outcome.
//!
//! A fiber's stack ends in a page that cannot be touched. The handler below recognises a fault there
//! and goes on in the host instead; every other fault goes on to the handler that
//! was there before.

/// Installs the handler, once for the process.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(unpick_relay)))]
pub(super) fn install() {
    use std::sync::Once;
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        for (signal, previous) in [(libc::SIGSEGV, &raw mut SEGV), (libc::SIGBUS, &raw mut BUS)] {
            // SAFETY: the structures are valid, and this runs once, before any fiber does.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handle as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&mut action.sa_mask);
                libc::sigaction(signal, &action, previous);
            }
        }
    });
}

/// Nothing to install: a task that runs out of stack ends the process here.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(unpick_relay))))]
pub(super) fn install() {}

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(unpick_relay)))]
// SAFETY: an all-zero action is valid; it is overwritten before the handler can run.
static mut SEGV: libc::sigaction = unsafe { std::mem::zeroed() };
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(unpick_relay)))]
// SAFETY: as above.
static mut BUS: libc::sigaction = unsafe { std::mem::zeroed() };

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(unpick_relay)))]
extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    use super::runtime::note_fault;
    use libc::{REG_RBP, REG_RBX, REG_RIP, REG_RSP};
    // SAFETY: the kernel passes a valid context.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let stack_pointer = registers[REG_RSP as usize] as usize;
    // SAFETY: the kernel passes valid information; for these signals it holds an address.
    let fault = unsafe { (*info).si_addr() } as usize;
    if let Some(values) = note_fault(stack_pointer, fault) {
        for (register, value) in [REG_RIP, REG_RBX, REG_RBP, REG_RSP].into_iter().zip(values) {
            registers[register as usize] = value as i64;
        }
        return;
    }
    // SAFETY: `install` has filled both before this could run.
    let previous = unsafe { if signal == libc::SIGSEGV { SEGV } else { BUS } };
    match previous.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: putting the old action back; the fault repeats and takes it.
            unsafe { libc::sigaction(signal, &previous, std::ptr::null_mut()) };
        }
        address if previous.sa_flags & libc::SA_SIGINFO != 0 => {
            type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);
            // SAFETY: the flag says that the address is such a function.
            let handler: Handler = unsafe { std::mem::transmute(address) };
            handler(signal, info, context);
        }
        address => {
            type Handler = extern "C" fn(libc::c_int);
            // SAFETY: without the flag the address is such a function.
            let handler: Handler = unsafe { std::mem::transmute(address) };
            handler(signal);
        }
    }
}
