//! `deadlock-fuzzer`: executions directed at one possible deadlock.
//!
//! P. Joshi, C.-S. Park, K. Sen, M. Naik, *A randomized dynamic program analysis technique for
//! detecting real deadlocks*, PLDI 2009. A random task goes on at every point, but a task of the
//! cycle that holds its lock and stands before the next one is held back, so that the others come to
//! stand where they belong as well. When all of them do, none can go on, and the deadlock is there.
//! If everybody is held back before that, one of them is let go.
//!
//! *Departures from the paper.* Tasks are known by who created them, and locks by where they were
//! taken: the engine's names of objects may differ between executions. Nothing is done to keep tasks
//! from taking the locks of the cycle too early; other random numbers do. Somebody who is held back
//! may be waited for in a loop, so that after a number of points the execution goes on at random.

use crate::{RandomSource, random::uniform};
use alloc::vec::Vec;
use unpick_engine::{Begin, Execution, LockCycle, LockLink, Stop, Strategy, View};
use unpick_trace::{Choice, OpKind, TaskId};

/// Points of an execution at which somebody may be held back.
const PATIENCE: u32 = 1_000;

/// Executions directed at a cycle of locks.
pub struct DeadlockFuzzer {
    cycle: LockCycle,
    seed: u64,
    source: RandomSource,
    /// Points left at which somebody may be held back.
    patience: u32,
    /// The task that was let go, with the number of its operation.
    released: Option<(TaskId, u64)>,
    /// The enabled tasks that are not held back.
    others: Vec<TaskId>,
    is_met: bool,
}

impl DeadlockFuzzer {
    /// The executions of one seed that are directed at `cycle`.
    pub fn new(cycle: LockCycle, seed: u64) -> DeadlockFuzzer {
        DeadlockFuzzer {
            cycle,
            seed,
            source: RandomSource::for_execution(seed, 0),
            patience: PATIENCE,
            released: None,
            others: Vec::new(),
            is_met: false,
        }
    }

    /// Whether an execution has ended in a deadlock of the cycle.
    pub fn is_met(&self) -> bool {
        self.is_met
    }

    /// Whether a task stands where the deadlock needs it.
    fn is_in_place(&self, view: &View<'_>, task: TaskId) -> bool {
        let mut links = self.cycle.links.iter();
        links.any(|link| link.task == task && wants(view, link) && holds(view, link))
    }
}

impl Strategy for DeadlockFuzzer {
    fn begin(&mut self, index: u64) -> Begin {
        if self.is_met {
            return Begin::Stopped;
        }
        self.source = RandomSource::for_execution(self.seed, index);
        self.patience = PATIENCE;
        self.released = None;
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        if self.patience == 0 {
            return Ok(uniform(view, &mut self.source));
        }
        let mut others = core::mem::take(&mut self.others);
        others.clear();
        for task in view.enabled().iter() {
            let is_released = self.released == Some((task, view.operations_of(task)));
            if is_released || !self.is_in_place(view, task) {
                others.push(task);
            }
        }
        self.patience -= u32::from(others.len() < view.enabled_count());
        let task = match others.len() {
            0 => {
                let task = uniform(view, &mut self.source);
                self.released = Some((task, view.operations_of(task)));
                task
            }
            count => others[self.source.below(count as u64) as usize],
        };
        self.others = others;
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        let mut outcome = execution.outcome().into_iter();
        self.is_met |= outcome.any(|outcome| self.cycle.is_met_by(outcome));
        Ok(true)
    }
}

/// Whether the task of a link stands before the lock that it wants.
fn wants(view: &View<'_>, link: &LockLink) -> bool {
    use OpKind::{Lock, ReadLock, WriteLock};
    let next = view.next_op(link.task);
    next.is_arrival()
        || matches!(next.kind, Lock | ReadLock | WriteLock)
            && view.next_site(link.task) == link.wanted_at.as_ref()
}

/// Whether the task of a link holds a lock that it has taken where the cycle says.
fn holds(view: &View<'_>, link: &LockLink) -> bool {
    let mut held = view.execution().held(link.task).iter();
    held.any(|lock| view.trace().site(lock.site) == link.held_at.as_ref())
}
