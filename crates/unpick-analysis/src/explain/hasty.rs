//! Whether the failing task was too early: what it relies on has not been done yet by another one.
//!
//! Such an ordering cannot be turned round within the execution, since its second half never happened in
//! it. So the failing task is held before one operation after the other, from its last one on, until another
//! task has done all it can.

use super::Event;
use super::events::At;
use crate::shrink::{Ended, Run};
use unpick_trace::{ObjectId, ObjectInfo, Outcome, Plan, Segment, TaskId, Trace, same_failure};

/// Operations before which the failing task is held, at most.
const HELD_MAX: usize = 16;

/// More than a task performs.
const ALL: u64 = u64::MAX / 2;

/// An operation of the failing task, as an index, and one of another task that should have come before it.
pub(super) fn ordering(
    failing: &Ended,
    events: &[Event],
    run: &mut Run<'_>,
) -> Option<(usize, Event)> {
    let Outcome::Fail(failure) = &failing.outcome else {
        return None;
    };
    let tasks = || (0..failing.trace.tasks.len()).map(|task| TaskId(task as u32));
    let of_task = events.iter().enumerate().rev();
    let of_task = of_task.filter(|(_, event)| event.task == failure.task && event.is_part());
    let of_task = of_task.take(HELD_MAX);
    let pairs = of_task.flat_map(|(index, _)| tasks().map(move |other| (index, other)));
    let pairs = pairs.filter(|(_, other)| *other != failure.task);
    for (index, other) in pairs.chain(read_elsewhere(failing, failure.task, events)) {
        let before = events[..index].iter().map(|event| event.task);
        let mut segments = Segment::of(before);
        segments.push(Segment {
            task: other,
            operations: ALL,
        });
        let ended = run(&Plan::new(&failing.trace, &segments))?;
        if !same_failure(&ended.outcome, &failing.outcome)
            && let Some(mut late) = done_before(&ended, &events[index], other, events)
        {
            late.op.object = known_object(&failing.trace, &ended.trace, late.op.object);
            return Some((index, late));
        }
    }
    None
}

/// What tasks have read that did not fail themselves, the last one first, with each other task, which should perhaps have
/// done something before: the harness of a test fails for the task that panicked.
fn read_elsewhere<'a>(
    failing: &'a Ended,
    failed: TaskId,
    events: &'a [Event],
) -> impl Iterator<Item = (usize, TaskId)> {
    let read = events.iter().enumerate().rev();
    let read =
        read.filter(move |(_, event)| event.task != failed && event.is_access() && !event.writes());
    read.take(HELD_MAX).flat_map(move |(index, event)| {
        let tasks = (0..failing.trace.tasks.len()).map(|task| TaskId(task as u32));
        let own = event.task;
        let others = tasks.filter(move |other| *other != own && *other != failed);
        others.map(move |other| (index, other))
    })
}

/// The operation of `other` that comes before `event` in an execution that does not fail, conflicts with it,
/// and did not happen in the one that does.
fn done_before(ended: &Ended, event: &Event, other: TaskId, events: &[Event]) -> Option<Event> {
    let performed = events.iter().filter(|event| event.is_performed);
    let known = performed.filter(|event| event.task == other).count() as u64;
    let (mut done, mut number) = (0, 0);
    for step in ended.trace.operations() {
        done += u64::from(step.task == event.task);
        if done == event.number {
            return None;
        }
        number += u64::from(step.task == other);
        let is_new = step.task == other && number > known;
        if is_new && step.op.conflicts_with(&event.op) {
            return Some(Event {
                task: other,
                number,
                op: step.op,
                at: At::Later,
                is_performed: false,
            });
        }
    }
    None
}

/// The object of another execution as the failing one numbers it. [`ObjectId::NONE`] if no task has used it there.
fn known_object(failing: &Trace, other: &Trace, object: ObjectId) -> ObjectId {
    let Some(info) = other.objects.get(object.0 as usize) else {
        return ObjectId::NONE;
    };
    let name = |info: &ObjectInfo| (info.kind, info.task, info.index);
    let mut known = failing.objects.iter();
    let place = known.position(|one| name(one) == name(info));
    place.map_or(ObjectId::NONE, |place| ObjectId(place as u32))
}
