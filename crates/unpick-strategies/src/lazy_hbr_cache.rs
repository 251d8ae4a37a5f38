//! `lazy-hbr-cache`: every happens-before relation, the order of locking left out.
//!
//! P. Thomson, *Practical systematic concurrency testing for concurrent and distributed software*,
//! PhD thesis, Imperial College London, 2016, section 4.3; with P. Thomson and A. F. Donaldson, *The
//! lazy happens-before relation: better partial-order reduction for systematic concurrency testing*,
//! PPoPP 2015.
//!
//! `hbr-cache` with another relation: two events that acquire or release a mutex are not ordered by
//! that, be it the same mutex. Two schedules that can both be executed and have the same lazy
//! relation end in the same state, so nothing is missed, deadlocks included.
//!
//! *Departures from the paper.* Those of `hbr-cache`. What a mutex protects is no operation here, so
//! its uses are noted as effects of transitions; a lock that is asked for (`try_lock`) is ordered with
//! those that acquire and release it, since its answer tells something about them.

use crate::HbrCache;
use crate::hbr_cache::Bound;
use unpick_engine::{Begin, Execution, Relation, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Depth-first search that never enters a prefix with a lazy relation it has met.
pub struct LazyHbrCache {
    search: HbrCache,
}

impl LazyHbrCache {
    /// A search at its beginning.
    pub fn new(bound: Bound) -> LazyHbrCache {
        LazyHbrCache {
            search: HbrCache::of(Relation::Lazy, bound),
        }
    }
}

impl Strategy for LazyHbrCache {
    fn begin(&mut self, index: u64) -> Begin {
        self.search.begin(index)
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.search.choose(view)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.search.answer(view, question)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        self.search.end(execution)
    }

    fn bound(&self) -> Option<u32> {
        self.search.bound()
    }

    fn raise_bound(&mut self, failures: u64) -> bool {
        self.search.raise_bound(failures)
    }

    fn portion(&mut self) -> Option<u64> {
        self.search.portion()
    }

    fn watches(&self) -> bool {
        self.search.watches()
    }
}
