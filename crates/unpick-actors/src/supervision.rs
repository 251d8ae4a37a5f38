//! What becomes of actors that panic in production.

/// An actor has panicked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Crash {
    /// The name of the actor.
    pub actor: String,
    /// The message that it handled; none if it had just begun.
    pub message: Option<&'static str>,
    /// What it panicked with.
    pub panic: String,
    /// How often it was begun anew before.
    pub restarts: u32,
}

/// What becomes of an actor that has panicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It ends, and what is in its mailbox is dropped.
    End,
    /// It begins anew, and goes on with the next message in its mailbox. Those that were not made by
    /// `create_from` cannot, and end.
    Restart,
}

/// Decides about actors that have panicked.
pub(crate) type Decide = Box<dyn FnMut(&Crash) -> Verdict + Send>;
