//! The process from which others are forked before `main`, to work together.
//!
//! It does nothing but wait for them, and tells the driver how each has ended.

use crate::{real, sys, watchdog};
use unpick_protocol::{DESKS_MAX, Desk};

/// Forks a process for each desk; returns in each of them, with its number. Allocates nothing: the arena
/// at hand is that of all of them.
pub fn fork_for_each(desks: &[Option<&Desk>]) -> usize {
    // The driver may be killed; nobody should stay behind.
    // SAFETY: concerns nothing but this process.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    let mut children = [0; DESKS_MAX];
    for (number, place) in children[..desks.len()].iter_mut().enumerate() {
        // SAFETY: nothing of the program runs yet.
        match unsafe { real::fork()() } {
            0 => {
                watchdog::die_with_parent();
                return number;
            }
            child if child > 0 => *place = child,
            _ => {
                sys::print(b"unpick: cannot fork a process for each of --jobs\n");
                sys::exit_process(sys::INTERNAL_ERROR);
            }
        }
    }
    wait_for(&children, desks)
}

fn wait_for(children: &[i32], desks: &[Option<&Desk>]) -> ! {
    loop {
        let mut status: i32 = 0;
        let arguments = [-1, &raw mut status as i64, 0, 0, 0, 0];
        // SAFETY: the kernel writes the status.
        let ended = unsafe { sys::call(libc::SYS_wait4, arguments) };
        if ended == i64::from(-libc::ECHILD) {
            sys::exit_process(0);
        }
        let is_it = |&child: &i32| i64::from(child) == ended;
        let number = children.iter().position(is_it);
        if let Some(desk) = number.and_then(|number| desks[number]) {
            desk.set_end(status);
        }
    }
}
