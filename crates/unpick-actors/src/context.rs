//! What an actor knows of itself while it handles a message.

use crate::{Handle, Proxy};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The actor that handles a message, as its own methods see it.
#[derive(Debug)]
pub struct Context<P> {
    me: P,
    system: Handle,
    is_halting: Arc<AtomicBool>,
}

impl<P: Proxy> Context<P> {
    pub(crate) fn new(me: P, system: Handle) -> Context<P> {
        Context {
            me,
            system,
            is_halting: Arc::default(),
        }
    }

    /// A proxy of the actor itself.
    pub fn me(&self) -> &P {
        &self.me
    }

    /// The system it belongs to, to create others in.
    pub fn system(&self) -> &Handle {
        &self.system
    }

    /// Ends the actor when it has handled this message. What is in its mailbox is dropped.
    pub fn halt(&self) {
        self.is_halting.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_halting(&self) -> bool {
        self.is_halting.load(Ordering::Relaxed)
    }

    /// The same context for the messages of a base. For the attribute `actor`.
    #[doc(hidden)]
    pub fn narrow<Q: Proxy + From<P>>(&self) -> Context<Q> {
        Context {
            me: Q::from(self.me.clone()),
            system: self.system.clone(),
            is_halting: Arc::clone(&self.is_halting),
        }
    }
}
