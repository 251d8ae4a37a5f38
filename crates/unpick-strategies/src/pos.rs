//! `pos`: partial order sampling.
//!
//! X. Yuan, J. Yang, R. Gu, *Partial order aware concurrency sampling*, CAV 2018.
//!
//! ```text
//! give every next event an independent random priority
//! run the enabled event e of highest priority
//! give the next event of its task, and every next event that races with e, a fresh priority
//! ```
//!
//! Redrawing the priorities of events that race with e makes the order of each racing pair a fresh
//! toss, so that partial orders which plain random scheduling reaches with vanishing probability are
//! sampled nearly evenly.
//!
//! *Departures from the paper.* None for programs without yields. An event that yields, another turn
//! of a recognised spin loop included, draws its priority below those of all others: a lock holder
//! that has drawn a very low one would otherwise be kept out for a very long time.

use crate::RandomSource;
use alloc::vec::Vec;
use unpick_engine::{Begin, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Partial order sampling.
pub struct Pos {
    seed: u64,
    source: RandomSource,
    /// The priority of each task's next event; zero asks for a fresh one.
    priorities: Vec<u64>,
}

impl Pos {
    /// The executions of one seed.
    pub fn new(seed: u64) -> Pos {
        Pos {
            seed,
            source: RandomSource::for_execution(seed, 0),
            priorities: Vec::new(),
        }
    }
}

impl Strategy for Pos {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        self.priorities.clear();
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.priorities.resize(view.task_count(), 0);
        for (index, priority) in self.priorities.iter_mut().enumerate() {
            if *priority == 0 {
                let yields = view.yields(TaskId(index as u32));
                *priority = (self.source.next() >> (32 * u32::from(yields))) | 1;
            }
        }
        let task = view
            .enabled()
            .iter()
            .max_by_key(|task| self.priorities[task.index()])
            .expect("internal error: no task is enabled");
        let op = view.next_op(task);
        for (index, priority) in self.priorities.iter_mut().enumerate() {
            let other = TaskId(index as u32);
            if other == task || view.next_op(other).conflicts_with(op) {
                *priority = 0;
            }
        }
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }
}
