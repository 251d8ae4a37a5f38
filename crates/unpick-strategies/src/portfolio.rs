//! `portfolio`: several techniques share the executions, and what finds something new gets more.
//!
//! The default, for programs of which nothing is known:
//!
//! ```text
//! execution 0: the tasks in turn, each until it blocks; execution 1: one operation a turn
//! then, as long as there are some and while it is early, every second one: a schedule of the
//!     smallest number of delays that is left (see the search)
//! all others: one of pct with d = 2, 3, 5, pos and random, drawn by shares
//! after 1, 2, 4, …, 4,096 executions: half of the shares even, half by Thompson sampling
//! ```
//!
//! W. R. Thompson, *On the likelihood that one unknown probability exceeds another in view of the
//! evidence of two samples*, Biometrika 1933; for rewards that come in batches, O. Chapelle and L. Li,
//! *An empirical evaluation of Thompson sampling*, NIPS 2011. An execution is a success if its history,
//! the order of the operations on each object, was not seen before. What was seen long ago counts for
//! less (V. Raj and S. Kalyani, *Taming non-stationary bandits*, 2017): what is new runs out.
//!
//! Execution i is that of its member with the same seed and number, and which member that is depends
//! on the seed, on i, and on the [`Profile`]: any number of workers and shards runs the same.
//!
//! The exploration is complete when the search has run every schedule there is. If the search had to
//! assume something on the way that the drawn members do not ([`Provisos::OF_SEARCHES`]), they go on
//! until the budget ends.
//!
//! *Departures from the literature.* Half of the shares stay even: new histories are what can be seen,
//! bugs are what is wanted, and a technique may be the only one to find a bug that it finds seldom.

mod search;
mod shares;
#[cfg(test)]
mod tests;

use crate::{Pct, Pos, Random, RandomSource, RoundRobin};
use alloc::{boxed::Box, collections::BTreeSet, vec::Vec};
use core::panic::Location;
use search::Search;
use shares::Shares;
use unpick_engine::{
    Begin, Execution, LEARNING_MAX, Profile, Provisos, Sample, Sketch, Stop, Strategy, View, epoch,
};
use unpick_trace::{Choice, Op, TaskId};

/// Members that are drawn by shares.
const DRAWN: usize = 5;

/// How the members are called in reports: those that are drawn, then the fixed ones.
const NAMES: [&str; DRAWN + 2] = [
    "pct:d=2",
    "pct:d=3",
    "pct:d=5",
    "pos",
    "random",
    "round-robin",
    "delay bounding",
];
const ROUND_ROBIN: usize = DRAWN;
const SEARCH: usize = DRAWN + 1;

/// From here on nothing is left to the search: a quarter of the default budget has gone to it.
const SEARCH_UNTIL: u64 = 512;

/// Several techniques with shares that adapt.
pub struct Portfolio {
    drawn: [Box<dyn Strategy>; DRAWN],
    round_robin: RoundRobin,
    search: Search,
    /// What the executions of the search have assumed.
    assumed: Provisos,
    shares: Shares<DRAWN>,
    /// The member that leads the execution at hand, and the number of that execution.
    member: usize,
    index: u64,
    /// How many of the first executions were taken in, and the histories seen in them.
    learned: u64,
    seen: BTreeSet<u64>,
    history: Sketch,
}

impl Portfolio {
    /// The executions of one seed.
    pub fn new(seed: u64) -> Portfolio {
        let pct = |depth| Box::new(Pct::new(seed, depth, None));
        Portfolio {
            drawn: [
                pct(2),
                pct(3),
                pct(5),
                Box::new(Pos::new(seed)),
                Box::new(Random::new(seed)),
            ],
            round_robin: RoundRobin::new(1),
            search: Search::new(seed),
            assumed: Provisos::NONE,
            shares: Shares::new(seed),
            member: SEARCH,
            index: 0,
            learned: 0,
            seen: BTreeSet::new(),
            history: Sketch::default(),
        }
    }

    /// Who leads an execution of the epoch at hand.
    fn member_of(&self, index: u64) -> usize {
        match index {
            _ if self.search.has(index) => SEARCH,
            1 => ROUND_ROBIN,
            _ => self.shares.draw(index),
        }
    }

    fn acting(&mut self) -> &mut dyn Strategy {
        match self.member {
            ROUND_ROBIN => &mut self.round_robin,
            SEARCH => &mut self.search,
            drawn => &mut *self.drawn[drawn],
        }
    }

    /// Takes in what an execution has shown.
    fn take_in(&mut self, index: u64, sample: &Sample) {
        let is_new = self.seen.insert(sample.history);
        match self.member_of(index) {
            SEARCH => {
                self.assumed.merge(sample.provisos);
                self.search.take_in(index, &sample.options);
            }
            ROUND_ROBIN => {}
            drawn => self.shares.count(drawn, is_new),
        }
    }

    /// Plans the executions of an epoch.
    fn plan(&mut self, first: u64) {
        self.shares.adapt(first);
        let is_for_search = |index: &u64| index.is_multiple_of(2) && *index < SEARCH_UNTIL;
        let epoch = epoch(first, SEARCH_UNTIL.max(first));
        self.search.plan(epoch.filter(is_for_search));
    }
}

impl Strategy for Portfolio {
    fn begin(&mut self, index: u64) -> Begin {
        if self.search.is_exhausted() && !self.assumed.meets(Provisos::OF_SEARCHES) {
            return Begin::Exhausted;
        }
        self.index = index;
        self.member = self.member_of(index);
        match self.member {
            // It knows of one execution only.
            ROUND_ROBIN => self.acting().begin(0),
            _ => self.acting().begin(index),
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.acting().choose(view)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.acting().answer(view, question)
    }

    fn advance(
        &mut self,
        execution: &mut Execution,
        op: Op,
        location: &'static Location<'static>,
    ) -> usize {
        self.acting().advance(execution, op, location)
    }

    fn advance_past_end(&mut self, execution: &mut Execution) -> usize {
        self.acting().advance_past_end(execution)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        if self.index < LEARNING_MAX {
            self.history.read(execution);
        }
        Ok(true)
    }

    /// What keeps a task waiting for long is a loop that nothing but that task can end, as a rule.
    fn is_fair(&self) -> bool {
        true
    }

    fn learns(&self) -> bool {
        true
    }

    fn measure(&self, execution: &Execution, profile: &mut Profile) {
        if self.index < LEARNING_MAX {
            let options = match self.member {
                SEARCH => self.search.options(),
                _ => Vec::new(),
            };
            let history = self.history.hash();
            let sample = Sample {
                history,
                options,
                provisos: execution.provisos(),
            };
            profile.samples.insert(self.index, sample);
        }
    }

    fn learn(&mut self, profile: &Profile) {
        for member in &mut self.drawn {
            member.learn(profile);
        }
        loop {
            let epoch = epoch(self.learned, LEARNING_MAX);
            if epoch.is_empty() || !profile.samples.contains_key(&(epoch.end - 1)) {
                break;
            }
            for (&index, sample) in profile.samples.range(epoch.clone()) {
                self.take_in(index, sample);
            }
            self.learned = epoch.end;
            self.plan(epoch.end);
        }
    }

    fn member(&self) -> Option<&'static str> {
        Some(NAMES[self.member])
    }
}
