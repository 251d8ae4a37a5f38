//! The search shared by [`crate::Ipb`] and [`crate::Idb`]: schedules in order of a cost.
//!
//! ```text
//! c = 0; repeat { explore every schedule of cost <= c, depth first; c += 1 } until none is skipped
//! ```
//!
//! Run literally, each bound runs all schedules of the smaller ones again. Here each schedule is run
//! once: the search keeps the tree of executions that still have skipped branches. An execution is
//! its parent up to one point, another branch there, and the first branch at every later point; as
//! the first branch is always free, all its descendants are found from the options it met. Walking
//! that tree, deepest point first, visits the schedules of each cost in the very order of the
//! depth-first search, so ranks and counts are those of the published rule, under which only
//! schedules of exactly the current bound count. (Thomson lists this among the future work.)
//!
//! Memory: one entry an open execution, of about 100 bytes and 8 bytes a point.

mod tree;

use crate::dfs::{diverged, ended_early, is_diverged, nth_from};
use alloc::vec::Vec;
pub(crate) use tree::Price;
use tree::{Frame, Point, Run};
use unpick_engine::{Begin, BoundCount, Execution, Stop, View};
use unpick_trace::{Choice, TaskId};

/// A place where the execution at hand leaves the first branch.
#[derive(Clone, Copy)]
struct Deviation {
    depth: u32,
    branch: u32,
}

/// Iterates over a bound on the cost of schedules.
pub(crate) struct Bounding {
    bound: u32,
    bound_max: u32,
    goes_beyond_failure: bool,
    counts: Vec<BoundCount>,
    /// The first execution, between the passes over the tree.
    root: Option<Run>,
    frames: Vec<Frame>,
    /// The execution at hand: where it deviates, what it must meet up to its last deviation, and
    /// what it met after that.
    deviations: Vec<Deviation>,
    expected: Vec<Point>,
    cost: u32,
    position: u32,
    points: Vec<Point>,
}

impl Bounding {
    pub fn new(bound_max: u32, goes_beyond_failure: bool) -> Bounding {
        Bounding {
            bound: 0,
            bound_max,
            goes_beyond_failure,
            counts: Vec::new(),
            root: None,
            frames: Vec::new(),
            deviations: Vec::new(),
            expected: Vec::new(),
            cost: 0,
            position: 0,
            points: Vec::new(),
        }
    }

    pub fn bounds(&self) -> &[BoundCount] {
        &self.counts
    }

    pub fn begin(&mut self) -> Begin {
        self.position = 0;
        self.points.clear();
        if self.counts.is_empty() {
            self.counts.push(BoundCount::default());
            return Begin::Ready;
        }
        loop {
            if self.find_next() {
                return Begin::Ready;
            }
            let Some(root) = self.root.take() else {
                return Begin::Exhausted;
            };
            let failed = self.counts.iter().any(|count| count.failures > 0);
            if self.bound == self.bound_max || (failed && !self.goes_beyond_failure) {
                self.root = Some(root);
                return Begin::Stopped;
            }
            self.bound += 1;
            self.counts.push(BoundCount {
                bound: self.bound,
                ..BoundCount::default()
            });
            self.frames.push(Frame::new(root));
        }
    }

    /// Walks on to the next execution of exactly the current bound.
    fn find_next(&mut self) -> bool {
        while let Some(frame) = self.frames.last_mut() {
            let Some(cost) = frame.advance(self.bound) else {
                self.leave();
                continue;
            };
            let (depth, branch) = (frame.depth, frame.branch);
            if cost == self.bound {
                self.set_path(Deviation { depth, branch });
                self.cost = cost;
                return true;
            }
            // It was run under a smaller bound; if it is not here, nothing below it was skipped.
            let is_next = |run: &Run| (run.depth, run.branch) == (depth, branch);
            if frame.waiting.last().is_some_and(is_next) {
                let child = frame.waiting.pop().map(Frame::new);
                self.frames.extend(child);
            }
        }
        false
    }

    /// Leaves the run on top; it is kept if anything below it was skipped.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if frame.has_skipped || !frame.run.children.is_empty() {
            match self.frames.last_mut() {
                Some(parent) => parent.run.children.push(frame.run),
                None => self.root = Some(frame.run),
            }
        }
    }

    fn set_path(&mut self, last: Deviation) {
        self.deviations.clear();
        self.expected.clear();
        let children = self.frames.iter().skip(1).map(|frame| Deviation {
            depth: frame.run.depth,
            branch: frame.run.branch,
        });
        self.deviations.extend(children);
        self.deviations.push(last);
        // Each run counts up to where the next one leaves it.
        for (frame, leaves) in self.frames.iter().zip(&self.deviations) {
            let length = (leaves.depth + 1 - frame.run.start) as usize;
            self.expected.extend_from_slice(&frame.run.points[..length]);
        }
    }

    pub fn choose(&mut self, view: &View<'_>, price: Price) -> Result<TaskId, Stop> {
        let eligible = view.eligible();
        let branch = self.branch(view.eligible_count() as u32, price, view)?;
        Ok(nth_from(eligible, view.last(), branch))
    }

    pub fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.branch(question.answer_count(), Price::Free, view)
    }

    fn branch(&mut self, options: u32, price: Price, view: &View<'_>) -> Result<u32, Stop> {
        if options == 1 {
            return Ok(0);
        }
        let point = Point { options, price };
        let position = self.position;
        self.position += 1;
        match self.expected.get(position as usize) {
            None => {
                self.points.push(point);
                Ok(0)
            }
            Some(expected) if *expected != point => Err(diverged(view, expected.options, options)),
            Some(_) => {
                let search = |deviation: &Deviation| deviation.depth.cmp(&position);
                let found = self.deviations.binary_search_by(search);
                Ok(found.map_or(0, |at| self.deviations[at].branch))
            }
        }
    }

    pub fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        if let Some(missed) = self.expected.get(self.position as usize) {
            return match is_diverged(execution) {
                true => Ok(true),
                false => Err(ended_early(execution, missed.options)),
            };
        }
        let last = self.deviations.last();
        let run = Run {
            cost: self.cost,
            depth: last.map_or(0, |last| last.depth),
            branch: last.map_or(0, |last| last.branch),
            start: last.map_or(0, |last| last.depth + 1),
            points: self.points.as_slice().into(),
            children: Vec::new(),
        };
        self.frames.push(Frame::new(run));
        if let Some(count) = self.counts.last_mut() {
            count.schedules += 1;
            let failed = execution.outcome().is_some_and(|end| end.is_failure());
            count.failures += u64::from(failed);
        }
        Ok(true)
    }
}
