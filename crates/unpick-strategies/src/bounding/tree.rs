//! The tree of executions that iterative bounding walks.

use alloc::{boxed::Box, vec::Vec};

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
    pub(super) fn of(self, branch: u32) -> u32 {
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

/// An execution that was run, from the point where it leaves its parent.
#[derive(Default)]
pub(super) struct Run {
    pub cost: u32,
    /// The point of the parent at which it takes `branch`.
    pub depth: u32,
    pub branch: u32,
    /// The number of its first own point: `depth + 1`, or 0 for the first execution of all.
    pub start: u32,
    pub points: Box<[Point]>,
    /// Its descendants that still have skipped branches, in the order of the search.
    pub children: Vec<Run>,
}

/// A run on the way from the root to where the search stands.
pub(super) struct Frame {
    pub run: Run,
    /// The branch looked at last: `depth` goes down, `branch` goes up.
    pub depth: u32,
    pub branch: u32,
    /// The children of earlier bounds that are still to be visited, nearest last.
    pub waiting: Vec<Run>,
    pub has_skipped: bool,
}

impl Frame {
    pub fn new(mut run: Run) -> Frame {
        let waiting = run.children.drain(..).rev().collect();
        Frame {
            depth: run.start + run.points.len() as u32,
            branch: u32::MAX,
            run,
            waiting,
            has_skipped: false,
        }
    }

    /// Moves to the next branch that costs at most `bound` in all; answers what it costs.
    pub fn advance(&mut self, bound: u32) -> Option<u32> {
        loop {
            let point = match self.depth.checked_sub(self.run.start) {
                Some(at) if (at as usize) < self.run.points.len() => self.run.points[at as usize],
                _ => Point {
                    options: 0,
                    price: Price::Free,
                },
            };
            if self.branch < point.options.saturating_sub(1) {
                self.branch += 1;
                let cost = self.run.cost + point.price.of(self.branch);
                if cost <= bound {
                    return Some(cost);
                }
                self.has_skipped = true;
            }
            if self.depth == self.run.start {
                return None;
            }
            self.depth -= 1;
            self.branch = 0;
        }
    }
}
