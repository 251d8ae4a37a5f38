//! Questions written down for other solvers, in SMT-LIB 2 (QF_IDL).
//!
//! Straight from the definitions: an integer for the time of each event and a Boolean for whether it is
//! performed; no closure, no laziness. Serves to check the built-in solver, never to answer users.

use crate::model::{Model, Span};
use crate::query::{Plan, Query};
use std::fmt::Write;
use unpick_engine::transcript::EventId;

/// The question as a list of commands up to `(check-sat)`. The answer is `sat` if and only if
/// [`crate::Solver::solve`] finds a schedule.
pub fn smtlib(model: &Model, query: &Query) -> String {
    let mut text = String::from("(set-logic QF_IDL)\n");
    match Plan::new(model, query) {
        Some(plan) => write_plan(&mut text, model, &plan),
        None => text.push_str("(assert false)\n"),
    }
    text.push_str("(check-sat)\n");
    text
}

fn write_plan(text: &mut String, model: &Model, plan: &Plan) {
    let writer = Writer { model, plan };
    for event in plan.events(model) {
        _ = writeln!(
            text,
            "(declare-const p{event} Bool)\n(declare-const t{event} Int)"
        );
    }
    let mut assert = |formula: String| _ = writeln!(text, "(assert {formula})");
    for (chain, &required) in model.order.chains.iter().zip(&plan.required) {
        for event in &chain[..required as usize] {
            assert(format!("p{event}"));
        }
    }
    for event in plan.events(model) {
        for before in model.order.predecessors(event) {
            assert(format!(
                "(and (=> p{event} p{before}) {})",
                before_text(before, event)
            ));
        }
        if model.events[event].reads().is_some() {
            assert(format!("(=> p{event} {})", writer.read(event)));
        }
        for span in model.avoids.get(&event).into_iter().flatten() {
            if plan.may_perform(model, span.opens) {
                let early = before_text(event, span.opens);
                let late = writer.over(*span, event);
                assert(format!(
                    "(=> (and p{event} p{}) (or {early} {late}))",
                    span.opens
                ));
            }
        }
    }
    for sections in &model.sections {
        let opened = sections
            .iter()
            .filter(|span| plan.may_perform(model, span.opens));
        let opened: Vec<Span> = opened.copied().collect();
        for (at, &one) in opened.iter().enumerate() {
            for &other in &opened[..at] {
                let (first, second) =
                    (writer.over(one, other.opens), writer.over(other, one.opens));
                assert(format!(
                    "(=> (and p{} p{}) (or {first} {second}))",
                    one.opens, other.opens
                ));
            }
        }
    }
    if plan.target.is_some() {
        assert(writer.target());
    }
}

fn before_text(first: EventId, second: EventId) -> String {
    format!("(< t{first} t{second})")
}

struct Writer<'m> {
    model: &'m Model,
    plan: &'m Plan,
}

impl Writer<'_> {
    /// A span has been closed when `event` is performed.
    fn over(&self, span: Span, event: EventId) -> String {
        match span
            .closes
            .filter(|&end| self.plan.may_perform(self.model, end))
        {
            Some(end) => format!("(and p{end} {})", before_text(end, event)),
            None => "false".into(),
        }
    }

    /// A read sees what it saw in the trace.
    fn read(&self, read: EventId) -> String {
        let (location, value) = self.model.events[read].reads().unwrap_or_default();
        let is_right = |source: Option<EventId>| match source {
            Some(write) => self.model.written(write).1 == value,
            None => self.model.initial[location as usize] == Some(value),
        };
        self.sees(read, location, is_right, Some(read))
    }

    /// The target sees what it is to see, after everything else.
    fn target(&self) -> String {
        let Some((read, location, wanted)) = self.plan.target else {
            return "true".into();
        };
        let is_right = |source| wanted.allows(self.model, location, source);
        self.sees(read, location, is_right, None)
    }

    /// `read`, performed at the time of `at` or at the end, sees one of the right sources.
    fn sees(
        &self,
        read: EventId,
        location: u32,
        is_right: impl Fn(Option<EventId>) -> bool,
        at: Option<EventId>,
    ) -> String {
        let done = |write: EventId| match at {
            Some(read) => format!("p{write} {}", before_text(write, read)),
            None => format!("p{write}"),
        };
        let writers = self.model.writers[location as usize].iter().copied();
        let may_perform =
            |&write: &EventId| write != read && self.plan.may_perform(self.model, write);
        let writers: Vec<EventId> = writers.filter(may_perform).collect();
        let own = self.model.order.forwards[read];
        let is_own_done = match own {
            Some(own) if !writers.contains(&own) => "false".into(),
            Some(own) => format!("(and {})", done(own)),
            None => "true".into(),
        };
        let mut ways = Vec::new();
        for source in std::iter::once(None).chain(writers.iter().copied().map(Some)) {
            if !is_right(source) {
                continue;
            }
            let mut parts = vec![is_own_done.clone()];
            parts.extend(source.map(done));
            for &other in writers.iter().filter(|&&other| !is_right(Some(other))) {
                let mut unless = format!("(not (and {}))", done(other));
                if let Some(source) = source {
                    unless = format!("(or {unless} {})", before_text(other, source));
                }
                parts.push(unless);
            }
            ways.push(format!("(and {})", parts.join(" ")));
        }
        if own.is_some_and(|own| is_right(Some(own))) {
            ways.push(format!("(not {is_own_done})"));
        }
        format!("(or false {})", ways.join(" "))
    }
}
