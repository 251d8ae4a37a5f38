//! Accesses as they are told and reported, and what they do wrong.

use unpick_trace::TaskId;

use super::record::Meeting;

/// How memory is used by an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// A plain read.
    Read,
    /// A plain write, or a free.
    Write,
    /// An atomic load.
    AtomicRead,
    /// An atomic store or read-modify-write.
    AtomicWrite,
}

/// An access to memory. Of an earlier one the part in the first word is given where the two met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Who made it.
    pub task: TaskId,
    /// Where in the code; the low 48 bits of an earlier one.
    pub pc: usize,
    /// How.
    pub kind: AccessKind,
    /// The first byte.
    pub address: usize,
    /// How many bytes.
    pub size: usize,
}

/// What an access does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Two accesses to the same bytes that nothing orders, at least one of which writes and at least
    /// one of which is plain.
    Race {
        /// The one that came first in this execution.
        earlier: Access,
        /// The other.
        later: Access,
    },
    /// An access to memory that has been freed.
    UseAfterFree {
        /// The free.
        freed: Access,
        /// The access.
        used: Access,
    },
}

/// What is wrong with an access that met others in a word.
pub fn finding(word: usize, meeting: &Meeting, access: &Access) -> Option<Finding> {
    if meeting.freed.bytes() != 0 {
        return Some(Finding::UseAfterFree {
            freed: meeting.freed.access(word),
            used: *access,
        });
    }
    (meeting.raced.bytes() != 0).then(|| Finding::Race {
        earlier: meeting.raced.access(word),
        later: *access,
    })
}

/// The first finding of a range; freed memory goes before a race, which it explains.
pub fn worse(one: Option<Finding>, next: Option<Finding>) -> Option<Finding> {
    match (one, next) {
        (Some(Finding::Race { .. }), Some(Finding::UseAfterFree { .. })) | (None, _) => next,
        _ => one,
    }
}
