//! Answering a question by a SAT solver with a theory of order: DPLL(T), with lazy expansion.
//!
//! The solver first knows nothing but what must be performed and what the target is to see. Where it has
//! the choice, it keeps the order of the trace, so that the schedule it proposes is almost right. The
//! schedule is performed; the reads that see something wrong and the sections that overlap are explained
//! to the solver, and it proposes another one. Few constraints are ever needed of all there are.

mod acyclic;
mod clauses;
#[cfg(test)]
pub(crate) mod tests;
mod theory;

use crate::closure::Closure;
use crate::groups::{Split, splits};
use crate::model::{Model, Span};
use crate::query::Plan;
use crate::replay::Replay;
use crate::search::Found;
use clauses::Clauses;
use std::collections::HashSet;
use unpick_engine::transcript::EventId;

/// What the solver came to, and at what cost.
pub(crate) struct Outcome {
    pub found: Found,
    pub clause_count: u64,
    pub conflict_count: u64,
}

/// Looks for a schedule, with `conflict_count_max` conflicts at most.
pub(crate) fn solve(
    model: &Model,
    plan: &Plan,
    closure: &Closure<'_>,
    conflict_count_max: u64,
) -> Outcome {
    let mut clauses = Clauses::new(model, plan, closure, conflict_count_max);
    let mut explained = HashSet::new();
    let found = loop {
        let found = clauses.solve();
        let Found::Schedule(schedule) = &found else {
            break found;
        };
        let mut faults = faults(model, schedule);
        let splits = splits(model, plan, schedule).into_iter();
        faults.extend(splits.map(Fault::Split));
        if faults.is_empty() {
            break found;
        }
        for fault in faults {
            assert!(
                explained.insert(fault),
                "internal error: {fault:?} was explained and is still there"
            );
            match fault {
                Fault::Read(read) => clauses.add_read(read),
                Fault::Sections(one, other) => clauses.add_sections(one, other),
                Fault::Window(notify, wait) => clauses.add_window(notify, wait),
                Fault::Split(split) => clauses.add_split(split),
            }
        }
    };
    Outcome {
        found,
        clause_count: clauses.count,
        conflict_count: clauses.conflict_count(),
    }
}

/// What is wrong with a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Fault {
    /// A read sees something else.
    Read(EventId),
    /// Two sections of one lock overlap.
    Sections(Span, Span),
    /// A notification meets a waiter.
    Window(EventId, Span),
    /// Something comes between the events of a transition.
    Split(Split),
}

/// Performs a schedule whatever happens and notes what is wrong.
fn faults(model: &Model, schedule: &[EventId]) -> Vec<Fault> {
    let mut replay = Replay::new(model);
    let mut held: Vec<Vec<Span>> = vec![Vec::new(); model.sections.len()];
    let mut faults = Vec::new();
    for &event in schedule {
        if let Some((_, value)) = model.events[event].reads()
            && replay.value_for(event) != Some(value)
        {
            faults.push(Fault::Read(event));
        }
        if let Some((lock, at)) = model.opens[event] {
            let span = model.sections[lock as usize][at as usize];
            let open = &mut held[lock as usize];
            faults.extend(open.iter().map(|&other| Fault::Sections(other, span)));
            open.push(span);
        }
        if let Some((lock, _)) = model.closes[event] {
            held[lock as usize].retain(|span| span.closes != Some(event));
        }
        for &span in model.avoids.get(&event).into_iter().flatten() {
            let is_over = span.closes.is_some_and(|end| replay.is_done(end));
            if replay.is_done(span.opens) && !is_over {
                faults.push(Fault::Window(event, span));
            }
        }
        replay.perform(event);
    }
    faults
}
