//! A schedule without the events that it does not need.
//!
//! Seeds are meant to be short: every read in them is pinned to a value. An event is needed if something
//! needed comes after it by ≺, sees what it wrote, or could not be performed while a span was open that
//! the event closes. Without the rest, all that remains sees what it saw.

use crate::model::{Model, Span};
use crate::query::Plan;
use crate::replay::Replay;
use unpick_engine::transcript::EventId;

/// The needed part of a schedule, with the ending of the plan.
pub(crate) fn trim(model: &Model, plan: &Plan, schedule: &[EventId]) -> Vec<EventId> {
    let (sources, target) = sources(model, plan, schedule);
    let mut needed: Vec<EventId> = target;
    for (chain, &required) in model.order.chains.iter().zip(&plan.required) {
        needed.extend_from_slice(&chain[..required as usize]);
    }
    let mut is_needed = vec![false; model.events.len()];
    let mut kept = Vec::new();
    while !needed.is_empty() {
        while let Some(event) = needed.pop() {
            if !std::mem::replace(&mut is_needed[event], true) {
                needed.extend(model.order.predecessors(event));
                let group = model.groups.of(event).unwrap_or_default().iter();
                needed.extend(group.filter(|&&one| plan.may_perform(model, one)));
                needed.extend_from_slice(&sources[event]);
            }
        }
        kept.clear();
        kept.extend(schedule.iter().copied().filter(|&event| is_needed[event]));
        needed = missing_ends(model, &kept);
    }
    kept.extend_from_slice(&plan.ending);
    kept
}

/// The writes that must have taken effect for each read, and for the target, to see what it sees.
fn sources(model: &Model, plan: &Plan, schedule: &[EventId]) -> (Vec<Vec<EventId>>, Vec<EventId>) {
    let mut replay = Replay::new(model);
    let mut sources = vec![Vec::new(); model.events.len()];
    let seen = |replay: &Replay<'_>, read: EventId, location: u32| match replay.forwarder(read) {
        Some(_) => Vec::new(),
        None => {
            // Were the own write still in the buffer, it would be seen.
            let own = model.order.forwards[read].into_iter();
            own.chain(replay.writers[location as usize]).collect()
        }
    };
    for &event in schedule {
        if let Some((location, _)) = model.events[event].reads() {
            sources[event] = seen(&replay, event, location);
        }
        replay.perform(event);
    }
    let target = plan.target;
    let target = target.map(|(read, location, _)| seen(&replay, read, location));
    (sources, target.unwrap_or_default())
}

/// The ends of spans that are open where they must not be.
fn missing_ends(model: &Model, kept: &[EventId]) -> Vec<EventId> {
    let mut missing = Vec::new();
    let mut is_done = vec![false; model.events.len()];
    let mut held: Vec<Option<Span>> = vec![None; model.sections.len()];
    for &event in kept {
        if let Some((lock, section)) = model.opens[event] {
            let span = model.sections[lock as usize][section as usize];
            let before = held[lock as usize].replace(span);
            missing.extend(before.and_then(|span| span.closes));
        }
        if let Some((lock, _)) = model.closes[event] {
            held[lock as usize] = None;
        }
        for span in model.avoids.get(&event).into_iter().flatten() {
            let end = span.closes.filter(|&end| !is_done[end]);
            missing.extend(end.filter(|_| is_done[span.opens]));
        }
        is_done[event] = true;
    }
    missing
}
