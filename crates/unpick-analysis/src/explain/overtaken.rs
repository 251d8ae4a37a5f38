//! Stores that were overtaken: what a fence would have kept from happening.
//!
//! Where memory is weak, a store waits in a buffer until a *flush* lets others see it. If its task goes on
//! meanwhile, what comes later is seen before it.

use super::Cause;
use super::events::Event;
use super::pattern::Known;
use unpick_trace::{OpKind, TaskId, Trace};

/// Whether a task went on while a store of its own waited, and the failure needs both: that another task did not
/// see the store in time, and what its task did meanwhile.
pub(super) fn is_overtaken(known: &Known<'_>, cause: &Cause) -> bool {
    let (first, flush) = (&known.events[cause.first], &known.events[cause.second]);
    let owner = owner_of(known, flush.task);
    let (Some(store), Some(seen)) = (store_of(known, flush), first.step()) else {
        return false;
    };
    // It may not have left before the end.
    let left = flush.step().unwrap_or(usize::MAX);
    let causes = known.causes.iter();
    let mut involved = causes.flat_map(|cause| [cause.first, cause.second]);
    let overtakes = |event: &Event| {
        let begun = match event.op.kind {
            OpKind::Flush if event.task != flush.task => store_of(known, event),
            OpKind::Flush => None,
            _ => event.step(),
        };
        let is_its = owner_of(known, event.task) == owner;
        let is_meanwhile = event.step().is_some_and(|step| step < left);
        is_its && is_meanwhile && begun.is_some_and(|begun| begun > store)
    };
    owner != owner_of(known, first.task)
        && (store..left).contains(&seen)
        && involved.any(|index| overtakes(&known.events[index]))
}

/// Whether a store was seen by a task that did not see an older one of the same task, though it looked.
pub(super) fn is_seen_first(known: &Known<'_>, cause: &Cause) -> bool {
    let (flush, second) = (&known.events[cause.first], &known.events[cause.second]);
    let (Some(store), Some(left), Some(seen)) =
        (store_of(known, flush), flush.step(), second.step())
    else {
        return false;
    };
    let owner = owner_of(known, flush.task);
    let flushes = known
        .events
        .iter()
        .filter(|event| event.op.kind == OpKind::Flush && owner_of(known, event.task) == owner);
    let mut older = flushes.filter_map(|event| {
        let is_older = store_of(known, event).is_some_and(|other| other < store);
        let left_at = event.step().unwrap_or(usize::MAX);
        (is_older && left_at > left).then_some((event.op.object, left_at))
    });
    older.any(|(object, left_at)| {
        let mut looks = known
            .events
            .iter()
            .filter(|event| event.task == second.task);
        looks.any(|event| {
            let is_between = |step: usize| seen < step && step < left_at;
            event.op.object == object && event.step().is_some_and(is_between)
        })
    })
}

/// Whether stores were in a buffer when the execution ended.
pub(super) fn leaves_stores_behind(trace: &Trace) -> bool {
    let stored = trace.operations().filter(|step| step.op.is_buffered());
    let flushed = trace
        .operations()
        .filter(|step| step.op.kind == OpKind::Flush);
    stored.count() > flushed.count()
}

/// The task whose stores an agent lets out; any other task itself.
fn owner_of(known: &Known<'_>, task: TaskId) -> TaskId {
    let trace = &known.failing.trace;
    match trace.tasks.get(task.index()) {
        Some(info) if is_agent(known, task) => info.parent,
        _ => task,
    }
}

fn is_agent(known: &Known<'_>, task: TaskId) -> bool {
    let mut events = known.events.iter();
    events.any(|event| event.task == task && event.op.kind == OpKind::Flush)
}

/// The step of the store that a flush lets out.
fn store_of(known: &Known<'_>, flush: &Event) -> Option<usize> {
    if flush.op.kind != OpKind::Flush {
        return None;
    }
    let trace = &known.failing.trace;
    let owner = owner_of(known, flush.task);
    // With several agents each has a variable of its own.
    let tasks = (0..trace.tasks.len()).map(|index| TaskId(index as u32));
    let agents = tasks.filter(|&task| is_agent(known, task) && owner_of(known, task) == owner);
    let is_only_one = agents.count() == 1;
    let steps = trace.steps.iter().enumerate();
    let stores = steps.filter(|(_, step)| {
        let is_its = is_only_one || step.op.object == flush.op.object;
        step.is_operation() && step.task == owner && step.op.is_buffered() && is_its
    });
    let mut stores = stores.map(|(index, _)| index);
    stores.nth(usize::try_from(flush.number).ok()?.checked_sub(1)?)
}
