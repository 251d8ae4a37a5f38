//! All actors of a program, from the first to the end of the last.

use crate::Faults;
use crate::runtime::Runtime;
#[cfg(feature = "tokio")]
use crate::supervision::{Crash, Decide, Verdict};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// The actors of a program. When it is dropped in a test, the actors handle what there is to do, and end; in
/// production they end when they have handled what is in their mailboxes, and nobody waits for that.
#[derive(Debug)]
pub struct System {
    handle: Handle,
    is_stopped: bool,
}

impl System {
    /// A system without actors. Inside an exploration it is under its control, inside a runtime of tokio it
    /// runs there.
    ///
    /// # Panics
    /// Where there is neither.
    #[track_caller]
    pub fn new() -> System {
        let Some(runtime) = Runtime::current() else {
            panic!(
                "a system of actors is made neither inside an exploration nor, with the feature `tokio`, \
                 inside a runtime of tokio; make it inside `unpick::check` or an async function"
            );
        };
        System {
            handle: Handle(Arc::new(Shared {
                runtime,
                members: Mutex::default(),
                #[cfg(feature = "tokio")]
                supervisor: Mutex::default(),
            })),
            is_stopped: false,
        }
    }

    /// Decides what becomes of actors that panic in production. Unless somebody decides they end. Under
    /// control a panic is the outcome of the execution.
    #[cfg(feature = "tokio")]
    pub fn supervise(&self, decide: impl FnMut(&Crash) -> Verdict + Send + 'static) {
        *self.handle.supervisor() = Some(Box::new(decide));
    }

    /// Injects faults into an exploration, from now on. Does nothing in production.
    ///
    /// # Panics
    /// If there are faults already.
    #[track_caller]
    pub fn inject(&self, faults: Faults) {
        match self.handle.runtime() {
            Runtime::Controlled(injector) => injector.begin(faults, &self.handle),
            #[cfg(feature = "tokio")]
            Runtime::Production(_) => drop(faults),
        }
    }

    /// Waits until all messages are handled and no actor has anything to do. Under control it is a deadlock
    /// if one of them waits for something else by then.
    pub async fn quiesce(&self) {
        self.handle.quiesce().await;
    }

    /// Lets the actors handle what there is to do, and ends them.
    pub async fn stop(mut self) {
        self.is_stopped = true;
        self.handle.quiesce().await;
        self.handle.end_all().await;
        self.handle.forget_lost();
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
        if self.is_stopped {
            return;
        }
        if std::thread::panicking() {
            return self.handle.forget_lost();
        }
        self.is_stopped = true;
        match &self.handle.0.runtime {
            Runtime::Controlled(_) => crate::wait::complete(async {
                self.handle.quiesce().await;
                self.handle.end_all().await;
                self.handle.forget_lost();
            }),
            #[cfg(feature = "tokio")]
            Runtime::Production(_) => self.handle.ask_all_to_end(),
        }
    }
}

/// A system, as its actors know it.
#[derive(Clone)]
pub struct Handle(Arc<Shared>);

struct Shared {
    runtime: Runtime,
    members: Mutex<Members>,
    #[cfg(feature = "tokio")]
    supervisor: Mutex<Option<Decide>>,
}

/// The actors that have not ended.
#[derive(Default)]
struct Members {
    /// By number, which follow the order of creation.
    all: BTreeMap<u64, Arc<dyn Member>>,
    next: u64,
}

/// An actor, whatever its messages are.
pub(crate) trait Member: Send + Sync {
    /// What everybody may know of it.
    fn about(&self) -> &Arc<About>;

    /// Asks it to end after what is in its mailbox. Does not wait.
    fn end(&self);

    /// How many messages were sent to it and handled.
    #[cfg(feature = "tokio")]
    fn traffic(&self) -> crate::production::Traffic;
}

/// What everybody may know of an actor.
pub(crate) struct About {
    pub name: String,
    pub runtime: Runtime,
    pub end: crate::runtime::End,
}

/// A system that may be gone.
pub(crate) struct WeakHandle(Weak<Shared>);

impl WeakHandle {
    pub fn upgrade(&self) -> Option<Handle> {
        self.0.upgrade().map(Handle)
    }
}

impl Handle {
    pub(crate) fn downgrade(&self) -> WeakHandle {
        WeakHandle(Arc::downgrade(&self.0))
    }

    fn forget_lost(&self) {
        if let Some(injector) = self.0.runtime.injector() {
            injector.forget_lost();
        }
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        let members = self.0.members.lock();
        members.unwrap_or_else(PoisonError::into_inner)
    }

    /// The actor after a number, if there is one.
    fn member_from(&self, number: u64) -> Option<(u64, Arc<dyn Member>)> {
        let members = self.members();
        let next = members.all.range(number..).next();
        next.map(|(&number, member)| (number, Arc::clone(member)))
    }

    /// Takes in an actor. Answers its number.
    pub(crate) fn add(&self, member: Arc<dyn Member>) -> u64 {
        let mut members = self.members();
        let number = members.next;
        members.next += 1;
        members.all.insert(number, member);
        number
    }

    /// Forgets an actor that has ended.
    pub(crate) fn remove(&self, number: u64) {
        // Dropped without the lock: what is left of an actor may do anything.
        let member = self.members().all.remove(&number);
        drop(member);
    }

    /// Who decides what becomes of actors that panic, if somebody does.
    #[cfg(feature = "tokio")]
    pub(crate) fn supervisor(&self) -> MutexGuard<'_, Option<Decide>> {
        let supervisor = self.0.supervisor.lock();
        supervisor.unwrap_or_else(PoisonError::into_inner)
    }

    /// Does nothing for some time. Under control others go on meanwhile, or do not.
    pub async fn sleep(&self, duration: Duration) {
        self.0.runtime.sleep(duration).await;
    }

    async fn quiesce(&self) {
        match &self.0.runtime {
            Runtime::Controlled(_) => unpick::mailbox::quiesce(),
            #[cfg(feature = "tokio")]
            Runtime::Production(_) => crate::production::quiesce(self).await,
        }
    }

    /// Ends one actor after the other, also those that are created meanwhile.
    async fn end_all(&self) {
        #[cfg(feature = "tokio")]
        if let Runtime::Production(_) = self.0.runtime {
            self.ask_all_to_end();
        }
        let mut number = 0;
        while let Some((next, member)) = self.member_from(number) {
            number = next + 1;
            member.end();
            member.about().end.wait().await;
        }
    }

    #[cfg(feature = "tokio")]
    fn ask_all_to_end(&self) {
        for member in self.all() {
            member.end();
        }
    }

    #[cfg(feature = "tokio")]
    pub(crate) fn all(&self) -> Vec<Arc<dyn Member>> {
        self.members().all.values().cloned().collect()
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").finish_non_exhaustive()
    }
}
