//! Processes that end with the one that started them, however that ends: nothing outlives a command.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

/// Has a command that is about to be started be asked to end when the thread that starts it ends.
pub fn end_with_us(command: &mut Command) {
    let us = std::process::id();
    // SAFETY: only system calls between fork and exec.
    unsafe {
        command.pre_exec(move || {
            ask()?;
            // It may have ended before it could be watched.
            match libc::getppid() as u32 == us {
                true => Ok(()),
                false => Err(io::Error::from_raw_os_error(libc::ESRCH)),
            }
        });
    }
}

/// Has this process be asked to end when the one that started it ends.
///
/// # Errors
/// If the kernel does not know how.
pub fn end_with_parent() -> io::Result<()> {
    ask()
}

/// Has the kernel ask this process to end when its parent does.
fn ask() -> io::Result<()> {
    // SAFETY: only a system call, which concerns this process.
    match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM as libc::c_ulong) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Asks a process that was started to end.
pub fn ask_to_end(child: &Child) {
    // SAFETY: a process of ours that has not been waited for.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
}
