//! Transitions of several events: nothing of other tasks comes between them.
//!
//! Who begins to wait for a condition variable releases the mutex and becomes a waiter at once. Were these two
//! events with room for others between them, a notification could be said to come too early that cannot.
//!
//! The search does not know of groups, and the must-order does not either: what they refuse is impossible in
//! any case, and what they offer is looked at. The SAT solver is told of each group that is split.

use crate::model::Model;
use crate::order::Order;
use crate::query::Plan;
use unpick_engine::transcript::{Event, EventId};

/// The groups of a trace.
#[derive(Default)]
pub(crate) struct Groups {
    /// Each in order.
    all: Vec<Vec<EventId>>,
    /// By event.
    of: Vec<Option<u32>>,
}

/// An event that comes between two of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Split {
    pub event: EventId,
    /// The event of the group before it.
    pub before: EventId,
    /// The one behind it; none if that is the target, which comes last.
    pub behind: Option<EventId>,
}

impl Groups {
    pub fn new(events: &[Event], order: &Order) -> Groups {
        let mut groups = Groups {
            all: Vec::new(),
            of: vec![None; events.len()],
        };
        for chain in &order.chains {
            for pair in chain.windows(2) {
                if !events[pair[1]].continues {
                    continue;
                }
                let known = groups.of[pair[0]];
                let group = known.unwrap_or_else(|| {
                    groups.all.push(vec![pair[0]]);
                    groups.all.len() as u32 - 1
                });
                groups.all[group as usize].push(pair[1]);
                groups.of[pair[0]] = Some(group);
                groups.of[pair[1]] = Some(group);
            }
        }
        groups
    }

    /// The events of the transition of an event, if these are several.
    pub fn of(&self, event: EventId) -> Option<&[EventId]> {
        let group = (*self.of.get(event)?)?;
        Some(&self.all[group as usize])
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &[EventId]> {
        self.all.iter().map(Vec::as_slice)
    }
}

/// Whether a schedule performs transitions as a whole.
pub(crate) fn is_whole(model: &Model, plan: &Plan, schedule: &[EventId]) -> bool {
    let has_all = |group: &[EventId]| {
        let parts = group.iter().filter(|&&part| plan.may_perform(model, part));
        let performed = parts.clone().filter(|part| schedule.contains(part));
        let count = performed.count();
        count == 0 || count == parts.count()
    };
    model.groups.iter().all(has_all) && splits(model, plan, schedule).is_empty()
}

/// Where a schedule splits groups.
pub(crate) fn splits(model: &Model, plan: &Plan, schedule: &[EventId]) -> Vec<Split> {
    let mut splits = Vec::new();
    for (at, &before) in schedule.iter().enumerate() {
        let Some(group) = model.groups.of(before) else {
            continue;
        };
        let next = group.iter().position(|&one| one == before);
        let next = next.and_then(|at| group.get(at + 1)).copied();
        let Some(behind) = next else {
            continue;
        };
        let is_goal = plan.ending == [behind];
        let rest = &schedule[at + 1..];
        let end = match rest.iter().position(|&one| one == behind) {
            Some(end) => end,
            None if is_goal => rest.len(),
            None => continue,
        };
        splits.extend(rest[..end].iter().map(|&event| Split {
            event,
            before,
            behind: (!is_goal).then_some(behind),
        }));
    }
    splits
}
