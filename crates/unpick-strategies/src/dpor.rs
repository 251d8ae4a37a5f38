//! `dpor`: dynamic partial-order reduction.
//!
//! C. Flanagan and P. Godefroid, *Dynamic partial-order reduction for model checking software*, POPL
//! 2005, with sleep sets; as in P. Thomson, *Practical systematic concurrency testing for concurrent
//! and distributed software*, PhD thesis, Imperial College London, 2016, section 4.4.1, algorithm 5.
//!
//! ```text
//! explore(E):
//!   addBacktrack(E)
//!   if some e ∈ enabled(E): backtrack(E) = {e}; done = {}
//!      while exists e' ∈ backtrack(E) \ done: done += e'; explore(E·<e'>)
//! addBacktrack(E):
//!   for every task's next event e_n ∈ next(E)
//!     for every i with (E(i), e_n) a race in E·<e_n>
//!        E' = E[1:i-1]
//!        if some e_b ∈ enabled(E') has e_b.tid = e_n.tid: backtrack(E') += e_b
//!        else backtrack(E') += all of enabled(E')
//! ```
//!
//! Next events of blocked and of sleeping tasks count too, also where the sleep set then ends the
//! execution: that makes the combination with sleep sets sound. An unlock cannot be turned round with
//! a lock that follows it, so the lock that it belongs to takes its place.
//!
//! *Departures from the paper.* What a transition does besides its operation is known when it is over
//! and is looked at then. An execution that fails ends at once: its last event races with whatever
//! comes last in the other tasks, and their next events race with it. Where a task is enabled but has
//! to let others go first, the others are tried; where it goes round in circles, nothing is.

pub(crate) mod chain;
mod races;
mod search;
mod share;
mod sleep;

pub(crate) use races::{for_each_next, races_of_last, races_of_next};
pub(crate) use search::Search;

use alloc::{boxed::Box, vec::Vec};
use chain::Part;
use unpick_engine::{
    Access, Begin, Event, Execution, Findings, History, Location, Relation, Stop, Strategy, View,
};
use unpick_trace::{Choice, Op, OpKind, TaskId};

/// Dynamic partial-order reduction.
#[derive(Clone)]
pub struct Dpor {
    search: Search,
}

impl Dpor {
    /// A search at its beginning.
    pub fn new(uses_sleep_sets: bool) -> Dpor {
        Dpor {
            search: Search::new(Relation::Regular, uses_sleep_sets),
        }
    }

    /// Looks for races of the last event and of the next events of all tasks.
    fn add_backtracks(&mut self, execution: &Execution) {
        let history = &self.search.history;
        let Some(last) = history.events().len().checked_sub(1) else {
            return;
        };
        let mut wanted = Vec::new();
        let Event { task, op, .. } = history.events()[last];
        for event in races_of_last(history, Relation::Regular) {
            let accesses = history.accesses(last);
            wanted.push((reversible(history, event, &op, accesses), task));
        }
        for_each_next(history, execution, |task, accesses, is_after_end| {
            let op = execution.pending_op(task);
            for event in races_of_next(history, Relation::Regular, task, accesses) {
                wanted.push((reversible(history, event, &op, accesses), task));
            }
            if is_after_end {
                wanted.push((last, task));
            }
        });
        for (event, task) in wanted {
            self.search.add_backtrack(event, task);
        }
    }
}

impl Strategy for Dpor {
    fn begin(&mut self, _index: u64) -> Begin {
        self.search.begin()
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        if self.search.extend(view.execution()) {
            self.add_backtracks(view.execution());
        }
        self.search.choose(view)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.search.answer(view, question)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        if !self.search.is_complete(execution)? {
            return Ok(false);
        }
        if self.search.extend(execution) {
            self.add_backtracks(execution);
        }
        Ok(true)
    }

    fn watches(&self) -> bool {
        true
    }

    fn leave(&mut self) -> Option<Findings> {
        Some(Box::new(self.search.leave()?))
    }

    fn receive(&mut self, findings: Findings) {
        self.search.share.findings = findings.downcast().ok().map(|wanted| *wanted);
    }
}

impl Part for Dpor {
    fn divide(&mut self) -> Option<Dpor> {
        let search = self.search.divide()?;
        Some(Dpor { search })
    }

    fn detach(&mut self) -> Option<Dpor> {
        let search = self.search.sever()?;
        Some(Dpor { search })
    }

    fn weight(&self) -> u64 {
        0
    }
}

/// The event to be turned round instead of `event`, which races with `op`, an operation that touches
/// `accesses`: if they are unlock and lock and nothing but the mutex is in the way, the lock that
/// belongs to the unlock.
fn reversible(history: &History, event: usize, op: &Op, accesses: &[Access]) -> usize {
    let unlock = &history.events()[event];
    let mutex = unlock.op.object;
    let blocks = op.kind == OpKind::Lock && !op.timed && op.object == mutex;
    if unlock.op.kind != OpKind::Unlock || !blocks {
        return event;
    }
    let is_mutex = |location: Location| location.object == mutex && location.part == 0;
    let is_only_mutex = history.accesses(event).iter().all(|mine| {
        is_mutex(mine.location)
            || accesses.iter().all(|theirs| {
                theirs.location != mine.location || theirs.mode.commutes_with(mine.mode)
            })
    });
    let mut earlier = history.events()[..event].iter();
    let lock = earlier.rposition(|earlier| {
        earlier.task == unlock.task
            && earlier.op.object == mutex
            && matches!(earlier.op.kind, OpKind::Lock | OpKind::TryLock)
            && !earlier.is_refused
    });
    match lock {
        Some(lock) if is_only_mutex => lock,
        _ => event,
    }
}
