//! Events: what a trace is made of, as the model sees it.
//!
//! Plain data, independent of engine and front ends. Tasks, locations, locks and condition variables are
//! numbered from zero, densely; values are compared, never computed with.
//!
//! What has no kind of its own here, such as a channel, can be a location that holds a version: an
//! operation is a `ReadModifyWrite` from one version to the next, one that changes nothing a `Read`. That
//! keeps the order of the trace where it may matter, which is always sound. In the same way what a lock
//! protects is a location that is read and written inside the sections, if tasks look at it at all.

use serde::{Deserialize, Serialize};

/// An event, by its place in the trace.
pub type EventId = usize;

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// Reads a location.
    Read {
        /// Where.
        location: u32,
        /// What it saw.
        value: u64,
    },
    /// Writes a location.
    Write {
        /// Where.
        location: u32,
        /// What it left there.
        value: u64,
    },
    /// Reads and writes a location at once.
    ReadModifyWrite {
        /// Where.
        location: u32,
        /// What it saw.
        read: u64,
        /// What it left there.
        written: u64,
    },
    /// Acquires a lock. Only the outermost acquisition of a task that holds the lock already counts.
    Lock {
        /// Which one.
        lock: u32,
    },
    /// Releases a lock.
    Unlock {
        /// Which one.
        lock: u32,
    },
    /// Creates a task.
    Fork {
        /// The task created.
        task: u32,
    },
    /// Waits for the end of a task.
    Join {
        /// The task that has ended.
        task: u32,
    },
    /// Releases a lock and becomes a waiter of a condition variable. A `Wake` and a `Lock` follow.
    Wait {
        /// The lock released.
        lock: u32,
        /// The condition variable waited for.
        condvar: u32,
    },
    /// Ends a wait, before the lock is acquired again.
    Wake {
        /// The condition variable waited for.
        condvar: u32,
        /// The notification that ended the wait; none if it ended by itself.
        notify: Option<EventId>,
    },
    /// Notifies one waiter or all of them.
    Notify {
        /// Which condition variable.
        condvar: u32,
    },
    /// Waits until all own writes have taken effect. Also stands for everything else a task does.
    Fence,
}

/// One event of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Event {
    /// Who.
    pub task: u32,
    /// The place in the program order of the task. Under store buffers the trace has a write where it
    /// takes effect, which may be behind later reads of its task.
    pub place: u32,
    /// What.
    pub kind: Kind,
    /// Whether all earlier writes of the task take effect before, and nothing later of the task takes
    /// effect before this one. Always so except for plain reads and writes; a write that goes past the
    /// store buffer and a compare-and-exchange that fails are a `Write` and a `Read` that drain.
    pub drains: bool,
    /// Whether a write that waits in a buffer leaves it after all earlier writes of the task. Of a fence that
    /// does not drain: whether all later writes do so after all earlier ones.
    pub is_ordered: bool,
    /// Whether it belongs to the same transition as the event of its task before it, which is no write that
    /// waits: nothing of other tasks comes between them.
    pub continues: bool,
}

impl Event {
    /// An event that drains the store buffer unless it is a read or a write.
    pub fn new(task: u32, place: u32, kind: Kind) -> Event {
        let drains = !matches!(kind, Kind::Read { .. } | Kind::Write { .. });
        Event {
            task,
            place,
            kind,
            drains,
            is_ordered: false,
            continues: false,
        }
    }

    /// The same event, performed with an empty store buffer.
    pub fn draining(self) -> Event {
        Event {
            drains: true,
            ..self
        }
    }

    /// The same event, which is seen after all earlier writes of its task.
    pub fn ordered(self) -> Event {
        Event {
            is_ordered: true,
            ..self
        }
    }

    /// Where the event reads, and what it saw.
    pub fn reads(&self) -> Option<(u32, u64)> {
        match self.kind {
            Kind::Read { location, value } => Some((location, value)),
            Kind::ReadModifyWrite { location, read, .. } => Some((location, read)),
            _ => None,
        }
    }

    /// Where the event writes, and what it leaves there.
    pub fn writes(&self) -> Option<(u32, u64)> {
        match self.kind {
            Kind::Write { location, value } => Some((location, value)),
            Kind::ReadModifyWrite {
                location, written, ..
            } => Some((location, written)),
            _ => None,
        }
    }
}
