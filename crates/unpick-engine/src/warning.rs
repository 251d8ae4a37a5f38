//! What a user should know about an exploration besides its failures.

use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::fmt;
use serde::{Deserialize, Serialize};
use unpick_trace::{Deadlock, Outcome, Site, TaskId};

/// Cycles of locks that an exploration keeps, at most: directing a search at each takes time.
const CYCLES_MAX: usize = 8;

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WarningKind {
    /// A task may block inside of a critical section.
    BlocksInSection,
    /// Locks are taken in orders that may lead to a deadlock, which a technique does not allow for.
    LockOrderCycle,
    /// A third task may hold a lock that is needed to turn a race round.
    ThirdOwner,
    /// Tasks take locks in orders that may lead to a deadlock, whatever the technique.
    PossibleDeadlock,
    /// A task had not ended when the first task ended.
    LeakedTask,
    /// A task ended and held a lock.
    LeakedLock,
    /// A task unlocked a mutex that it did not hold.
    Misuse,
    /// A function that was named as a scheduling point was never seen to begin.
    PointNotReached,
    /// The program did what is not modelled, and was explored no further.
    EndedEarly,
    /// What a trace implies could not be found out in full.
    NotAnalysed,
    /// The program reads something that differs from one execution to the next, and gets something else for it.
    Uncontrolled,
    /// A failure does not come back in another back-end than the one that found it.
    OtherBackend,
}

impl WarningKind {
    /// All of them.
    pub const ALL: &'static [WarningKind] = &[
        WarningKind::BlocksInSection,
        WarningKind::LockOrderCycle,
        WarningKind::ThirdOwner,
        WarningKind::PossibleDeadlock,
        WarningKind::LeakedTask,
        WarningKind::LeakedLock,
        WarningKind::Misuse,
        WarningKind::PointNotReached,
        WarningKind::EndedEarly,
        WarningKind::NotAnalysed,
        WarningKind::Uncontrolled,
        WarningKind::OtherBackend,
    ];

    /// The kind in one word, for machines.
    pub fn word(self) -> &'static str {
        match self {
            WarningKind::BlocksInSection => "blocks-in-section",
            WarningKind::LockOrderCycle => "lock-order-cycle",
            WarningKind::ThirdOwner => "third-owner",
            WarningKind::PossibleDeadlock => "possible-deadlock",
            WarningKind::LeakedTask => "leaked-task",
            WarningKind::LeakedLock => "leaked-lock",
            WarningKind::Misuse => "misuse",
            WarningKind::PointNotReached => "point-not-reached",
            WarningKind::EndedEarly => "ended-early",
            WarningKind::NotAnalysed => "not-analysed",
            WarningKind::Uncontrolled => "uncontrolled",
            WarningKind::OtherBackend => "other-backend",
        }
    }
}

/// Something a user should know about the results of an exploration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// What it is about.
    pub kind: WarningKind,
    /// The whole of it, for people.
    pub text: String,
    /// The place it is about, if it is about one. There is one warning of a kind for each place.
    pub site: Option<Site>,
    /// The cycle it is about, if it is about a possible deadlock.
    pub cycle: Option<Box<LockCycle>>,
}

impl Warning {
    /// A warning that is about no place in particular.
    pub fn new(kind: WarningKind, text: String) -> Warning {
        Warning {
            kind,
            text,
            site: None,
            cycle: None,
        }
    }

    /// A warning about a possible deadlock.
    pub(crate) fn of_cycle(cycle: LockCycle) -> Warning {
        Warning {
            kind: WarningKind::PossibleDeadlock,
            text: cycle.text(),
            site: None,
            cycle: Some(Box::new(cycle)),
        }
    }

    /// Says how the search that was directed at its cycle ended.
    pub fn set_confirmation(&mut self, confirmation: Confirmation) {
        if let Some(cycle) = &mut self.cycle {
            cycle.confirmation = confirmation;
            self.text = cycle.text();
        }
    }

    /// Whether two warnings are about the same.
    fn is_same(&self, other: &Warning) -> bool {
        match (&self.cycle, &other.cycle) {
            _ if self.kind != other.kind => false,
            (Some(one), Some(other)) => {
                one.is_same(other.links.len(), |at| other.links[at].sites())
            }
            _ if self.site.is_some() => self.site == other.site,
            _ => self.text == other.text,
        }
    }
}

/// The places of a link: where the lock was taken that is held, and where the next one is.
pub(crate) type LinkSites<'a> = (Option<&'a Site>, Option<&'a Site>);

/// Tasks each of which takes a lock while it holds another one, in a ring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockCycle {
    /// Each takes the lock that the next one holds.
    pub links: Vec<LockLink>,
    /// What became of it.
    pub confirmation: Confirmation,
}

/// One task of a cycle of locks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockLink {
    /// The task.
    pub task: TaskId,
    /// Its name.
    pub task_name: String,
    /// The name of the lock that it holds.
    pub held: String,
    /// Where it has taken that.
    pub held_at: Option<Site>,
    /// The name of the lock that it takes.
    pub wanted: String,
    /// Where it takes that.
    pub wanted_at: Option<Site>,
}

impl LockLink {
    fn sites(&self) -> LinkSites<'_> {
        (self.held_at.as_ref(), self.wanted_at.as_ref())
    }
}

/// How the search for a schedule that deadlocks in a cycle of locks ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confirmation {
    /// There was none.
    NotTried,
    /// An execution deadlocks there.
    Confirmed {
        /// Which one, from 1.
        execution: u64,
    },
    /// None was found.
    NotConfirmed {
        /// Executions directed at it.
        executions: u64,
    },
}

impl LockCycle {
    /// The whole of it, for people.
    pub fn text(&self) -> String {
        let mut text = String::from("possible deadlock: ");
        for (number, link) in self.links.iter().enumerate() {
            if number > 0 {
                text.push_str("; ");
            }
            text.push_str(&format!(
                "{} takes {}{} while it holds {}, taken{}",
                link.task_name,
                link.wanted,
                At(link.wanted_at.as_ref()),
                link.held,
                At(link.held_at.as_ref()),
            ));
        }
        text.push_str(&match self.confirmation {
            Confirmation::NotTried => String::from("; not tried to confirm"),
            Confirmation::Confirmed { execution } => {
                format!("; confirmed: execution {execution} deadlocks there")
            }
            Confirmation::NotConfirmed { executions } => {
                format!("; not confirmed by {executions} executions directed at it")
            }
        });
        text
    }

    /// Whether an execution that ended like this is a deadlock in this cycle.
    pub fn is_met_by(&self, outcome: &Outcome) -> bool {
        let Outcome::Deadlock(Deadlock { blocked, cycle }) = outcome else {
            return false;
        };
        let site_of = |task: &TaskId| {
            let mut blocked = blocked.iter();
            blocked.find(|one| one.task == *task)?.site.as_ref()
        };
        let count_in_ring = |site| cycle.iter().filter(|task| site_of(task) == site).count();
        let count_here = |site| {
            let wanted = self.links.iter().map(|link| link.wanted_at.as_ref());
            wanted.filter(|one| *one == site).count()
        };
        let wanted = self.links.iter().map(|link| link.wanted_at.as_ref());
        cycle.len() == self.links.len()
            && wanted
                .into_iter()
                .all(|site| count_in_ring(site) == count_here(site))
    }

    /// Whether a ring of so many links, with these places, is the same, wherever it begins.
    pub(crate) fn is_same<'a>(&self, count: usize, sites: impl Fn(usize) -> LinkSites<'a>) -> bool {
        count == self.links.len()
            && (0..count).any(|turn| {
                let mut links = self.links.iter().enumerate();
                links.all(|(at, link)| link.sites() == sites((at + turn) % count))
            })
    }
}

/// A place in a sentence.
pub(crate) struct At<'a>(pub Option<&'a Site>);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(site) => write!(f, " at {site}"),
            None => Ok(()),
        }
    }
}

/// Adds a warning unless it is known.
pub(crate) fn add_warning(warnings: &mut Vec<Warning>, warning: Warning) {
    let is_new = !warnings.iter().any(|known| known.is_same(&warning));
    if is_new && (warning.cycle.is_none() || has_room_for_cycle(warnings)) {
        warnings.push(warning);
    }
}

/// Whether another cycle would be kept.
pub(crate) fn has_room_for_cycle(warnings: &[Warning]) -> bool {
    let cycles = warnings.iter().filter(|warning| warning.cycle.is_some());
    cycles.count() < CYCLES_MAX
}
