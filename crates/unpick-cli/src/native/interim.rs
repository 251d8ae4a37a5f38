//! A failure of a native program is kept the moment it is found. What is learnt of it later takes the place of that.

use super::present::{Subject, record};
use crate::found;
use crate::place::shown;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use unpick::FirstFailure;
use unpick::report::{Way, headline};
use unpick::store::{Interim, Store};
use unpick_native::drive::{Explored, Naming};

/// The failures of one exploration that were kept as they were found.
#[derive(Default)]
pub(super) struct Interims {
    /// By the fingerprint of the schedule.
    kept: RefCell<BTreeMap<u64, Option<Interim>>>,
}

impl Interims {
    /// Keeps the failures of an exploration that are not kept yet: as traces, and in words for a command that comes to
    /// report nothing else.
    pub(super) fn keep(&self, subject: Subject<'_>, explored: &Explored, way: Way) {
        let found = &explored.exploration;
        let groups = found.groups.list().iter().map(|group| &group.first);
        let first = found.first_failure.as_deref();
        for failure in first.into_iter().chain(groups) {
            let hash = failure.trace.hash();
            let is_known = self.kept.borrow().contains_key(&hash);
            if !is_known {
                let is_first = first.is_some_and(|first| first.trace.hash() == hash);
                let interim = keep(subject, explored, (failure, is_first), way);
                self.kept.borrow_mut().insert(hash, interim);
            }
        }
    }

    /// The trace at `path` is what was made of a failure. Takes the place of what was kept of it.
    pub(super) fn replace(&self, hash: u64, path: &Path) {
        let interim = self.kept.borrow_mut().remove(&hash).flatten();
        if let Some(interim) = interim {
            interim.give_way_to(path);
        }
    }

    /// Nothing better comes of a failure: it stays as it was found.
    pub(super) fn leave(&self, hash: u64) -> Option<Interim> {
        self.kept.borrow_mut().remove(&hash).flatten()
    }

    /// All failures are reported. Those that are left were found by several processes at a time, and are reported by
    /// others like them.
    pub(super) fn settle(&self) {
        found::settle();
        for interim in self.kept.take().into_values().flatten() {
            interim.give_way();
        }
    }
}

/// Keeps one failure; the addresses are those of the first one.
fn keep(
    subject: Subject<'_>,
    explored: &Explored,
    (failure, is_first): (&FirstFailure, bool),
    way: Way,
) -> Option<Interim> {
    let mut failure = failure.clone();
    let addresses = if is_first {
        &explored.addresses[..]
    } else {
        &[]
    };
    let mut naming = Naming::new(&subject.command.program, &explored.modules, addresses);
    naming.name(&mut failure);
    let words = headline(&failure.outcome, &failure.trace);
    let head = format!("FAILED  {}  {words}", subject.name);
    if subject.options.no_save {
        found::note(head);
        return None;
    }
    let record = record(subject, explored, &failure, way, None);
    match Store::new("").save_interim(&record) {
        Ok(interim) => {
            let path = shown(interim.path());
            found::note(format!("{head}\n  saved   {path}, as it was found"));
            Some(interim)
        }
        Err(error) => {
            found::note(format!("{head}\n  saved   nothing: {error}"));
            None
        }
    }
}
