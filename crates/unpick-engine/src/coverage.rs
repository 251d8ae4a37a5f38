//! How much of what a program can do was seen.
//!
//! *Histories.* How often the histories of schedules were seen tells of those that were not. If `f` of
//! them were seen exactly once in `n` schedules that were drawn independently, then the next schedule shows
//! a new one with probability about `f / n`. I. J. Good, *The population frequencies of species and the
//! estimation of population parameters*, Biometrika 1953 (Good and Turing).
//!
//! *The tree.* A search walks a tree of choices. Going down at random, one comes to a schedule with a
//! probability that can be told from the options on its way, and those of all schedules add up to one:
//! what those of the schedules so far add up to is the part of the tree that is done. D. E. Knuth,
//! *Estimating the efficiency of backtrack programs*, Mathematics of Computation 1975, has the estimate of
//! the whole that follows from it.
//!
//! Memory is bounded: beyond [`KEPT_MAX`] histories, only those whose hash begins with a zero bit are kept,
//! then with two, and so on, and numbers are scaled up (P. Flajolet, *On adaptive sampling*, Computing
//! 1990). They are exact up to there, and then off by about one per cent. Which histories are kept depends
//! on what was seen and not on the order, so that parts can be put together in any way.

use alloc::collections::BTreeMap;
use core::sync::atomic::{AtomicU64, Ordering};
use serde::{Deserialize, Serialize};

/// Histories that are kept, at most.
const KEPT_MAX: usize = 16_384;

/// The whole tree of a search.
pub const TREE: u64 = 1 << 63;

/// The part of the tree that lies at the end of a way with so many options at its points: 0 if it is too
/// small a part of [`TREE`].
pub fn portion_of(options: impl IntoIterator<Item = u32>) -> u64 {
    let mut options = options.into_iter();
    options
        .try_fold(TREE, |part, options| {
            let part = part / u64::from(options.max(1));
            (part > 0).then_some(part)
        })
        .unwrap_or(0)
}

/// What was covered, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// Schedules that were looked at.
    pub schedules: u64,
    /// Different histories among them.
    pub histories: u64,
    /// Those that were seen exactly once.
    pub histories_once: u64,
    /// The part of [`TREE`] that is done; none if the strategy does not walk a tree.
    pub tree: Option<u64>,
}

impl Covered {
    /// The probability that one more schedule shows a history that was not seen yet, if schedules are
    /// drawn independently.
    pub fn unseen(&self) -> Option<f64> {
        let share = self.histories_once as f64 / self.schedules as f64;
        (self.schedules > 0).then_some(share.min(1.0))
    }

    /// The part of the tree that is done, from 0 to 1. None as well if the tree is too large to tell.
    pub fn tree_done(&self) -> Option<f64> {
        let done = self.tree.filter(|&done| done > 0)?;
        Some((done as f64 / TREE as f64).min(1.0))
    }

    /// How many executions the whole tree takes, if so many were run and the rest is like them.
    pub fn tree_estimate(&self, executions: u64) -> Option<f64> {
        Some(executions as f64 / self.tree_done()?)
    }
}

/// What was covered, for others to read while it grows. Zeroes are nothing.
#[derive(Debug, Default)]
#[repr(C)]
pub struct CoveredSoFar {
    schedules: AtomicU64,
    histories: AtomicU64,
    histories_once: AtomicU64,
    /// One more than the part that is done.
    tree: AtomicU64,
}

impl CoveredSoFar {
    /// Tells.
    pub fn set(&self, covered: Option<Covered>) {
        let covered = covered.unwrap_or_default();
        let tree = covered.tree.map_or(0, |done| done + 1);
        self.histories.store(covered.histories, Ordering::Relaxed);
        let once = covered.histories_once;
        self.histories_once.store(once, Ordering::Relaxed);
        self.tree.store(tree, Ordering::Relaxed);
        self.schedules.store(covered.schedules, Ordering::Relaxed);
    }

    /// What was told last; none if there is nothing yet.
    pub fn get(&self) -> Option<Covered> {
        let covered = Covered {
            schedules: self.schedules.load(Ordering::Relaxed),
            histories: self.histories.load(Ordering::Relaxed),
            histories_once: self.histories_once.load(Ordering::Relaxed),
            tree: self.tree.load(Ordering::Relaxed).checked_sub(1),
        };
        (covered != Covered::default()).then_some(covered)
    }
}

/// What was covered, with all that is needed to add to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    covered: Covered,
    /// Hashes of histories, with whether they were seen more than once.
    kept: BTreeMap<u64, bool>,
    once: u64,
    /// Only hashes that begin with so many zero bits are kept.
    level: u32,
}

impl From<Covered> for Coverage {
    /// Only to tell the numbers.
    fn from(covered: Covered) -> Coverage {
        Coverage {
            covered,
            ..Coverage::default()
        }
    }
}

impl Coverage {
    /// The numbers.
    pub fn covered(&self) -> Covered {
        self.covered
    }

    /// The hashes that are kept, with whether they were seen more than once, and the number of zero bits
    /// with which they begin.
    pub fn kept(&self) -> (&BTreeMap<u64, bool>, u32) {
        (&self.kept, self.level)
    }

    /// What [`Coverage::kept`] and [`Coverage::covered`] have told.
    pub fn of_kept(covered: Covered, kept: BTreeMap<u64, bool>, level: u32) -> Coverage {
        let mut coverage = Coverage {
            once: kept.values().filter(|is_again| !**is_again).count() as u64,
            covered,
            kept,
            level,
        };
        coverage.settle();
        coverage
    }

    /// Adds the history of a schedule.
    pub fn add(&mut self, history: u64) {
        self.covered.schedules += 1;
        self.see(history, false);
        self.settle();
    }

    /// Adds a part of the tree.
    pub fn add_portion(&mut self, portion: u64) {
        let done = self.covered.tree.get_or_insert(0);
        *done = done.saturating_add(portion).min(TREE);
    }

    /// Joins what was covered elsewhere.
    pub fn merge(&mut self, other: &Coverage) {
        self.covered.schedules += other.covered.schedules;
        if let Some(portion) = other.covered.tree {
            self.add_portion(portion);
        }
        self.level = self.level.max(other.level);
        self.thin_out();
        for (&history, &is_again) in &other.kept {
            self.see(history, is_again);
        }
        self.settle();
    }

    fn see(&mut self, history: u64, is_again: bool) {
        if history.leading_zeros() < self.level {
            return;
        }
        match self.kept.get_mut(&history) {
            Some(known) => {
                self.once -= u64::from(!*known);
                *known = true;
            }
            None => {
                self.once += u64::from(!is_again);
                self.kept.insert(history, is_again);
            }
        }
    }

    /// Keeps no more than there is room for, and brings the numbers up to date.
    fn settle(&mut self) {
        while self.kept.len() > KEPT_MAX {
            self.level += 1;
            self.thin_out();
        }
        self.covered.histories = (self.kept.len() as u64) << self.level;
        self.covered.histories_once = self.once << self.level;
    }

    /// Drops the hashes that do not begin with enough zero bits.
    fn thin_out(&mut self) {
        // They are the largest ones.
        let first = 1u64.checked_shl(64 - self.level).unwrap_or(0);
        if self.level > 0 && first > 0 {
            self.kept.split_off(&first);
            self.once = self.kept.values().filter(|is_again| !**is_again).count() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Hashes without pattern.
    fn hash(number: u64) -> u64 {
        let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn coverage(numbers: &[u64]) -> Coverage {
        let mut coverage = Coverage::default();
        numbers
            .iter()
            .for_each(|&number| coverage.add(hash(number)));
        coverage
    }

    #[test]
    fn what_was_seen_once_tells_of_the_unseen() {
        assert_eq!(Coverage::default().covered().unseen(), None);
        let covered = coverage(&[1, 2, 1, 3, 1, 2, 4, 1]).covered();
        assert_eq!((covered.schedules, covered.histories), (8, 4));
        assert_eq!(covered.histories_once, 2);
        assert_eq!(covered.unseen(), Some(0.25));
        assert_eq!(coverage(&[1, 1, 2, 2]).covered().unseen(), Some(0.0));
    }

    #[test]
    fn parts_add_up_to_the_whole_in_any_order() {
        // Some are seen again, and more are seen than are kept.
        let numbers: Vec<u64> = (0..150_000).map(|number| number * 7 % 100_000).collect();
        let whole = coverage(&numbers);
        assert!(whole.kept.len() <= KEPT_MAX && whole.level > 0);
        let parts = numbers.chunks(11_003).map(coverage);
        let mut parts: Vec<Coverage> = parts.collect();
        for _ in 0..2 {
            let mut sum = Coverage::default();
            parts.iter().for_each(|part| sum.merge(part));
            assert_eq!(sum, whole);
            parts.reverse();
        }
    }

    #[test]
    fn numbers_beyond_what_is_kept_are_close() {
        let numbers: Vec<u64> = (0..150_000).map(|number| number % 100_000).collect();
        let covered = coverage(&numbers).covered();
        let is_close = |found: u64, right: f64| (found as f64 / right - 1.0).abs() < 0.03;
        assert!(is_close(covered.histories, 100_000.0), "{covered:?}");
        assert!(is_close(covered.histories_once, 50_000.0), "{covered:?}");
    }

    #[test]
    fn portions_are_products_and_vanish_in_large_trees() {
        assert_eq!(portion_of([]), TREE);
        assert_eq!(portion_of([2, 1, 4]), TREE / 8);
        assert_eq!(portion_of([2; 64]), 0);
        let mut coverage = Coverage::default();
        assert_eq!(coverage.covered().tree_done(), None);
        coverage.add_portion(0);
        assert_eq!(coverage.covered().tree_done(), None);
        coverage.add_portion(TREE / 4);
        assert_eq!(coverage.covered().tree_done(), Some(0.25));
        assert_eq!(coverage.covered().tree_estimate(5), Some(20.0));
    }
}
