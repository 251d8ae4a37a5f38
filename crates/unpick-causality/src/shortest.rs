//! The shortest schedule that answers a question: a breadth-first search.
//!
//! The dissertation defines a seed as the shortest sequence that changes what a read sees. Takes time
//! exponential in the number of tasks; for short traces.

use crate::model::Model;
use crate::query::Plan;
use crate::replay::Replay;
use crate::search::Found;
use std::collections::HashSet;
use unpick_engine::transcript::EventId;

/// A state that was reached: by which event, from which state.
type Reached = Option<(EventId, usize)>;

/// Looks at `state_count_max` states at most. Of schedules of one length, the one that comes first in the
/// order of the trace is found.
pub(crate) fn shortest(model: &Model, plan: &Plan, state_count_max: usize) -> Found {
    let mut seen = HashSet::new();
    let mut reached: Vec<Reached> = vec![None];
    let mut at = 0;
    while at < reached.len() {
        let replay = replay_to(model, &plan.prefix, &reached, at);
        let mut chains = replay.position.iter().zip(&plan.required);
        let is_complete = chains.all(|(position, required)| position >= required);
        if is_complete && plan.is_met(model, &replay) {
            return Found::Schedule(replay.schedule());
        }
        // Who wrote matters if a write is asked for; the order of locks is in the positions.
        let state = (replay.position.clone(), replay.writers.clone());
        if seen.insert(state) {
            if seen.len() > state_count_max {
                return Found::GaveUp;
            }
            let chains = model.order.chains.iter().enumerate();
            let open = chains.filter(|&(chain, _)| replay.position[chain] < plan.limit[chain]);
            let next = open.map(|(chain, events)| events[replay.position[chain] as usize]);
            let mut next: Vec<EventId> =
                next.filter(|&event| replay.check(event).is_ok()).collect();
            next.sort_unstable();
            reached.extend(next.into_iter().map(|event| Some((event, at))));
        }
        at += 1;
    }
    Found::Nothing
}

fn replay_to<'m>(
    model: &'m Model,
    prefix: &[EventId],
    reached: &[Reached],
    mut at: usize,
) -> Replay<'m> {
    let mut events = Vec::new();
    while let Some((event, from)) = reached[at] {
        events.push(event);
        at = from;
    }
    let mut replay = Replay::new(model);
    for event in prefix.iter().copied().chain(events.into_iter().rev()) {
        replay.perform(event);
    }
    replay
}
