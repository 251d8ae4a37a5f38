//! How parts of a search share its path: see [`chain`](crate::dpor::chain).
//!
//! A part that would have a task tried at a point that it does not own adds the task to its copy of
//! the point. What is in the copies when the part is done is what it leaves. Nothing else is needed:
//! whatever order the tasks of a point are tried in, those that were tried before sleep.

use super::search::{Node, Search};
use crate::dpor::chain::Share;
use alloc::vec::Vec;
use unpick_engine::Begin;
use unpick_trace::TaskSet;

/// By node that a part does not own: the tasks to be tried there; none where a question was asked.
pub(crate) type Wanted = Vec<Option<TaskSet>>;

impl Search {
    /// Goes back to the deepest own point that has something left to explore, if there is one.
    pub fn begin(&mut self) -> Begin {
        self.history.reset();
        self.depth = 0;
        self.nodes.clear();
        if !self.has_begun {
            self.has_begun = true;
            return Begin::Ready;
        }
        while self.stack.len() > self.share.base {
            let place = self.stack.len() - 1;
            let is_done = core::mem::take(&mut self.share.is_stuck);
            let goes_on = match &mut self.stack[place] {
                Node::Point(point) => {
                    if !is_done {
                        point.finish(self.uses_sleep_sets);
                    }
                    point.choose_next()
                }
                Node::Question { options, taken } => {
                    *taken += 1;
                    taken < options
                }
            };
            if goes_on {
                self.followed = self.stack.len();
                return Begin::Ready;
            }
            let is_point = matches!(self.stack[place], Node::Point(_));
            if !is_point || !self.share.holds(place) {
                self.stack.pop();
                continue;
            }
            self.share.is_stuck = true;
            if !self.take_in() {
                return Begin::Waiting;
            }
        }
        match self.share.awaits && !self.take_in() {
            true => Begin::Waiting,
            false => Begin::Exhausted,
        }
    }

    /// Adds what the part before has found, if that is known.
    fn take_in(&mut self) -> bool {
        let Some(findings) = self.share.findings.take() else {
            return false;
        };
        self.share.awaits = false;
        for (node, wanted) in self.stack.iter_mut().zip(findings) {
            if let (Node::Point(point), Some(wanted)) = (node, wanted) {
                point.backtrack.insert_all(wanted.bits());
            }
        }
        true
    }

    /// Gives the shallowest open place and all above it away.
    pub fn divide(&mut self) -> Option<Search> {
        let place = self.open_place()?;
        let share = self.share.divide(place);
        Some(self.part_behind(place, share))
    }

    /// As [`Search::divide`], with everything tried at the shallowest place where something can be.
    pub fn sever(&mut self) -> Option<Search> {
        let untried = |node: &Node| match node {
            Node::Point(point) => point.has_next(&point.eligible),
            Node::Question { options, taken } => taken + 1 < *options,
        };
        let own = self.stack.iter().skip(self.share.base);
        let place = self.share.base + own.into_iter().position(untried)?;
        if let Node::Point(point) = &mut self.stack[place] {
            point.backtrack.insert_all(point.eligible.bits());
        }
        let share = self.share.sever(place);
        Some(self.part_behind(place, share))
    }

    fn open_place(&self) -> Option<usize> {
        let is_open = |node: &Node| match node {
            Node::Point(point) => point.has_next(&point.backtrack),
            Node::Question { options, taken } => taken + 1 < *options,
        };
        let mut own = self.stack.iter().skip(self.share.base);
        Some(self.share.base + own.position(is_open)?)
    }

    /// A search that goes on with what follows the present branch of a place.
    fn part_behind(&self, place: usize, share: Share<Wanted>) -> Search {
        let mut behind = self.anew();
        behind.share = share;
        behind.stack = self.stack[..=place].to_vec();
        // What the transition touches is not known before all of its questions are answered.
        let has_asked = matches!(self.stack.get(place + 1), Some(Node::Question { .. }));
        match &mut behind.stack[place] {
            Node::Point(point) => {
                point.is_last |= has_asked;
                point.finish(self.uses_sleep_sets);
                point.choose_next();
            }
            Node::Question { taken, .. } => *taken += 1,
        }
        behind.followed = place + 1;
        behind
    }

    /// What this search, which is exhausted, has found for the part behind it.
    pub fn leave(&mut self) -> Option<Wanted> {
        let nodes = self.stack.iter().take(self.share.base);
        let wanted = nodes.map(|node| match node {
            Node::Point(point) => Some(point.backtrack.clone()),
            Node::Question { .. } => None,
        });
        self.share.is_heard.then(|| wanted.collect())
    }
}
