//! `lazy-dpor`: dynamic partial-order reduction on the lazy happens-before relation.
//!
//! P. Thomson, *Practical systematic concurrency testing for concurrent and distributed software*,
//! PhD thesis, Imperial College London, 2016, section 4.4.2, algorithm 6; P. Thomson and A. F.
//! Donaldson, *The lazy happens-before relation: better partial-order reduction for systematic
//! concurrency testing*, PPoPP 2015.
//!
//! ```text
//! addBacktrack'(E):
//!   for every task's next event e_n ∈ next(E)
//!     for every i with (E(i), e_n) a lazy race in E·<e_n>
//!        i' = max { i' <= i | E(i').tid = E(i).tid and
//!                             Held(E[1:i']) ∩ Relevant(E[1:i'], E[i'+1:|E|], e_n) = ∅ }
//!        E' = E[1:i'-1]; backtrack(E') += e_n's task if enabled, else all of enabled(E')
//! Held(E·<e>)     = mutexes that e.tid owns before e
//! Relevant(E,w,e) = mutexes m such that some lock of m in w lazily happens before e
//! ```
//!
//! To run the task of e_n before E(i), E(i)'s task must not sit inside a critical section that
//! anything e_n depends on needs. Sleep sets use the regular relation.
//!
//! The algorithm is *unsound*: a task that blocks inside a critical section, a deadlock of mutexes,
//! or a mutex in the hands of a third task can make it miss states. All three are looked for. When
//! one is found, the search starts again as `dpor`, unless `lazy-dpor:fallback=0`.
//!
//! *Departures from the paper.* The fallback, which the thesis suggests, and the search for third
//! owners. What a mutex contains is no operation here: a lock whose transition goes on to use it
//! stands for both, so that its own mutex is relevant. Those of `dpor`.

mod issues;
mod sections;

use crate::Dpor;
use crate::dpor::{Search, for_each_next, races_of_last, races_of_next};
use alloc::vec::Vec;
use issues::Issues;
use sections::{Next, point_for};
use unpick_engine::{
    Begin, Event, Execution, Proviso, Provisos, Relation, Stop, Strategy, View, Warning,
};
use unpick_trace::{Choice, TaskId};

/// Dynamic partial-order reduction on the lazy happens-before relation.
pub struct LazyDpor {
    search: Search,
    uses_sleep_sets: bool,
    falls_back: bool,
    /// The search that takes over once an issue was found.
    sound: Option<Dpor>,
    issues: Issues,
}

impl LazyDpor {
    /// A search at its beginning.
    pub fn new(uses_sleep_sets: bool, falls_back: bool) -> LazyDpor {
        LazyDpor {
            search: Search::new(Relation::Lazy, uses_sleep_sets),
            uses_sleep_sets,
            falls_back,
            sound: None,
            issues: Issues::default(),
        }
    }

    /// Takes in the event that is over.
    fn extend(&mut self, execution: &Execution) {
        let is_new = self.search.extend(execution);
        self.issues.observe(&self.search.history, execution);
        if is_new {
            self.add_backtracks(execution);
        }
    }

    /// Looks for lazy races of the last event and of the next events of all tasks.
    fn add_backtracks(&mut self, execution: &Execution) {
        let history = &self.search.history;
        let Some(last) = history.events().len().checked_sub(1) else {
            return;
        };
        let mut wanted = Vec::new();
        let Event { task, .. } = history.events()[last];
        let next = Next::of_last(history, task);
        for event in races_of_last(history, Relation::Lazy) {
            wanted.push((point_for(history, event, &next, &mut self.issues), task));
        }
        let issues = &mut self.issues;
        for_each_next(history, execution, |task, accesses, is_after_end| {
            let races = races_of_next(history, Relation::Lazy, task, accesses);
            let next = Next::of_pending(history, task, &races);
            for event in races {
                wanted.push((point_for(history, event, &next, issues), task));
            }
            if is_after_end {
                let next = next.at_once(&execution.pending_op(task));
                wanted.push((point_for(history, last, &next, issues), task));
            }
        });
        for (event, task) in wanted {
            self.search.add_backtrack(event, task);
        }
    }
}

impl Strategy for LazyDpor {
    fn begin(&mut self, index: u64) -> Begin {
        if let Some(sound) = &mut self.sound {
            return sound.begin(index);
        }
        if self.falls_back && self.issues.are_found() {
            let mut sound = Dpor::new(self.uses_sleep_sets);
            sound.begin(index);
            self.sound = Some(sound);
            return Begin::Restart;
        }
        self.issues.reset();
        self.search.begin()
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        if let Some(sound) = &mut self.sound {
            return sound.choose(view);
        }
        self.extend(view.execution());
        self.search.choose(view)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        match &mut self.sound {
            Some(sound) => sound.answer(view, question),
            None => self.search.answer(view, question),
        }
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        if let Some(sound) = &mut self.sound {
            return sound.end(execution);
        }
        let is_complete = self.search.is_complete(execution)?;
        if is_complete {
            self.extend(execution);
            self.issues.conclude(execution);
        }
        Ok(is_complete)
    }

    fn watches(&self) -> bool {
        true
    }

    fn warnings(&self) -> Vec<Warning> {
        self.issues.warnings(self.falls_back)
    }

    fn provisos(&self) -> Provisos {
        match self.sound {
            Some(_) => Provisos::NONE,
            None => Proviso::LazyLocks.into(),
        }
    }
}
