//! Whether two operations of a task belong together: no other task may get in between.
//!
//! They do if one got in between and the failure vanishes both when the other task does all it does before
//! and when it waits until the one is through. If it vanishes one way only, it is the order that matters, and
//! not that the two were separated.

use super::{Event, Intrusion};
use crate::shrink::{Ended, Run};
use unpick_trace::{Plan, Segment, TaskId, same_failure};

/// The intrusions that are to blame for a failure; `None` if there was no time to find out.
pub(super) fn intrusions(
    failing: &Ended,
    events: &[Event],
    run: &mut Run<'_>,
) -> Option<Vec<Intrusion>> {
    let mut found = Vec::new();
    for Separation {
        before,
        after,
        between,
    } in separations(events)
    {
        let mut tasks: Vec<TaskId> = between.iter().map(|&index| events[index].task).collect();
        tasks.sort_unstable();
        tasks.dedup();
        // One other task, or all together.
        let mut groups: Vec<Vec<TaskId>> = tasks.iter().map(|&task| vec![task]).collect();
        if groups.len() > 1 {
            groups.push(tasks);
        }
        for others in groups {
            let orders = [
                others_first(events, before, &others),
                others_later(events, before, after, &others),
            ];
            let mut vanishes = true;
            for order in orders {
                if vanishes {
                    let ended = run(&Plan::new(&failing.trace, &Segment::of(order)))?;
                    vanishes = !same_failure(&ended.outcome, &failing.outcome);
                }
            }
            let blamed = between
                .iter()
                .filter(|&&index| others.contains(&events[index].task));
            found.extend(blamed.filter(|_| vanishes).map(|&between| Intrusion {
                before,
                between,
                after,
            }));
        }
    }
    Some(found)
}

/// Other operations of the same tasks that lie within an intrusion and look like it. Whole tasks were moved to find the
/// intrusion, so that these may be the reason as well.
pub(super) fn within(events: &[Event], outer: &Intrusion) -> Vec<Intrusion> {
    let task = |index: usize| events[index].task;
    let inner = separations(events).into_iter().filter(|inner| {
        let is_inside = inner.before >= outer.before && inner.after <= outer.after;
        is_inside && task(inner.before) == task(outer.before)
    });
    let inner = inner.flat_map(|inner| {
        inner.between.into_iter().map(move |between| Intrusion {
            before: inner.before,
            between,
            after: inner.after,
        })
    });
    inner
        .filter(|inner| task(inner.between) == task(outer.between))
        .collect()
}

/// Two operations of one task on one object, and those of others on it in between.
struct Separation {
    before: usize,
    after: usize,
    between: Vec<usize>,
}

fn separations(events: &[Event]) -> Vec<Separation> {
    let mut found = Vec::new();
    for (before, one) in events.iter().enumerate() {
        if !one.is_part() || !one.is_performed {
            continue;
        }
        let is_next = |event: &Event| {
            event.task == one.task && event.op.object == one.op.object && event.is_part()
        };
        let Some(offset) = events[before + 1..].iter().position(is_next) else {
            continue;
        };
        let after = before + 1 + offset;
        let is_between = |&index: &usize| {
            let event = &events[index];
            let conflicts = event.conflicts_with(one) && event.conflicts_with(&events[after]);
            event.task != one.task && event.is_part() && conflicts
        };
        let between: Vec<usize> = (before + 1..after).filter(is_between).collect();
        if !between.is_empty() {
            found.push(Separation {
                before,
                after,
                between,
            });
        }
    }
    found
}

/// The other tasks do all they do before the first of the two.
fn others_first(events: &[Event], before: usize, others: &[TaskId]) -> Vec<TaskId> {
    let is_moved = |index: &usize| *index > before && others.contains(&events[*index].task);
    let moved = (0..events.len()).filter(is_moved);
    let rest = (before..events.len()).filter(|index| !is_moved(index));
    let order = (0..before).chain(moved).chain(rest);
    order.map(|index| events[index].task).collect()
}

/// The other tasks wait until the one is through with all it does.
fn others_later(events: &[Event], before: usize, after: usize, others: &[TaskId]) -> Vec<TaskId> {
    let task = events[after].task;
    let is_held = |index: &usize| *index > before && others.contains(&events[*index].task);
    let is_own = |index: &usize| *index > before && events[*index].task == task;
    let own = (0..events.len()).filter(is_own);
    let held = (0..events.len()).filter(is_held);
    let rest = (before + 1..events.len()).filter(|index| !is_own(index) && !is_held(index));
    let order = (0..=before).chain(own).chain(held).chain(rest);
    order.map(|index| events[index].task).collect()
}
