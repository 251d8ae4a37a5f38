//! What is said of an actor when it is created.

/// The name of an actor, and what else is said of it. A text is a name with nothing else said.
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) name: String,
    pub(crate) bound: Option<usize>,
}

impl Options {
    /// An actor of this name, whose mailbox has no limit.
    pub fn new(name: impl Into<String>) -> Options {
        Options {
            name: name.into(),
            bound: None,
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
