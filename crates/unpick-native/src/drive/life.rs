//! Whether a process of the program lives, and its end.

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

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
            Life::Forked(_) => desk.worker.load(Ordering::Relaxed),
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

    /// Waits for the end of a process that was launched.
    pub fn wait(&mut self) {
        if let Life::Launched(child) = self {
            let _ = child.wait();
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

    fn end(&self) -> Option<ExitStatus> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.try_wait().ok().flatten()
    }

    /// Ends all that were forked. It is left to reap them: nobody else might do so.
    fn kill(&self) {
        let alive = self.desks.iter().filter(|desk| desk.top().end().is_none());
        for desk in alive {
            match desk.top().worker.load(Ordering::Relaxed) {
                // Perhaps it was not even forked: then it must not be, and if it was, it dies as well.
                0 => {
                    let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
                    let _ = child.kill();
                }
                // SAFETY: a process that has not been reaped.
                process => unsafe {
                    libc::kill(process as libc::pid_t, libc::SIGKILL);
                },
            }
        }
    }
}

impl Drop for Nursery {
    fn drop(&mut self) {
        self.kill();
        let child = self.child.get_mut();
        let _ = child.unwrap_or_else(PoisonError::into_inner).wait();
    }
}
