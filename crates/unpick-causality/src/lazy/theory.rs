//! The theory of order for the SAT solver: what is said to be before what must not go round in circles.

use super::acyclic::Acyclic;
use batsat::{Lit, Theory, TheoryArg, Var};
use unpick_engine::transcript::EventId;

/// Order of events, with statements about it that the SAT solver decides.
pub(super) struct Order {
    graph: Acyclic<Option<Lit>>,
    /// For a variable, the two events whose order it says.
    pairs: Vec<Option<(EventId, EventId)>>,
    /// The edges of statements that hold.
    edges: Vec<(EventId, EventId)>,
    /// How much of what the solver has decided is in `edges`.
    seen: usize,
    /// What these were at the beginning of each level.
    levels: Vec<(usize, usize)>,
    cycle: Vec<Option<Lit>>,
    conflict: Vec<Lit>,
}

impl Order {
    /// No order between so many events.
    pub fn new(event_count: usize) -> Order {
        Order {
            graph: Acyclic::new(event_count),
            pairs: Vec::new(),
            edges: Vec::new(),
            seen: 0,
            levels: Vec::new(),
            cycle: Vec::new(),
            conflict: Vec::new(),
        }
    }

    /// Fixes the order of two events for good. Comes before all statements.
    pub fn fix(&mut self, first: EventId, second: EventId) {
        let is_new = self.graph.insert(first, second, None, &mut self.cycle);
        assert!(
            is_new,
            "internal error: what must hold goes round in circles"
        );
    }

    /// Lets `variable` say that `first` comes before `second`, or else the other way round.
    pub fn define(&mut self, variable: Var, first: EventId, second: EventId) {
        let index = variable.idx() as usize;
        if self.pairs.len() <= index {
            self.pairs.resize(index + 1, None);
        }
        self.pairs[index] = Some((first, second));
    }

    /// The place of an event in an order that agrees with all that was said last.
    pub fn rank(&self, event: EventId) -> u32 {
        self.graph.rank(event)
    }

    fn check(&mut self, arguments: &mut TheoryArg<'_>) {
        while let Some(&literal) = arguments.model().get(self.seen) {
            self.seen += 1;
            let pair = self.pairs.get(literal.var().idx() as usize);
            let Some(&Some((mut first, mut second))) = pair else {
                continue;
            };
            if !literal.sign() {
                std::mem::swap(&mut first, &mut second);
            }
            self.cycle.clear();
            if self
                .graph
                .insert(first, second, Some(literal), &mut self.cycle)
            {
                self.edges.push((first, second));
                continue;
            }
            self.conflict.clear();
            let others = self.cycle.iter().filter_map(|&other| other);
            self.conflict
                .extend(others.chain([literal]).map(|said| !said));
            // Worth keeping: on long traces a question takes fewer conflicts with these clauses.
            arguments.raise_conflict(&self.conflict, true);
            return;
        }
    }
}

impl Theory for Order {
    fn final_check(&mut self, arguments: &mut TheoryArg<'_>) {
        self.check(arguments);
    }

    fn partial_check(&mut self, arguments: &mut TheoryArg<'_>) {
        self.check(arguments);
    }

    fn create_level(&mut self) {
        self.levels.push((self.edges.len(), self.seen));
    }

    fn pop_levels(&mut self, count: usize) {
        let kept = self.levels.len() - count;
        let Some(&(edge_count, seen)) = self.levels.get(kept) else {
            return;
        };
        self.levels.truncate(kept);
        self.seen = seen;
        while self.edges.len() > edge_count
            && let Some((first, second)) = self.edges.pop()
        {
            self.graph.remove_last(first, second);
        }
    }

    fn n_levels(&self) -> usize {
        self.levels.len()
    }

    fn explain_propagation(&mut self, _: Lit) -> &[Lit] {
        unreachable!("internal error: nothing is propagated")
    }
}
