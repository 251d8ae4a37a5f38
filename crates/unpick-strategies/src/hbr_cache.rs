//! `hbr-cache`: every happens-before relation, depth first.
//!
//! P. Thomson, *Practical systematic concurrency testing for concurrent and distributed software*,
//! PhD thesis, Imperial College London, 2016, section 4.2, algorithm 4; M. Musuvathi and S. Qadeer,
//! *Partial-order reduction for context-bounded state exploration*, Microsoft Research, 2007.
//!
//! ```text
//! H = {}
//! explore(E): H += hbr(E)
//!             for e in enabled(E): if hbr(E·<e>) not in H: explore(E·<e>)
//! ```
//!
//! A prefix whose relation was met before leads to the same state, and everything that can follow was
//! explored from there. The order of branches is that of `dfs`.
//!
//! *Bounds.* `hbr-cache:preemptions=N` and `delays=N` leave out schedules that cost more; a prefix is
//! then given up only if the one met before had spent no more. `iterate=preemptions` and `iterate=delays`
//! begin with bound 0, and anew with the next one, until nothing is left out or a bound shows a failure.
//!
//! *Departures from the paper.* What a transition does besides its operation is known when it is
//! over: a successor is tested before it is executed as far as it can be told, and again, exactly,
//! afterwards. A transition given up then was executed in vain, which shows as an execution that is
//! no schedule. Under a bound, prefixes are the same only if the same task ran last, since that
//! decides what the next step costs. Hashes stand for relations.

mod bound;
mod walk;

use crate::bounding::Price;
use crate::dfs::{diverged, ended_early, is_diverged, nth_from};
use crate::names::Names;
use crate::visited::Visited;
use alloc::vec::Vec;
pub use bound::Bound;
use unpick_engine::{Begin, Execution, History, Relation, Stop, Strategy, View};
use unpick_trace::{Choice, Outcome, TaskId};
use walk::Walk;

/// An odd number without pattern.
const SPREAD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// A point of the current path with more than one option.
struct Node {
    options: u32,
    taken: u32,
    /// The hashes of the successors; none where a question is answered.
    successors: Vec<u128>,
    price: Price,
    /// What the path has cost up to here.
    cost: u32,
}

/// Depth-first search that never enters a prefix with a relation it has met.
pub struct HbrCache {
    relation: Relation,
    bound: Bound,
    /// Prefixes as expected before their last event was executed.
    expected: Visited,
    /// Prefixes as they were.
    met: Visited,
    /// Relations of whole schedules, of all bounds.
    ended: Visited,
    stack: Vec<Node>,
    depth: usize,
    /// How many nodes this execution follows.
    followed: usize,
    cost: u32,
    has_skipped: bool,
    has_begun: bool,
    walk: Walk,
    history: History,
    names: Names,
}

impl HbrCache {
    /// A search at its beginning.
    pub fn new(bound: Bound) -> HbrCache {
        HbrCache::of(Relation::Regular, bound)
    }

    pub(crate) fn of(relation: Relation, bound: Bound) -> HbrCache {
        HbrCache {
            relation,
            bound,
            expected: Visited::default(),
            met: Visited::default(),
            ended: Visited::default(),
            stack: Vec::new(),
            depth: 0,
            followed: 0,
            cost: 0,
            has_skipped: false,
            has_begun: false,
            walk: Walk::default(),
            history: History::new(&[relation]),
            names: Names::default(),
        }
    }

    /// The next branch of a node, from `first` on, that is within the bound and leads to news.
    fn branch_from(&mut self, node: &Node, first: u32) -> Option<u32> {
        (first..node.options).find(|&branch| {
            let cost = node.cost + node.price.of(branch);
            if !self.bound.allows(cost) {
                self.has_skipped = true;
                return false;
            }
            let successor = node.successors.get(branch as usize);
            successor.is_none_or(|&hash| self.expected.visit(hash, cost))
        })
    }

    /// Follows the stored branch, or takes the first one that leads to news.
    fn enter(&mut self, node: Node, view: &View<'_>) -> Result<u32, Stop> {
        let taken = match self.stack.get(self.depth) {
            Some(known) if known.options != node.options => {
                return Err(diverged(view, known.options, node.options));
            }
            Some(known) => known.taken,
            None => {
                let taken = self.branch_from(&node, 0).ok_or(Stop::Cut)?;
                self.stack.push(Node { taken, ..node });
                taken
            }
        };
        let node = &self.stack[self.depth];
        self.cost = node.cost + node.price.of(taken);
        self.depth += 1;
        Ok(taken)
    }

    /// The hash by which a prefix is known. What the next step costs depends on who ran last.
    fn known_as(&self, hash: u128, last: TaskId) -> u128 {
        match self.bound {
            Bound::None => hash,
            _ => hash ^ (u128::from(self.names.name(last)) + 1).wrapping_mul(SPREAD),
        }
    }
}

impl Strategy for HbrCache {
    fn begin(&mut self, _index: u64) -> Begin {
        self.depth = 0;
        self.cost = 0;
        self.history.reset();
        self.names.reset();
        if !self.has_begun {
            self.has_begun = true;
            return Begin::Ready;
        }
        while let Some(mut top) = self.stack.pop() {
            if let Some(taken) = self.branch_from(&top, top.taken + 1) {
                top.taken = taken;
                self.stack.push(top);
                self.followed = self.stack.len();
                return Begin::Ready;
            }
        }
        match (self.has_skipped, self.bound.at_hand()) {
            (true, Some(_)) => Begin::BoundDone,
            (true, None) => Begin::Stopped,
            (false, _) => Begin::Exhausted,
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.history.extend(view.execution());
        self.names.update(view.trace());
        let (eligible, last) = (view.eligible(), view.last());
        let options = view.eligible_count() as u32;
        let is_new = self.depth >= self.followed;
        if is_new {
            let hash = self.known_as(self.history.hash(self.relation), last);
            if !self.met.visit(hash, self.cost) {
                return Err(Stop::Cut);
            }
        } else if options == 1 {
            return Ok(nth_from(eligible, last, 0));
        }
        let successor = |task| {
            let history = &self.history;
            let hash = history.successor_hash(self.relation, view.execution(), task);
            self.known_as(hash, task)
        };
        let node = Node {
            options,
            taken: 0,
            successors: match is_new {
                true => eligible.iter_from(last).map(successor).collect(),
                false => Vec::new(),
            },
            price: self.bound.price(eligible.contains(last)),
            cost: self.cost,
        };
        if options == 1 {
            return match self.branch_from(&node, 0) {
                Some(_) => Ok(nth_from(eligible, last, 0)),
                None => Err(Stop::Cut),
            };
        }
        let branch = self.enter(node, view)?;
        Ok(nth_from(eligible, last, branch))
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        let node = Node {
            options: question.answer_count(),
            taken: 0,
            successors: Vec::new(),
            price: Price::Free,
            cost: self.cost,
        };
        self.enter(node, view)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        if is_diverged(execution) || execution.outcome() == Some(&Outcome::Cut) {
            return Ok(false);
        }
        if let Some(node) = self.stack.get(self.depth) {
            return Err(ended_early(execution, node.options));
        }
        self.history.extend(execution);
        let hash = self.history.hash(self.relation);
        Ok(self.ended.visit(hash, 0))
    }

    fn bound(&self) -> Option<u32> {
        self.bound.at_hand()
    }

    fn raise_bound(&mut self, failures: u64) -> bool {
        let raised = self.bound.raised().filter(|_| failures == 0);
        self.bound = raised.unwrap_or(self.bound);
        (self.expected, self.met) = (Visited::default(), Visited::default());
        (self.has_begun, self.has_skipped, self.followed) = (false, false, 0);
        raised.is_some()
    }

    fn watches(&self) -> bool {
        true
    }

    fn portion(&mut self) -> Option<u64> {
        let way = self.stack.iter().map(|node| (node.taken, node.options));
        let portion = self.walk.portion(way);
        // Bounds begin anew: there is no one tree.
        self.bound.at_hand().is_none().then_some(portion)
    }
}
