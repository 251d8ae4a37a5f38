//! Faults as choices: what a network and its machines can do to messages and actors, under test.
//!
//! The strategy chooses where each fault strikes, and each kind has a budget for an execution. Budgets are shared
//! by all actors, so that looking at them and spending them are operations like any others: a reduction knows
//! which sends depend on each other by them.

mod fate;

pub(crate) use fate::{Crashed, Fate, Injector};

use std::fmt;

/// The kinds, in the order in which their budgets are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Loss,
    Duplication,
    Delay,
    Reordering,
    Crash,
    Wipe,
    Partition,
}

impl Kind {
    pub const ALL: [Kind; 7] = [
        Kind::Loss,
        Kind::Duplication,
        Kind::Delay,
        Kind::Reordering,
        Kind::Crash,
        Kind::Wipe,
        Kind::Partition,
    ];
}

type Between = Box<dyn Fn(&str, &str) -> bool + Send + Sync>;
type Group = Box<dyn Fn(&str) -> u32 + Send + Sync>;

/// Which faults there are, and how many of each in one execution.
pub struct Faults {
    pub(crate) budgets: [u8; Kind::ALL.len()],
    pub(crate) between: Between,
    pub(crate) group: Group,
}

impl Faults {
    /// None. Those that are added strike messages between actors; what a test itself sends is safe.
    pub fn new() -> Faults {
        Faults {
            budgets: [0; Kind::ALL.len()],
            between: Box::new(|from, _| !from.is_empty()),
            group: Box::new(|_| 0),
        }
    }

    fn with(mut self, kind: Kind, count: u8) -> Faults {
        self.budgets[kind as usize] = count;
        self
    }

    /// So many messages are lost. Nobody learns of that: who waits for an answer to one waits for ever, or
    /// until its limit.
    pub fn lose(self, count: u8) -> Faults {
        self.with(Kind::Loss, count)
    }

    /// So many messages arrive twice, the copy right after the original. Only those of traits with
    /// `#[actor(clone)]`; a copy of a request answers nobody.
    pub fn duplicate(self, count: u8) -> Faults {
        self.with(Kind::Duplication, count)
    }

    /// So many messages arrive later, after any others.
    pub fn delay(self, count: u8) -> Faults {
        self.with(Kind::Delay, count)
    }

    /// So many times the messages from one actor to another are overtaken by those of others. Among themselves
    /// they keep their order.
    pub fn reorder(self, count: u8) -> Faults {
        self.with(Kind::Reordering, count)
    }

    /// So many times an actor crashes, when it takes or sends a message, and begins anew. Only those that are
    /// made by `create_from`. What it was handling is lost, and what is in its mailbox is kept.
    pub fn crash(self, count: u8) -> Faults {
        self.with(Kind::Crash, count)
    }

    /// So many times an actor crashes and loses what it had stored, too: see
    /// [`Options::wipe`](crate::Options::wipe).
    pub fn wipe(self, count: u8) -> Faults {
        self.with(Kind::Wipe, count)
    }

    /// So many times the actors fall apart into groups, by their names. What is sent from one group to another
    /// is lost, until at some message between groups they come together again.
    pub fn partition(
        mut self,
        count: u8,
        group: impl Fn(&str) -> u32 + Send + Sync + 'static,
    ) -> Faults {
        self.group = Box::new(group);
        self.with(Kind::Partition, count)
    }

    /// Which messages faults strike, by the names of sender and receiver. A sender that is no actor has an
    /// empty name.
    pub fn between(
        mut self,
        strikes: impl Fn(&str, &str) -> bool + Send + Sync + 'static,
    ) -> Faults {
        self.between = Box::new(strikes);
        self
    }
}

impl Default for Faults {
    fn default() -> Faults {
        Faults::new()
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let budgets = Kind::ALL.iter().zip(self.budgets);
        f.debug_map().entries(budgets).finish()
    }
}
