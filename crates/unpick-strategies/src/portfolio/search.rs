//! The small exhaustive search of a portfolio: schedules in order of their number of delays.
//!
//! A schedule is its parent up to one point, another branch there, and the first branch from there on;
//! branch b costs b. That is delay bounding (see [`crate::Idb`]), with answers priced like tasks. Here
//! the tree is not walked: the executions of an epoch are the cheapest branches that are open when it
//! begins, those of equal cost in an order drawn from the seed. What executions have met is told by the
//! profile, so everybody who knows that knows the tree.
//!
//! An execution that does not meet what its parent has met tells nothing, and the search never ends.

use super::RandomSource;
use crate::dfs::nth_from;
use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};
use unpick_engine::{Begin, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Points of an execution that are noted, at most.
const POINTS_MAX: usize = 256;

/// Open branches that are kept, at most: more can never be run.
const OPEN_MAX: usize = 256;

/// A branch that was not taken: its cost, its place among those of equal cost, the execution that met
/// it, the point and the branch.
type Open = (u32, u64, u64, u32, u16);

/// An execution that was planned.
#[derive(Default)]
struct Run {
    cost: u32,
    /// Points at which it does not take the first branch.
    deviations: Vec<(u32, u16)>,
    /// Options at its points: as expected up to the last deviation, then as met.
    options: Vec<u16>,
}

pub(super) struct Search {
    seed: u64,
    runs: BTreeMap<u64, Run>,
    open: BTreeSet<Open>,
    /// Executions that were planned and have not met what they were to meet, so far.
    unmet: usize,
    /// Whether there were points or branches that were not kept.
    has_lost: bool,
    /// The execution at hand, and the options it has met.
    index: u64,
    met: Vec<u16>,
    is_off: bool,
}

impl Search {
    pub fn new(seed: u64) -> Search {
        Search {
            seed,
            runs: BTreeMap::from([(0, Run::default())]),
            open: BTreeSet::new(),
            unmet: 1,
            has_lost: false,
            index: 0,
            met: Vec::new(),
            is_off: false,
        }
    }

    /// Whether an execution was planned.
    pub fn has(&self, index: u64) -> bool {
        self.runs.contains_key(&index)
    }

    /// Whether every schedule was run.
    pub fn is_exhausted(&self) -> bool {
        self.open.is_empty() && self.unmet == 0 && !self.has_lost
    }

    /// The options that the execution at hand has met; none if it is not the one that was planned.
    pub fn options(&self) -> Vec<u16> {
        let expected = self.runs[&self.index].options.len();
        match self.is_off || self.met.len() < expected {
            true => Vec::new(),
            false => self.met.clone(),
        }
    }

    /// Gives the executions of these numbers to the cheapest open branches.
    pub fn plan(&mut self, numbers: impl Iterator<Item = u64>) {
        for index in numbers {
            let Some((cost, _, parent, point, branch)) = self.open.pop_first() else {
                return;
            };
            let parent = &self.runs[&parent];
            let mut deviations = parent.deviations.clone();
            deviations.push((point, branch));
            let run = Run {
                cost,
                deviations,
                options: parent.options[..=point as usize].to_vec(),
            };
            self.runs.insert(index, run);
            self.unmet += 1;
        }
    }

    /// Takes in the options that a planned execution has met.
    pub fn take_in(&mut self, index: u64, options: &[u16]) {
        let run = self.runs.get_mut(&index).expect("internal error: no plan");
        let first = run.options.len();
        if options.len() < first {
            return;
        }
        self.unmet -= 1;
        run.options = options.to_vec();
        let cost = run.cost;
        self.has_lost |= options.len() == POINTS_MAX;
        for (point, &count) in options.iter().enumerate().skip(first) {
            for branch in 1..count {
                let cost = cost + u32::from(branch);
                if self.is_too_dear(cost) {
                    self.has_lost = true;
                    break;
                }
                let place = index << 24 | (point as u64) << 16 | u64::from(branch);
                let place = RandomSource::for_execution(self.seed, place).next();
                self.open.insert((cost, place, index, point as u32, branch));
            }
        }
    }

    /// Whether enough is open that costs less, or as much and comes before; if that is known from the cost
    /// alone. What is open in excess is dropped.
    fn is_too_dear(&mut self, cost: u32) -> bool {
        while self.open.len() > OPEN_MAX {
            self.open.pop_last();
            self.has_lost = true;
        }
        let last = self.open.last().filter(|_| self.open.len() == OPEN_MAX);
        last.is_some_and(|last| cost > last.0)
    }

    /// The branch to take at a point with so many options.
    fn branch(&mut self, options: usize) -> u32 {
        let point = self.met.len();
        if options == 1 || point == POINTS_MAX {
            return 0;
        }
        let options = u16::try_from(options).unwrap_or(u16::MAX);
        self.met.push(options);
        let run = &self.runs[&self.index];
        self.is_off |= run
            .options
            .get(point)
            .is_some_and(|&known| known != options);
        let is_here = |deviation: &&(u32, u16)| deviation.0 as usize == point;
        match run.deviations.iter().find(is_here) {
            Some(&(_, branch)) if !self.is_off => u32::from(branch),
            _ => 0,
        }
    }
}

impl Strategy for Search {
    fn begin(&mut self, index: u64) -> Begin {
        self.index = index;
        self.met.clear();
        self.is_off = false;
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let branch = self.branch(view.eligible_count());
        Ok(nth_from(view.eligible(), view.last(), branch))
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.branch(question.answer_count() as usize))
    }
}
