//! The five forms of dependencies between two tasks.
//!
//! ```text
//!          1          2          3          4              5
//! task A:  a          a     c    a       d  a(x)     d(y)  a(x)  d(y)
//! task B:     b          b         b  c        b(x) c(y)   c(y)  b(x)
//! ```
//!
//! In the first three all events are about one object, in the others about two; in each the first event of A comes
//! before that of B with which it conflicts, and in the last four one of B before the last one of A. In the fifth,
//! B comes to its two events in the other order: two locks that are taken crosswise are one.

use unpick_trace::{OpKind, SiteId};

/// Number of forms.
pub(super) const IDIOMS: usize = 5;

/// An event, as the program has it: a place and what is done there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Event {
    site: u32,
    kind: u32,
}

impl Event {
    pub fn new(site: SiteId, kind: OpKind) -> Event {
        Event {
            site: site.0,
            kind: kind as u32,
        }
    }
}

/// An idiom of certain events. They are in the order in which they are forced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    /// A before B.
    One([Event; 2]),
    /// A, B, A.
    Two([Event; 3]),
    /// A, B, B, A on one object.
    Three([Event; 4]),
    /// A, B on one object, B, A on another.
    Four([Event; 4]),
    /// A on one object, B on another; then B on the first, and A on the second.
    Five([Event; 4]),
}

/// Which of the two tasks performs an event, and on which of the two objects.
pub(super) type Part = (usize, usize);

impl Root {
    /// The form, from 0.
    pub fn form(&self) -> usize {
        match self {
            Root::One(_) => 0,
            Root::Two(_) => 1,
            Root::Three(_) => 2,
            Root::Four(_) => 3,
            Root::Five(_) => 4,
        }
    }

    pub fn events(&self) -> &[Event] {
        match self {
            Root::One(events) => events,
            Root::Two(events) => events,
            Root::Three(events) | Root::Four(events) | Root::Five(events) => events,
        }
    }

    /// The parts of the events.
    pub fn parts(&self) -> &'static [Part] {
        match self {
            Root::One(_) => &[(0, 0), (1, 0)],
            Root::Two(_) => &[(0, 0), (1, 0), (0, 0)],
            Root::Three(_) => &[(0, 0), (1, 0), (1, 0), (0, 0)],
            Root::Four(_) => &[(0, 0), (1, 0), (1, 1), (0, 1)],
            Root::Five(_) => &[(0, 0), (1, 1), (1, 0), (0, 1)],
        }
    }
}
