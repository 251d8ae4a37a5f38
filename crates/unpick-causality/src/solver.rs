//! The answer to a question, by a chain of means from quick to thorough.
//!
//! A short search decides most questions about short traces; the must-order refutes most of what is
//! impossible; a SAT solver does the rest. All of them are exact, so who answers does not matter. A longer
//! search after the must-order, as tried elsewhere, does not pay here: the SAT solver starts from what the
//! trace performed and is quicker.

use crate::closure::Closure;
use crate::groups::is_whole;
use crate::lazy;
use crate::model::Model;
use crate::query::{Plan, Query};
use crate::search::{Found, search};
use crate::shortest::shortest;
use crate::trim::trim;
use std::time::Instant;
use unpick_engine::transcript::EventId;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes. These events, performed in this order, show it; nothing among them is superfluous. A read or
    /// the accesses of a race come last. Of a deadlock, the requests themselves are left out.
    Sat(Vec<EventId>),
    /// No program that can produce the trace has to be able to do it.
    Unsat,
    /// The budget did not suffice.
    Unknown,
}

/// How much may be spent on one question. Nothing here is a time, so that answers depend on nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// States of the search.
    pub state_count_max: usize,
    /// Conflicts of the SAT solver.
    pub conflict_count_max: u64,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            state_count_max: 300,
            conflict_count_max: 5_000,
        }
    }
}

/// What was asked and answered, and by which means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Questions.
    pub queries: u64,
    /// Answers that were yes.
    pub sat: u64,
    /// Answers that were no.
    pub unsat: u64,
    /// Answers by a search.
    pub by_search: u64,
    /// Answers by the must-order.
    pub by_closure: u64,
    /// Answers by the SAT solver.
    pub by_solver: u64,
    /// What all questions ask for, by whatever means they are answered: orders that are kept, reads that see their
    /// values, and sections that exclude each other.
    pub constraints: u64,
    /// Clauses given to the SAT solver.
    pub clauses: u64,
    /// Conflicts of the SAT solver.
    pub conflicts: u64,
}

/// Answers questions and counts them.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    /// What may be spent on each question.
    pub budget: Budget,
    /// When the exploration is over, for which the questions are asked. No question is answered from then on.
    pub deadline: Option<Instant>,
    /// What was asked so far.
    pub counts: Counts,
}

impl Solver {
    /// Answers a question about a model.
    pub fn solve(&mut self, model: &Model, query: &Query) -> Answer {
        self.count(model, query, Solver::answer)
    }

    /// As [`Solver::solve`], but with a shortest schedule; the first in the order of the trace if there are
    /// several. Takes the number of states that a search may look at and nothing else.
    pub fn solve_shortest(&mut self, model: &Model, query: &Query) -> Answer {
        self.count(model, query, |solver, model, plan| {
            let found = shortest(model, plan, solver.budget.state_count_max);
            let answer = conclude(model, plan, found);
            solver.counts.by_search += u64::from(answer.is_some());
            answer.unwrap_or(Answer::Unknown)
        })
    }

    fn count(
        &mut self,
        model: &Model,
        query: &Query,
        answer: impl Fn(&mut Solver, &Model, &Plan) -> Answer,
    ) -> Answer {
        self.counts.queries += 1;
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Answer::Unknown;
        }
        let answer = match Plan::new(model, query) {
            Some(plan) => {
                self.counts.constraints += plan.constraint_count(model);
                answer(self, model, &plan)
            }
            None => {
                self.counts.by_closure += 1;
                Answer::Unsat
            }
        };
        match answer {
            Answer::Sat(_) => self.counts.sat += 1,
            Answer::Unsat => self.counts.unsat += 1,
            Answer::Unknown => {}
        }
        answer
    }

    fn answer(&mut self, model: &Model, plan: &Plan) -> Answer {
        let mut found = search(model, plan, self.budget.state_count_max);
        if matches!(&found, Found::Schedule(one) if !is_whole(model, plan, one)) {
            found = Found::GaveUp;
        }
        if let Some(answer) = conclude(model, plan, found) {
            self.counts.by_search += 1;
            return answer;
        }
        let Ok(closure) = Closure::new(model, plan) else {
            self.counts.by_closure += 1;
            return Answer::Unsat;
        };
        let outcome = lazy::solve(model, plan, &closure, self.budget.conflict_count_max);
        self.counts.clauses += outcome.clause_count;
        self.counts.conflicts += outcome.conflict_count;
        let answer = conclude(model, plan, outcome.found);
        self.counts.by_solver += u64::from(answer.is_some());
        answer.unwrap_or(Answer::Unknown)
    }
}

fn conclude(model: &Model, plan: &Plan, found: Found) -> Option<Answer> {
    match found {
        Found::Schedule(schedule) => Some(Answer::Sat(trim(model, plan, &schedule))),
        Found::Nothing => Some(Answer::Unsat),
        Found::GaveUp => None,
    }
}
