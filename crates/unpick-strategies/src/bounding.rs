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
//! A search is split where its walk stands: the branches that the shallowest open execution has yet
//! to look at come last under every bound, so they go, with the executions below them.
//!
//! Memory: one entry an open execution, of about 100 bytes and 8 bytes a point.

mod tree;

use crate::dfs::{diverged, ended_early, is_diverged, nth_from};
use alloc::{sync::Arc, vec::Vec};
pub(crate) use tree::Price;
use tree::{Frame, Point, Run};
use unpick_engine::{Begin, Execution, Stop, View, portion_of};
use unpick_trace::{Choice, TaskId};

/// A place where the execution at hand leaves the first branch.
#[derive(Clone, Copy)]
struct Deviation {
    depth: u32,
    branch: u32,
}

/// The way to an execution: where it leaves the first branch, and what it meets up to there.
#[derive(Clone, Default)]
struct Path {
    deviations: Vec<Deviation>,
    expected: Vec<Point>,
}

/// Iterates over a bound on the cost of schedules.
#[derive(Clone)]
pub(crate) struct Bounding {
    bound: u32,
    bound_max: u32,
    goes_beyond_failure: bool,
    has_begun: bool,
    /// The way to the root: empty unless this search is a part that was split off.
    base: Path,
    /// The first execution, between the passes over the tree.
    root: Option<Run>,
    frames: Vec<Frame>,
    /// The execution at hand, and what it met after its last deviation.
    path: Path,
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
            has_begun: false,
            base: Path::default(),
            root: None,
            frames: Vec::new(),
            path: Path::default(),
            cost: 0,
            position: 0,
            points: Vec::new(),
        }
    }

    pub fn bound(&self) -> u32 {
        self.bound
    }

    pub fn begin(&mut self) -> Begin {
        self.position = 0;
        self.points.clear();
        if !self.has_begun {
            self.has_begun = true;
            return Begin::Ready;
        }
        if self.find_next() {
            Begin::Ready
        } else if self.root.is_some() {
            Begin::BoundDone
        } else {
            Begin::Exhausted
        }
    }

    pub fn raise_bound(&mut self, failures: u64) -> bool {
        if self.bound == self.bound_max || (failures > 0 && !self.goes_beyond_failure) {
            return false;
        }
        self.bound += 1;
        self.frames.extend(self.root.take().map(Frame::new));
        true
    }

    pub fn split(&mut self) -> Option<Bounding> {
        let mut frames = self.frames.iter_mut();
        let at = frames.position(|frame| frame.has_open(1))?;
        // Something must be left, of it or below it.
        if at + 1 == self.frames.len() && !self.frames[at].has_open(2) {
            return None;
        }
        let given = self.frames[at].split();
        let mut part = Bounding::new(self.bound_max, self.goes_beyond_failure);
        part.base = self.path_to(at);
        part.bound = self.bound;
        part.has_begun = true;
        part.frames.push(Frame::new(given));
        Some(part)
    }

    /// Every schedule is run once, under whatever bound.
    pub fn portion(&self) -> u64 {
        let way = self.path.expected.iter().chain(&self.points);
        portion_of(way.map(|point| point.options))
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
            let is_next = |run: &Arc<Run>| (run.depth, run.branch) == (depth, branch);
            if frame.waiting.last().is_some_and(is_next) {
                let child = frame
                    .waiting
                    .pop()
                    .map(Arc::unwrap_or_clone)
                    .map(Frame::new);
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
                Some(parent) => parent.run.children.push(Arc::new(frame.run)),
                None => self.root = Some(frame.run),
            }
        }
    }

    fn set_path(&mut self, last: Deviation) {
        let mut path = core::mem::take(&mut self.path);
        path.deviations.clear();
        path.expected.clear();
        self.extend_path(&mut path, self.frames.len());
        path.deviations.push(last);
        if let Some(frame) = self.frames.last() {
            path.expected.extend_from_slice(frame.run.up_to(last.depth));
        }
        self.path = path;
    }

    /// The way to the run of a frame.
    fn path_to(&self, at: usize) -> Path {
        let mut path = Path::default();
        self.extend_path(&mut path, at + 1);
        path
    }

    /// The way to the last of the first `count` frames: each run counts up to where the next one
    /// leaves it.
    fn extend_path(&self, path: &mut Path, count: usize) {
        path.deviations.extend_from_slice(&self.base.deviations);
        path.expected.extend_from_slice(&self.base.expected);
        for (frame, next) in self.frames[..count].iter().zip(&self.frames[1..count]) {
            let (depth, branch) = (next.run.depth, next.run.branch);
            path.deviations.push(Deviation { depth, branch });
            path.expected.extend_from_slice(frame.run.up_to(depth));
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
        match self.path.expected.get(position as usize) {
            None => {
                self.points.push(point);
                Ok(0)
            }
            Some(expected) if *expected != point => Err(diverged(view, expected.options, options)),
            Some(_) => {
                let search = |deviation: &Deviation| deviation.depth.cmp(&position);
                let deviations = &self.path.deviations;
                let found = deviations.binary_search_by(search);
                Ok(found.map_or(0, |at| deviations[at].branch))
            }
        }
    }

    pub fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        if let Some(missed) = self.path.expected.get(self.position as usize) {
            return match is_diverged(execution) {
                true => Ok(true),
                false => Err(ended_early(execution, missed.options)),
            };
        }
        let last = self.path.deviations.last();
        let run = Run::new(
            self.cost,
            last.map(|last| (last.depth, last.branch)),
            &self.points,
        );
        self.frames.push(Frame::new(run));
        Ok(true)
    }
}
