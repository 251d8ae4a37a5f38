//! Turning one ordering round.

use super::{Cause, Event};
use crate::shrink::{Ended, Run};
use unpick_trace::{Plan, Segment, TaskId, same_failure};

/// What comes of turning an ordering round.
pub(super) enum Reversed {
    /// The program does not let it be turned round, or fails all the same.
    NoMatter,
    /// The failure vanishes: these executions end otherwise.
    Vanished(Vec<Ended>),
    /// There was no time to find out.
    Unknown,
}

/// Has the second operation come before the first.
pub(super) fn reverse(
    failing: &Ended,
    events: &[Event],
    cause: Cause,
    run: &mut Run<'_>,
) -> Reversed {
    let mut others = Vec::new();
    for order in [advanced(events, cause), delayed(events, cause)] {
        let plan = Plan::new(&failing.trace, &Segment::of(order));
        let Some(ended) = run(&plan) else {
            return Reversed::Unknown;
        };
        if !comes_first(&ended, &events[cause.second], &events[cause.first]) {
            continue;
        }
        if same_failure(&ended.outcome, &failing.outcome) {
            return Reversed::NoMatter;
        }
        others.push(ended);
    }
    match others.is_empty() {
        true => Reversed::NoMatter,
        false => Reversed::Vanished(others),
    }
}

/// The task of the second operation goes on up to it, before the first one is performed; everybody else
/// stays in the order there was.
fn advanced(events: &[Event], cause: Cause) -> Vec<TaskId> {
    let (first, second) = (cause.first, &events[cause.second]);
    let is_moved = |index: &usize| {
        *index > first && *index <= cause.second && events[*index].task == second.task
    };
    let before = 0..first;
    let moved = (0..events.len()).filter(is_moved);
    let rest = (first..events.len()).filter(|index| !is_moved(index));
    performed(events, before.chain(moved).chain(rest))
}

/// The task of the first operation waits until the second one has been performed; everybody else goes on
/// in the order there was.
fn delayed(events: &[Event], cause: Cause) -> Vec<TaskId> {
    let task = events[cause.first].task;
    let is_held = |index: &usize| {
        *index >= cause.first && *index < cause.second && events[*index].task == task
    };
    let up_to = (0..=cause.second).filter(|index| !is_held(index));
    let held = (0..=cause.second).filter(is_held);
    let rest = cause.second + 1..events.len();
    performed(events, up_to.chain(held).chain(rest))
}

/// The tasks of events. One that waits to perform an operation is given the turn as well: it may be able to
/// perform it in the other order.
fn performed(events: &[Event], order: impl Iterator<Item = usize>) -> Vec<TaskId> {
    order.map(|index| events[index].task).collect()
}

/// Whether an operation comes before another one. One that waits for others to make it possible comes when its
/// task has performed everything before it.
fn comes_first(ended: &Ended, one: &Event, other: &Event) -> bool {
    let position = |event: &Event| {
        let number = event.number - u64::from(!event.is_performed && event.waits());
        // Counted from 1: what waits from the beginning comes before all operations.
        let Some(before) = number.checked_sub(1) else {
            return Some(0);
        };
        let operations = ended.trace.operations().zip(1..);
        let mut of_task = operations.filter(|(step, _)| step.task == event.task);
        of_task.nth(before as usize).map(|(_, position)| position)
    };
    match (position(one), position(other)) {
        (Some(one), Some(other)) => one < other,
        (Some(_), None) => true,
        (None, _) => false,
    }
}
