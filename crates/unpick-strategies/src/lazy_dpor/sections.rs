//! How far back a lazy race must be turned round: `Held` and `Relevant` of the thesis.

use super::issues::Issues;
use alloc::vec::Vec;
use unpick_engine::{Event, History, Relation};
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

/// The second event of a race, performed or not.
pub(super) struct Next {
    pub task: TaskId,
    /// Mutexes that were locked by an event that lazily happens before it, and the last such event.
    relevant: Vec<(ObjectId, usize)>,
}

impl Next {
    /// The last event of the history. If it is a lock itself, what races is what it does next, under
    /// that lock.
    pub fn of_last(history: &History, task: TaskId) -> Next {
        let last = history.events().len() - 1;
        let is_before = |event: usize| history.is_before(Relation::Lazy, event, last);
        Next::new(history, task, is_before)
    }

    /// The next event of a task, with the events it races with.
    pub fn of_pending(history: &History, task: TaskId, races: &[usize]) -> Next {
        let known = history.last_of(task).into_iter();
        let direct: Vec<usize> = known.chain(races.iter().copied()).collect();
        Next::new(history, task, |event| {
            let mut direct = direct.iter();
            direct.any(|&other| history.is_before(Relation::Lazy, event, other))
        })
    }

    /// The same if the operation is to be performed before the last event, so that its own mutex
    /// must be free.
    pub fn at_once(mut self, op: &Op) -> Next {
        if op.kind == OpKind::Lock {
            self.relevant.push((op.object, usize::MAX));
        }
        self
    }

    fn new(history: &History, task: TaskId, is_before: impl Fn(usize) -> bool) -> Next {
        let mut relevant: Vec<(ObjectId, usize)> = Vec::new();
        for (number, event) in history.events().iter().enumerate() {
            if let Some(mutex) = locked(event).filter(|_| is_before(number)) {
                relevant.retain(|(known, _)| *known != mutex);
                relevant.push((mutex, number));
            }
        }
        Next { task, relevant }
    }

    /// `Relevant(E[1:event], E[event+1:|E|], e)`
    pub fn relevant_after(&self, event: usize) -> impl Iterator<Item = ObjectId> {
        let after = self.relevant.iter().filter(move |(_, lock)| *lock > event);
        after.map(|(mutex, _)| *mutex)
    }
}

/// The event before which the task of `next` must run to come before `event`.
pub(super) fn point_for(
    history: &History,
    event: usize,
    next: &Next,
    issues: &mut Issues,
) -> usize {
    let task = history.events()[event].task;
    let mut point = event;
    let mut held: Vec<ObjectId> = Vec::new();
    let mut held_there = Vec::new();
    for (number, mine) in history.events()[..=event].iter().enumerate() {
        if mine.task != task {
            continue;
        }
        if !next
            .relevant_after(number)
            .any(|mutex| held.contains(&mutex))
        {
            point = number;
            held_there.clone_from(&held);
        }
        if let Some(mutex) = locked(mine) {
            held.push(mutex);
        } else if mine.op.kind == OpKind::Unlock {
            held.retain(|mutex| *mutex != mine.op.object);
        }
    }
    issues.look_for_third_owner(history, point, next, &held_there);
    point
}

/// The mutex that an event acquires.
pub(super) fn locked(event: &Event) -> Option<ObjectId> {
    let is_lock = matches!(event.op.kind, OpKind::Lock | OpKind::TryLock);
    (is_lock && !event.is_refused).then_some(event.op.object)
}
