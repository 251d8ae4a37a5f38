//! What a schedule must satisfy, as clauses over three kinds of statements.
//!
//! - *performed(e)*: the schedule contains e;
//! - *before(a, b)*: a comes before b, if both are performed;
//! - *sources*: this read finds its value in that place.
//!
//! This is Φ_mhb ∧ Φ_lock ∧ Φ_validity ∧ Φ_state of the dissertation for prefixes. A statement that the
//! must-order decides is no variable. Clauses of reads and sections are added when they are asked for.

use super::theory::Order;
use crate::closure::{Candidates, Closure};
use crate::groups::Split;
use crate::model::{Model, Span};
use crate::query::Plan;
use crate::search::Found;
use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use std::collections::HashMap;
use unpick_engine::transcript::EventId;

/// Stops the solver after a number of conflicts.
pub(super) struct Conflicts {
    left: u64,
}

impl Callbacks for Conflicts {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind != ClauseKind::Axiom {
            self.left = self.left.saturating_sub(1);
        }
    }

    fn stop(&self) -> bool {
        self.left == 0
    }
}

/// A statement, or what is known of it already.
#[derive(Clone, Copy)]
enum Statement {
    Known(bool),
    Open(Lit),
}

use Statement::{Known, Open};

impl std::ops::Not for Statement {
    type Output = Statement;

    fn not(self) -> Statement {
        match self {
            Known(truth) => Known(!truth),
            Open(literal) => Open(!literal),
        }
    }
}

/// The clauses of a question, as far as they were asked for.
pub(super) struct Clauses<'m> {
    model: &'m Model,
    plan: &'m Plan,
    closure: &'m Closure<'m>,
    solver: Solver<Conflicts>,
    order: Order,
    performed: Vec<Option<Lit>>,
    before: HashMap<(EventId, EventId), Lit>,
    clause: Vec<Lit>,
    /// How many clauses there are.
    pub count: u64,
}

impl<'m> Clauses<'m> {
    /// The clauses that say what is performed and what the target is to see.
    pub fn new(
        model: &'m Model,
        plan: &'m Plan,
        closure: &'m Closure<'m>,
        conflict_count_max: u64,
    ) -> Clauses<'m> {
        let callbacks = Conflicts {
            left: conflict_count_max,
        };
        let mut clauses = Clauses {
            model,
            plan,
            closure,
            solver: Solver::new(SolverOpts::default(), callbacks),
            order: Order::new(model.events.len()),
            performed: vec![None; model.events.len()],
            before: HashMap::new(),
            clause: Vec::new(),
            count: 0,
        };
        for event in plan.events(model) {
            for before in model.order.predecessors(event) {
                clauses.order.fix(before, event);
            }
            if !closure.must_perform(event) {
                // The beginning of the trace is a feasible schedule, if not the right one.
                let variable = clauses.solver.new_var(lbool::new(event < plan.start), true);
                clauses.performed[event] = Some(Lit::new(variable, true));
            }
        }
        for &(first, second) in &closure.edges {
            clauses.order.fix(first, second);
        }
        for event in plan.events(model) {
            for before in model.order.predecessors(event) {
                let (before, event) = (clauses.performed(before), clauses.performed(event));
                clauses.add(&[!event, before]);
            }
            // A transition is performed as a whole, but for the one that ends with the target.
            let group = model.groups.of(event).unwrap_or_default();
            let mut rest = group.iter().skip_while(|&&one| one != event).skip(1);
            if let Some(&next) = rest.next().filter(|&&next| plan.may_perform(model, next)) {
                let (next, event) = (clauses.performed(next), clauses.performed(event));
                clauses.add(&[!event, next]);
            }
        }
        clauses.add_target();
        clauses
    }

    /// Looks for a schedule that satisfies the clauses so far. Without one, says whether the budget did
    /// not suffice.
    pub fn solve(&mut self) -> Found {
        let truth = self.solver.solve_limited_th(&mut self.order, &[]);
        if truth == lbool::TRUE {
            Found::Schedule(self.schedule())
        } else if truth == lbool::FALSE {
            Found::Nothing
        } else {
            Found::GaveUp
        }
    }

    /// How many conflicts there were.
    pub fn conflict_count(&self) -> u64 {
        self.solver.num_conflicts()
    }

    /// Says that a read of the schedule sees what it saw in the trace.
    pub fn add_read(&mut self, read: EventId) {
        let Some((location, value)) = self.model.events[read].reads() else {
            return;
        };
        let model = self.model;
        let is_other = |&write: &EventId| write != read && model.written(write).1 != value;
        let others: Vec<EventId> = self.possible_writes(location).filter(is_other).collect();
        let own = model.order.forwards[read];
        let candidates = self.closure.candidates(read);
        let is_read = self.performed(read);
        let sources = self.sources(&candidates, location, read, is_read);
        for (&write, &chosen) in candidates.writes.iter().zip(&sources) {
            let performed = self.performed(write);
            self.add(&[!chosen, performed]);
            let before = self.before(write, read);
            self.add(&[!chosen, before]);
            // Were the own write still in the buffer, it would be seen.
            if let Some(own) = own.filter(|own| others.contains(own)) {
                let (performed, before) = (self.performed(own), self.before(own, read));
                self.add(&[!chosen, performed]);
                self.add(&[!chosen, before]);
            }
            for &other in &others {
                // No statement is made up that no clause needs.
                if self.closure.is_before(other, write) || self.closure.is_before(read, other) {
                    continue;
                }
                let is_there = self.performed(other);
                let outside = [self.before(other, write), self.before(read, other)];
                self.add(&[!chosen, !is_there, outside[0], outside[1]]);
            }
        }
        let mut rest = sources[candidates.writes.len()..].iter();
        if candidates.initial
            && let Some(&chosen) = rest.next()
        {
            for &other in &others {
                let (is_there, later) = (self.performed(other), self.before(read, other));
                self.add(&[!chosen, !is_there, later]);
            }
        }
        if let Some(own) = candidates.forward
            && let Some(&chosen) = rest.next()
        {
            let (is_there, later) = (self.performed(own), self.before(read, own));
            self.add(&[!chosen, !is_there, later]);
        }
    }

    /// Says that two sections of one lock do not overlap.
    pub fn add_sections(&mut self, one: Span, other: Span) {
        let both = [!self.performed(one.opens), !self.performed(other.opens)];
        let is_first = self.before(one.opens, other.opens);
        for (first, second, condition) in [(one, other, !is_first), (other, one, is_first)] {
            self.add_over(&both, condition, first.closes, second.opens);
        }
    }

    /// Says that a notification is not made while a wait is going on.
    pub fn add_window(&mut self, notify: EventId, wait: Span) {
        let both = [!self.performed(notify), !self.performed(wait.opens)];
        let is_before = self.before(notify, wait.opens);
        self.add_over(&both, is_before, wait.closes, notify);
    }

    /// Says that an event does not come between two others.
    pub fn add_split(&mut self, split: Split) {
        let Split {
            event,
            before,
            behind,
        } = split;
        let both = [!self.performed(event), !self.performed(before)];
        let is_earlier = self.before(event, before);
        let is_later = behind.map_or(Known(false), |behind| self.before(behind, event));
        self.add(&[both[0], both[1], is_earlier, is_later]);
    }

    /// Says that a span is over when `event` is performed, unless one of the others holds.
    fn add_over(
        &mut self,
        unless: &[Statement; 2],
        or: Statement,
        end: Option<EventId>,
        event: EventId,
    ) {
        let is_over = end.map_or(Known(false), |end| self.performed(end));
        self.add(&[unless[0], unless[1], or, is_over]);
        if let Some(end) = end {
            let before = self.before(end, event);
            self.add(&[unless[0], unless[1], or, before]);
        }
    }

    fn schedule(&self) -> Vec<EventId> {
        let is_performed = |&event: &EventId| match self.performed[event] {
            Some(literal) => self.solver.value_lit(literal) == lbool::TRUE,
            None => self.closure.must_perform(event),
        };
        let events = self.plan.events(self.model);
        let mut schedule: Vec<EventId> = events.filter(is_performed).collect();
        schedule.sort_unstable_by_key(|&event| self.order.rank(event));
        schedule
    }

    fn add_target(&mut self) {
        let Some((read, location, wanted)) = self.plan.target else {
            return;
        };
        let model = self.model;
        let is_other = |&write: &EventId| !wanted.allows(model, location, Some(write));
        let others: Vec<EventId> = self.possible_writes(location).filter(is_other).collect();
        let own = model.order.forwards[read];
        let candidates = self.closure.target_candidates();
        let sources = self.sources(&candidates, location, read, Known(true));
        for (&write, &chosen) in candidates.writes.iter().zip(&sources) {
            let performed = self.performed(write);
            self.add(&[!chosen, performed]);
            if let Some(own) = own.filter(|own| others.contains(own)) {
                let performed = self.performed(own);
                self.add(&[!chosen, performed]);
            }
            for &other in &others {
                let (is_there, earlier) = (self.performed(other), self.before(other, write));
                self.add(&[!chosen, !is_there, earlier]);
            }
        }
        let mut rest = sources[candidates.writes.len()..].iter();
        if candidates.initial
            && let Some(&chosen) = rest.next()
        {
            for &other in &others {
                let is_there = self.performed(other);
                self.add(&[!chosen, !is_there]);
            }
        }
        if let Some(own) = candidates.forward
            && let Some(&chosen) = rest.next()
        {
            let is_there = self.performed(own);
            self.add(&[!chosen, !is_there]);
        }
    }

    /// A statement for each candidate, in order: the writes, the beginning, the own buffer; one of them
    /// holds if `condition` does.
    fn sources(
        &mut self,
        candidates: &Candidates,
        location: u32,
        read: EventId,
        condition: Statement,
    ) -> Vec<Statement> {
        let writers = &self.model.writers[location as usize];
        let last = writers.iter().rev().find(|&&write| write < read).copied();
        let writes = candidates.writes.iter().map(|&write| Some(write) == last);
        let initial = candidates.initial.then_some(last.is_none());
        let forward = candidates.forward.map(|own| own > read);
        let likely: Vec<bool> = writes.chain(initial).chain(forward).collect();
        if likely.len() == 1 {
            return vec![condition];
        }
        let mut sources: Vec<Statement> = Vec::new();
        for is_likely in likely {
            // As in the trace, if it can be.
            let variable = self.solver.new_var(lbool::new(is_likely), true);
            sources.push(Open(Lit::new(variable, true)));
        }
        let mut clause = sources.clone();
        clause.push(!condition);
        self.add(&clause);
        sources
    }

    fn possible_writes(&self, location: u32) -> impl Iterator<Item = EventId> + use<'m> {
        let (model, plan) = (self.model, self.plan);
        let writers = model.writers[location as usize].iter().copied();
        writers.filter(move |&write| plan.may_perform(model, write))
    }

    fn performed(&self, event: EventId) -> Statement {
        match self.performed[event] {
            Some(literal) => Open(literal),
            None => Known(self.closure.must_perform(event)),
        }
    }

    fn before(&mut self, first: EventId, second: EventId) -> Statement {
        if first == second || self.closure.is_before(second, first) {
            return Known(false);
        }
        if self.closure.is_before(first, second) {
            return Known(true);
        }
        let pair = (first.min(second), first.max(second));
        let literal = match self.before.get(&pair) {
            Some(&literal) => literal,
            None => {
                // As in the trace, if it can be.
                let variable: Var = self.solver.new_var(lbool::TRUE, true);
                self.order.define(variable, pair.0, pair.1);
                let literal = Lit::new(variable, true);
                self.before.insert(pair, literal);
                literal
            }
        };
        Open(if first < second { literal } else { !literal })
    }

    fn add(&mut self, statements: &[Statement]) {
        self.clause.clear();
        for &statement in statements {
            match statement {
                Known(true) => return,
                Known(false) => {}
                Open(literal) => self.clause.push(literal),
            }
        }
        self.count += 1;
        self.solver.add_clause_reuse(&mut self.clause);
    }
}
