//! The failures that an order has shown so far, for the driver to read in case that the process never comes to answer
//! the order: a later execution may hang, run out of memory or be killed.

use crate::controller::{answer_without_work, put_answer};
use crate::runtime::Runtime;
use alloc::{boxed::Box, vec::Vec};
use core::sync::atomic::Ordering;
use unpick_engine::{Exploration, FirstFailure, StopReason};
use unpick_protocol::{Answer, Order, Work};
use unpick_trace::Outcome;

/// What is known of the failures under an order.
#[derive(Default)]
pub struct Draft {
    /// Whether the order runs many executions. The answer to one execution comes as soon as a draft.
    is_wanted: bool,
    found: Exploration,
    /// Where the objects of the first failure lie.
    addresses: Vec<u64>,
    /// Where plain accesses are points.
    shared: Vec<u64>,
}

impl Draft {
    /// Forgets what is known, for the next order.
    pub fn begin(&mut self, order: &Order) {
        let is_many = order.limits.executions_max > 1;
        let explores = matches!(
            order.work,
            Work::Explore { .. } | Work::Search { .. } | Work::Confirm { .. }
        );
        *self = Draft {
            is_wanted: explores && is_many,
            shared: order.shared.clone(),
            ..Draft::default()
        };
    }
}

/// Notes how the last execution ended, and tells the driver if it shows another failure than those before.
pub fn note(this: &mut Runtime) {
    let Some(outcome) = this.execution.outcome().filter(|one| one.is_failure()) else {
        return;
    };
    if !this.draft.is_wanted || matches!(outcome, Outcome::Diverged(_)) {
        return;
    }
    let outcome = outcome.clone();
    let desk = this.desk();
    let execution = desk.executions.load(Ordering::Relaxed) + 1;
    let trace = this.execution.trace();
    let found = &mut this.draft.found;
    let known = found.groups.list().len();
    found.groups.add(1, &outcome, || FirstFailure {
        rank: execution,
        execution,
        trace: trace.detached(),
        outcome: outcome.clone(),
        is_directed: false,
        member: None,
    });
    found.failures += 1;
    found.executions = execution;
    found.stopped_because = StopReason::Interrupted;
    if found.groups.list().len() == known {
        return;
    }
    if known == 0 {
        found.first_failure = found
            .groups
            .list()
            .first()
            .map(|group| Box::new(group.first.clone()));
        this.draft.addresses.clone_from(&this.addresses);
    }
    let answer = Answer {
        exploration: this.draft.found.clone(),
        addresses: this.draft.addresses.clone(),
        shared: this.draft.shared.clone(),
        ..answer_without_work(None)
    };
    put_answer(desk, &answer);
}
