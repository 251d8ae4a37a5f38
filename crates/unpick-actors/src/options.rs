//! What is said of an actor when it is created.

use std::fmt;
use std::sync::Arc;

/// The name of an actor, and what else is said of it. A text is a name with nothing else said.
#[derive(Clone)]
pub struct Options {
    pub(crate) name: String,
    pub(crate) bound: Option<usize>,
    pub(crate) wipe: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl Options {
    /// An actor of this name, whose mailbox has no limit.
    pub fn new(name: impl Into<String>) -> Options {
        Options {
            name: name.into(),
            bound: None,
            wipe: None,
        }
    }

    /// How many messages its mailbox holds, one at least: who sends more waits. An actor that sends to
    /// itself can wait for ever.
    ///
    /// In production a sender waits with its thread, which needs a runtime of several threads.
    pub fn bound(mut self, messages: usize) -> Options {
        self.bound = Some(messages.max(1));
        self
    }

    /// How to lose what the actor has stored, for [`Faults::wipe`](crate::Faults::wipe).
    pub fn wipe(mut self, wipe: impl Fn() + Send + Sync + 'static) -> Options {
        self.wipe = Some(Arc::new(wipe));
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("name", &self.name)
            .field("bound", &self.bound)
            .finish_non_exhaustive()
    }
}

impl From<&str> for Options {
    fn from(name: &str) -> Options {
        Options::new(name)
    }
}

impl From<String> for Options {
    fn from(name: String) -> Options {
        Options::new(name)
    }
}
