//! `atom-fuzzer`: widens the window between two critical sections.
//!
//! C.-S. Park, K. Sen, *Randomized active atomicity violation detection in concurrent programs*, FSE 2008, as the
//! policy AF of S. Nagarakatte, S. Burckhardt, M. M. K. Martin, M. Musuvathi, *Multicore acceleration of
//! priority-based schedulers for concurrency bug detection*, PLDI 2012:
//!
//! ```text
//! repeat: run a random enabled task that is not paused
//!         a task that is about to take a lock that it has taken before is paused
//!         it goes on when another task has taken that lock, or when all are paused: then a random one does
//! ```
//!
//! What is done in two critical sections is often meant to be done in one; here somebody else comes between
//! them.
//!
//! *Departures from the papers.* The first paper pauses a task only within blocks that are declared atomic; like
//! the second one, this has no such declarations. Somebody who is paused may be waited for in a loop, so that after
//! a number of points an execution goes on at random.

use crate::{RandomSource, random::uniform};
use alloc::vec::Vec;
use unpick_engine::{Begin, Stop, Strategy, View};
use unpick_trace::{Choice, ObjectId, OpKind, TaskId};

/// Points of an execution at which somebody may be paused.
const PATIENCE: u32 = 1_000;

/// Executions in which tasks are paused before they take a lock again.
pub struct AtomFuzzer {
    seed: u64,
    source: RandomSource,
    /// Points left at which somebody may be paused.
    patience: u32,
    /// By task: the locks that it has taken.
    taken: Vec<Vec<ObjectId>>,
    /// By task: the number of its operation that it need not pause before, from 1.
    released: Vec<u64>,
    /// The enabled tasks that are not paused.
    free: Vec<TaskId>,
}

impl AtomFuzzer {
    /// The executions of one seed.
    pub fn new(seed: u64) -> AtomFuzzer {
        AtomFuzzer {
            seed,
            source: RandomSource::for_execution(seed, 0),
            patience: PATIENCE,
            taken: Vec::new(),
            released: Vec::new(),
            free: Vec::new(),
        }
    }

    fn is_paused(&self, view: &View<'_>, task: TaskId) -> bool {
        let op = view.next_op(task);
        takes(op.kind)
            && self.released[task.index()] != view.operations_of(task) + 1
            && self.taken[task.index()].contains(&op.object)
    }

    fn release(&mut self, view: &View<'_>, task: TaskId) {
        self.released[task.index()] = view.operations_of(task) + 1;
    }

    /// Takes note of a lock that is taken now: those who are paused before it may go on.
    fn take(&mut self, view: &View<'_>, task: TaskId) {
        let lock = view.next_op(task).object;
        let taken = &mut self.taken[task.index()];
        if !taken.contains(&lock) {
            taken.push(lock);
        }
        for other in (0..view.task_count() as u32).map(TaskId) {
            let is_other = other != task && !view.is_finished(other);
            if is_other && view.next_op(other).object == lock && self.is_paused(view, other) {
                self.release(view, other);
            }
        }
    }
}

impl Strategy for AtomFuzzer {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        self.patience = PATIENCE;
        self.taken.iter_mut().for_each(Vec::clear);
        self.released.fill(0);
        Begin::Ready
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        while self.taken.len() < view.task_count() {
            self.taken.push(Vec::new());
            self.released.push(0);
        }
        let mut free = core::mem::take(&mut self.free);
        free.clear();
        let may_pause = self.patience > 0;
        for task in view.enabled().iter() {
            if !may_pause || !self.is_paused(view, task) {
                free.push(task);
            }
        }
        self.patience -= u32::from(may_pause && free.len() < view.enabled_count());
        let task = match free.len() {
            0 => uniform(view, &mut self.source),
            count => free[self.source.below(count as u64) as usize],
        };
        if free.is_empty() {
            self.release(view, task);
        }
        self.free = free;
        if takes(view.next_op(task).kind) {
            self.take(view, task);
        }
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }
}

/// Whether an operation takes a lock, once it is enabled.
fn takes(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock | OpKind::Acquire
    )
}
