//! The tree of executions that iterative bounding walks.

use alloc::{boxed::Box, sync::Arc, vec::Vec};

/// What the branches of a point cost; the first is always free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Price {
    /// Every branch is free.
    Free,
    /// Every branch but the first costs one.
    One,
    /// Branch number `i` costs `i`.
    Each,
}

impl Price {
    pub(crate) fn of(self, branch: u32) -> u32 {
        match self {
            Price::Free => 0,
            Price::One => branch.min(1),
            Price::Each => branch,
        }
    }
}

/// A point with more than one option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub options: u32,
    pub price: Price,
}

/// A branch in the order of the walk: `depth` goes down, `branch` goes up.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub depth: u32,
    pub branch: u32,
}

impl Place {
    fn is_before(self, depth: u32, branch: u32) -> bool {
        depth < self.depth || (depth == self.depth && branch > self.branch)
    }
}

/// An execution that was run, from the point where it leaves its parent.
#[derive(Clone)]
pub(super) struct Run {
    pub cost: u32,
    /// The point of the parent at which it takes `branch`.
    pub depth: u32,
    pub branch: u32,
    /// The number of its first own point: `depth + 1`, or 0 for the first execution of all.
    start: u32,
    points: Box<[Point]>,
    /// Its descendants that still have skipped branches, in the order of the search. Shared with
    /// duplicates of the search.
    pub children: Vec<Arc<Run>>,
    /// The branches that belong to this part of the search: those after `from`, up to `until`.
    from: Place,
    until: Place,
}

impl Run {
    pub fn new(cost: u32, deviation: Option<(u32, u32)>, points: &[Point]) -> Run {
        let start = deviation.map_or(0, |(depth, _)| depth + 1);
        let (depth, branch) = deviation.unwrap_or_default();
        Run {
            cost,
            depth,
            branch,
            start,
            points: points.into(),
            children: Vec::new(),
            from: Place {
                depth: start + points.len() as u32,
                branch: u32::MAX,
            },
            until: Place {
                depth: start,
                branch: u32::MAX,
            },
        }
    }

    /// Its own points up to one, that included.
    pub fn up_to(&self, depth: u32) -> &[Point] {
        &self.points[..(depth + 1 - self.start) as usize]
    }

    /// The point at a depth, and its last branch that belongs to this part.
    fn at(&self, depth: u32) -> (Price, u32) {
        let index = depth.checked_sub(self.start).map(|index| index as usize);
        let Some(point) = index.and_then(|index| self.points.get(index)) else {
            return (Price::Free, 0);
        };
        let last = point.options - 1;
        match depth == self.until.depth {
            true => (point.price, last.min(self.until.branch)),
            false => (point.price, last),
        }
    }
}

/// A run on the way from the root to where the search stands.
#[derive(Clone)]
pub(super) struct Frame {
    pub run: Run,
    /// The branch looked at last.
    pub depth: u32,
    pub branch: u32,
    /// The children of earlier bounds that are still to be visited, nearest last.
    pub waiting: Vec<Arc<Run>>,
    pub has_skipped: bool,
}

impl Frame {
    pub fn new(mut run: Run) -> Frame {
        let waiting = run.children.drain(..).rev().collect();
        Frame {
            depth: run.from.depth,
            branch: run.from.branch,
            run,
            waiting,
            has_skipped: false,
        }
    }

    /// Moves to the next branch that costs at most `bound` in all; answers what it costs.
    pub fn advance(&mut self, bound: u32) -> Option<u32> {
        loop {
            let (price, last) = self.run.at(self.depth);
            if self.branch < last {
                self.branch += 1;
                let cost = self.run.cost + price.of(self.branch);
                if cost <= bound {
                    return Some(cost);
                }
                // Nor is any later branch of this point cheaper.
                self.has_skipped = true;
            }
            if self.depth == self.run.until.depth {
                return None;
            }
            self.depth -= 1;
            self.branch = 0;
        }
    }

    /// Whether there are branches that were not looked at yet: at least so many.
    pub fn has_open(&mut self, count: u32) -> bool {
        while self.depth > self.run.until.depth && self.open_here() == 0 {
            self.depth -= 1;
            self.branch = 0;
        }
        // A point further down has one at least.
        self.open_here() + (self.depth - self.run.until.depth) >= count
    }

    fn open_here(&self) -> u32 {
        self.run.at(self.depth).1.saturating_sub(self.branch)
    }

    /// Gives away the later half of the branches that were not looked at yet, with the children
    /// that wait there. There is one at least.
    pub fn split(&mut self) -> Run {
        let until = self.run.until;
        // What is kept ends with the branch before those that are given.
        let from = match self.depth - until.depth {
            0 => Place {
                depth: until.depth,
                branch: self.branch + self.open_here() / 2,
            },
            open => Place {
                depth: until.depth + open.div_ceil(2),
                branch: u32::MAX,
            },
        };
        self.run.until = from;
        let goes = |run: &Arc<Run>| from.is_before(run.depth, run.branch);
        // Those that go are visited last, so they stand first.
        let count = self.waiting.iter().take_while(|run| goes(run)).count();
        let points = &self.run.points;
        let length = (from.depth + 1 - self.run.start).min(points.len() as u32);
        Run {
            cost: self.run.cost,
            depth: self.run.depth,
            branch: self.run.branch,
            start: self.run.start,
            points: points[..length as usize].into(),
            children: self.waiting.drain(..count).rev().collect(),
            from,
            until,
        }
    }
}
