//! How parts of a search share its path: see [`chain`](crate::dpor::chain).
//!
//! Place 0 is where questions are asked before the first event; place `n + 1` is point `n`. What a
//! part would add to the wakeup tree of a point that it does not own is a
//! [`Finding`](super::finding::Finding) for the part behind, unless the tree covered it when the path
//! was divided. There the sequence may begin with a branch that was taken in the meantime: what it
//! leads to is explored from there.

use super::Odpor;
use super::finding::{Found, accept};
use super::footprint::Footprint;
use super::path::{Left, Path};
use super::question::{has_next_answer, next_answer};
use super::wakeup::Branch;
use crate::dpor::chain::{Part, Share};
use unpick_engine::Begin;

impl Odpor {
    /// Goes to the next branch that this part owns.
    pub(super) fn advance(&mut self) -> Begin {
        while self.path.nodes.len() >= self.path.share.base.max(1) {
            let is_held = self.path.share.holds(self.path.nodes.len());
            let left = if is_held { Left::Held } else { Left::Done };
            let goes_on = match core::mem::take(&mut self.path.share.is_stuck) {
                true => self.path.has_branch(),
                false => self.path.next_branch(&self.units, &mut self.objects, left),
            };
            if goes_on {
                return Begin::Ready;
            }
            if !is_held {
                self.path.nodes.pop();
                continue;
            }
            self.path.share.is_stuck = true;
            if !self.take_in() {
                return Begin::Waiting;
            }
        }
        if self.path.share.base == 0 && next_answer(&mut self.path.opening) {
            return Begin::Ready;
        }
        match self.path.share.awaits && !self.take_in() {
            true => Begin::Waiting,
            false => Begin::Exhausted,
        }
    }

    /// Adds what the part before has found, if that is known.
    fn take_in(&mut self) -> bool {
        let Some(found) = self.path.share.findings.take() else {
            return false;
        };
        self.path.share.awaits = false;
        for sleeper in self.path.nodes.iter_mut().flat_map(|node| &mut node.sleep) {
            sleeper.is_open = false;
        }
        let points = 0..self.path.nodes.len();
        let current = points.map(|at| self.path.current(at, &self.units, &self.objects));
        let current = current.collect();
        accept(
            found,
            &mut self.path,
            current,
            &mut self.names,
            &mut self.objects,
        );
        true
    }

    /// What this part, which is exhausted, leaves to the one behind.
    pub(super) fn found(&mut self) -> Option<Found> {
        self.path.share.is_heard.then(|| Found {
            findings: core::mem::take(&mut self.path.findings),
            names: self.names.clone(),
            objects: self.objects.clone(),
        })
    }

    /// A part that goes on with what follows the present branch of a place.
    fn part_behind(&mut self, place: usize, share: Share<Found>) -> Odpor {
        let mut path = Path {
            nodes: self.path.nodes[..place].to_vec(),
            opening: self.path.opening.clone(),
            share,
            findings: core::mem::take(&mut self.path.findings),
            reported: core::mem::take(&mut self.path.reported),
            is_divided: true,
        };
        let mut objects = self.objects.clone();
        match place {
            0 => next_answer(&mut path.opening),
            _ => path.next_branch(&self.units, &mut objects, Left::Shared),
        };
        Odpor {
            path,
            names: self.names.clone(),
            sections: self.sections.clone(),
            objects,
            ..Odpor::new()
        }
    }
}

impl Part for Odpor {
    fn divide(&mut self) -> Option<Odpor> {
        let mut places = self.path.share.base..=self.path.nodes.len();
        let place = places.find(|&place| self.path.is_open(place))?;
        let share = self.path.share.divide(place);
        Some(self.part_behind(place, share))
    }

    fn detach(&mut self) -> Option<Odpor> {
        let mut places = self.path.share.base..=self.path.nodes.len();
        let place = places.find(|&place| {
            self.path.fill(place);
            self.path.is_open(place)
        })?;
        let share = self.path.share.sever(place);
        Some(self.part_behind(place, share))
    }

    fn weight(&self) -> u64 {
        self.objects.weight()
    }
}

impl Path {
    fn has_branch(&self) -> bool {
        self.nodes
            .last()
            .is_some_and(|node| !node.branches.is_empty())
    }

    /// Whether more is known to be done at a place after the present branch.
    fn is_open(&self, place: usize) -> bool {
        match place.checked_sub(1) {
            None => has_next_answer(&self.opening),
            Some(at) => {
                self.nodes[at].branches.len() > 1 || has_next_answer(&self.nodes[at].questions)
            }
        }
    }

    /// Adds every task that is awake at a place, so that nothing can be found to be missing there.
    fn fill(&mut self, place: usize) {
        let Some(at) = place.checked_sub(1) else {
            return;
        };
        let node = &mut self.nodes[at];
        for &name in &node.eligible {
            let is_asleep = node.sleep.iter().any(|sleeper| sleeper.name == name);
            let is_there = node.branches.iter().any(|branch| branch.name == name);
            if !is_asleep && !is_there {
                let mut branch = Branch::of(name);
                branch.footprint = Footprint::unknown();
                node.branches.push(branch);
            }
        }
    }
}
