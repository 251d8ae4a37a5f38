//! Whether a process of the program lives, and its end.
//!
//! The program can write to all memory that it shares with the driver, so that a number of a process that is read there
//! may be any: -1 stands for all processes of the user. A number counts only if the kernel says that it is that of a
//! process in the group of the one that the driver has launched. Nothing is waited for without a limit.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use unpick_protocol::Desk;

use super::desk::SharedDesk;

/// How we came by a process.
pub(super) enum Life {
    /// We have launched it.
    Launched(Child),
    /// A process that we have launched has forked it.
    Forked(Arc<Nursery>),
}

impl Life {
    /// The number of the process at a desk; zero if it is not known.
    pub fn process(&self, desk: &Desk) -> u32 {
        match self {
            Life::Launched(child) => child.id(),
            Life::Forked(_) => self.checked(desk.worker.load(Ordering::Relaxed)),
        }
    }

    /// A number that was read where the program can write, if it is that of a process of the program; zero otherwise.
    pub fn checked(&self, process: u32) -> u32 {
        let group = match self {
            Life::Launched(child) => child.id(),
            Life::Forked(nursery) => nursery.child().id(),
        };
        match is_of_group(process, group) {
            true => process,
            false => 0,
        }
    }

    /// How the process at a desk has ended, if it has.
    pub fn end(&mut self, desk: &Desk) -> Option<ExitStatus> {
        match self {
            Life::Launched(child) => child.try_wait().ok().flatten(),
            Life::Forked(nursery) => {
                let own = desk.end().map(ExitStatus::from_raw);
                own.or_else(|| nursery.end())
            }
        }
    }

    /// Waits for the end of a process that was launched and says that it ends. One that does not is ended.
    pub fn wait(&mut self) {
        if let Life::Launched(child) = self {
            wait_or_kill(child);
        }
    }

    /// Ends the process, and all that were forked with it.
    pub fn kill(&mut self) {
        match self {
            Life::Launched(child) => {
                let _ = child.kill();
            }
            Life::Forked(nursery) => nursery.kill(),
        }
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if let Life::Launched(child) = self {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The process that was launched to fork others, and ends after them.
pub(super) struct Nursery {
    child: Mutex<Child>,
    desks: Vec<Arc<SharedDesk>>,
}

impl Nursery {
    pub fn new(child: Child, desks: Vec<Arc<SharedDesk>>) -> Nursery {
        Nursery {
            child: Mutex::new(child),
            desks,
        }
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) -> Option<ExitStatus> {
        self.child().try_wait().ok().flatten()
    }

    /// Ends all that were forked. The process that has forked them reaps them: no other process might do so.
    fn kill(&self) {
        let mut child = self.child();
        let alive = self.desks.iter().filter(|desk| desk.top().end().is_none());
        for desk in alive {
            let process = desk.top().worker.load(Ordering::Relaxed);
            if is_of_group(process, child.id()) {
                // SAFETY: a process of the program, as was seen.
                unsafe { libc::kill(process as libc::pid_t, libc::SIGKILL) };
            } else {
                // Perhaps it was not even forked: then it must not be, and if it was, it dies as well.
                let _ = child.kill();
            }
        }
    }
}

impl Drop for Nursery {
    fn drop(&mut self) {
        self.kill();
        wait_or_kill(&mut self.child());
    }
}

/// Whether a number is that of a process in the group of a child that was not waited for.
fn is_of_group(process: u32, group: u32) -> bool {
    let Ok(process) = libc::pid_t::try_from(process) else {
        return false;
    };
    // SAFETY: only asks.
    process > 1 && u32::try_from(unsafe { libc::getpgid(process) }) == Ok(group)
}

/// Waits for a child that is about to end, and ends it if it takes too long.
fn wait_or_kill(child: &mut Child) {
    const WAIT: Duration = Duration::from_secs(2);
    const LOOK: Duration = Duration::from_millis(1);
    let start = Instant::now();
    while let Ok(None) = child.try_wait() {
        if start.elapsed() > WAIT {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    #[test]
    fn only_processes_of_the_group_are_signalled() {
        let mut child = Command::new("sleep");
        let mut child = child.arg("100").process_group(0).spawn().unwrap();
        let group = child.id();
        assert!(is_of_group(group, group));
        // All processes of the user, the group of this one, and init; another process.
        for other in [u32::MAX, 0, 1, std::process::id()] {
            assert!(!is_of_group(other, group), "{other}");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_of_group(group, group), "it has ended");
    }

    #[test]
    fn a_process_that_does_not_end_is_ended() {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        wait_or_kill(&mut child);
        assert!(child.try_wait().unwrap().is_some());
    }
}
