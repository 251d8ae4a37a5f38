//! All actors of a program, from the first to the end of the last.

use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use unpick::mailbox::quiesce;
use unpick::thread::Thread;

/// The actors of a program. When it is dropped in a test, the actors handle what there is to do, and end.
#[derive(Debug)]
pub struct System {
    handle: Handle,
    is_stopped: bool,
}

impl System {
    /// A system without actors, under the control of the exploration.
    ///
    /// # Panics
    /// Outside an exploration.
    #[track_caller]
    pub fn new() -> System {
        assert!(
            unpick::is_exploring(),
            "a system of actors is made outside an exploration; make it inside the closure that is explored"
        );
        System {
            handle: Handle(Arc::default()),
            is_stopped: false,
        }
    }

    /// Waits until all messages are handled and no actor has anything to do. If one of them waits for
    /// something else by then, that is a deadlock.
    #[track_caller]
    pub fn quiesce(&self) {
        quiesce();
    }

    /// Lets the actors handle what there is to do, and ends them, in the order in which they were created.
    #[track_caller]
    pub fn stop(mut self) {
        self.end();
    }

    #[track_caller]
    fn end(&mut self) {
        if self.is_stopped {
            return;
        }
        self.is_stopped = true;
        quiesce();
        let mut ended = 0;
        // Actors can create others while they end.
        while let Some(member) = self.handle.member(ended) {
            ended += 1;
            if !member.about().has_ended.load(Ordering::Relaxed) {
                member.close();
                member.about().wait_for_end();
            }
        }
    }
}

impl Default for System {
    fn default() -> System {
        System::new()
    }
}

impl Deref for System {
    type Target = Handle;

    fn deref(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for System {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.end();
        }
    }
}

/// A system, as its actors know it.
#[derive(Clone, Default)]
pub struct Handle(Arc<Shared>);

#[derive(Default)]
struct Shared {
    members: Mutex<Vec<Arc<dyn Member>>>,
}

/// An actor, whatever its messages are.
pub(crate) trait Member: Send + Sync {
    fn about(&self) -> &About;

    /// Nothing will be sent any more.
    fn close(&self);
}

/// What everybody may know of an actor.
pub(crate) struct About {
    pub name: String,
    pub has_ended: AtomicBool,
    pub thread: OnceLock<Thread>,
}

impl About {
    #[track_caller]
    fn wait_for_end(&self) {
        if let Some(thread) = self.thread.get() {
            thread.wait_for_end();
        }
    }

    pub async fn join(&self, _: &'static Location<'static>) {
        self.wait_for_end();
    }
}

impl Handle {
    fn members(&self) -> MutexGuard<'_, Vec<Arc<dyn Member>>> {
        let members = self.0.members.lock();
        members.unwrap_or_else(PoisonError::into_inner)
    }

    fn member(&self, index: usize) -> Option<Arc<dyn Member>> {
        self.members().get(index).cloned()
    }

    pub(crate) fn add(&self, member: Arc<dyn Member>) {
        self.members().push(member);
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").finish_non_exhaustive()
    }
}
