//! Failing schedules of an exploration that goes on, put together where they are the same failure.

use crate::FirstFailure;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};
use unpick_trace::{Outcome, same_failure};

/// Failures that are told apart, at most: those that are met first. The rest only count as failing. Livelocks, which
/// are one group, are told apart beside them.
pub const GROUPS_MAX: usize = 8;

/// Failing schedules that are the same failure: same kind, same place, same message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureGroup {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: FirstFailure,
}

/// The groups of an exploration, in the order of their first failures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureGroups(Vec<FailureGroup>);

impl FailureGroups {
    /// All of them.
    pub fn list(&self) -> &[FailureGroup] {
        &self.0
    }

    /// Adds so many failures that end like this; `first` gives the first of them if it is the first of a
    /// group.
    pub fn add(&mut self, count: u64, outcome: &Outcome, first: impl FnOnce() -> FirstFailure) {
        let is_it = |group: &&mut FailureGroup| same_failure(&group.first.outcome, outcome);
        if let Some(group) = self.0.iter_mut().find(is_it) {
            group.count += count;
        } else if self.0.len() < GROUPS_MAX || matches!(outcome, Outcome::StepLimit { .. }) {
            let first = first();
            self.0.push(FailureGroup { count, first });
        }
    }

    /// Appends those of the executions that follow, after so many schedules.
    pub fn append(&mut self, later: FailureGroups, schedules: u64) {
        for mut group in later.0 {
            group.first.rank += schedules;
            let outcome = group.first.outcome.clone();
            self.add(group.count, &outcome, || group.first);
        }
    }

    /// The first failures, to be numbered anew.
    pub fn firsts(&mut self) -> impl Iterator<Item = &mut FirstFailure> {
        self.0.iter_mut().map(|group| &mut group.first)
    }

    /// Forgets them all.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
