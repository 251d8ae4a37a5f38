//! Which locks a task holds, by going through the steps once more.
//!
//! A trace does not say whether an attempt to lock succeeded. It follows from who holds the lock.

use std::collections::HashMap;
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

/// Why an operation that could have taken a lock did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missed {
    /// An attempt that found the lock taken.
    Refused,
    /// Its time was over.
    TimedOut,
}

/// Who holds what.
#[derive(Default)]
pub(super) struct Locks {
    /// Who holds a lock, by lock; several only if they share it.
    holders: HashMap<ObjectId, Vec<TaskId>>,
    /// The locks that cannot be taken by readers now.
    exclusive: HashMap<ObjectId, bool>,
    /// By task, in the order of taking.
    held: Vec<Vec<ObjectId>>,
    /// Every set of locks that some task held at some time, once.
    sets: Vec<Vec<ObjectId>>,
    set_numbers: HashMap<Vec<ObjectId>, usize>,
}

impl Locks {
    pub(super) fn new(task_count: usize) -> Locks {
        let mut locks = Locks {
            held: vec![Vec::new(); task_count],
            ..Locks::default()
        };
        locks.set_number(Vec::new());
        locks
    }

    /// Performs an operation; `gives_up` says that a time-out was chosen for it.
    pub(super) fn perform(&mut self, task: TaskId, op: &Op, gives_up: bool) -> Option<Missed> {
        use OpKind::*;
        let is_shared = matches!(op.kind, ReadLock | TryReadLock);
        match op.kind {
            Lock | TryLock | ReadLock | TryReadLock | WriteLock | TryWriteLock => {
                let is_free = self.is_free(op.object, is_shared);
                if op.timed && (gives_up || !is_free) {
                    return Some(Missed::TimedOut);
                }
                if !is_free && matches!(op.kind, TryLock | TryReadLock | TryWriteLock) {
                    return Some(Missed::Refused);
                }
                self.holders.entry(op.object).or_default().push(task);
                self.exclusive.insert(op.object, !is_shared);
                self.held[task.index()].push(op.object);
            }
            Unlock | ReadUnlock | WriteUnlock => {
                let holders = self.holders.entry(op.object).or_default();
                remove_last(holders, task);
                remove_last(&mut self.held[task.index()], op.object);
            }
            _ => {}
        }
        None
    }

    fn is_free(&self, lock: ObjectId, is_shared: bool) -> bool {
        let is_held = self.holders.get(&lock).is_some_and(|all| !all.is_empty());
        let is_exclusive = self.exclusive.get(&lock).copied().unwrap_or(false);
        !is_held || is_shared && !is_exclusive
    }

    /// The number of the set of locks that a task holds now.
    pub(super) fn held_by(&mut self, task: TaskId) -> usize {
        let held = &self.held[task.index()];
        match self.set_numbers.get(held) {
            Some(&number) => number,
            None => self.set_number(held.clone()),
        }
    }

    fn set_number(&mut self, set: Vec<ObjectId>) -> usize {
        let number = self.sets.len();
        self.sets.push(set.clone());
        self.set_numbers.insert(set, number);
        number
    }

    /// All sets, by number; the first one is empty.
    pub(super) fn into_sets(self) -> Vec<Vec<ObjectId>> {
        self.sets
    }
}

fn remove_last<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if let Some(at) = list.iter().rposition(|other| *other == item) {
        list.remove(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: ObjectId = ObjectId(7);

    #[test]
    fn attempts_are_refused_while_another_task_holds_the_lock() {
        let mut locks = Locks::new(2);
        let mut act = |task, kind| locks.perform(TaskId(task), &Op::new(kind, LOCK), false);
        assert_eq!(act(0, OpKind::Lock), None);
        assert_eq!(act(1, OpKind::TryLock), Some(Missed::Refused));
        assert_eq!(act(0, OpKind::Unlock), None);
        assert_eq!(act(1, OpKind::TryLock), None);
        let held = locks.held_by(TaskId(1));
        assert_eq!(locks.held_by(TaskId(0)), 0);
        assert_eq!(locks.into_sets()[held], [LOCK]);
    }

    #[test]
    fn readers_share_and_writers_do_not() {
        let mut locks = Locks::new(3);
        let mut act = |task, kind| locks.perform(TaskId(task), &Op::new(kind, LOCK), false);
        assert_eq!(act(0, OpKind::ReadLock), None);
        assert_eq!(act(1, OpKind::TryReadLock), None);
        assert_eq!(act(2, OpKind::TryWriteLock), Some(Missed::Refused));
        assert_eq!(act(0, OpKind::ReadUnlock), None);
        assert_eq!(act(1, OpKind::ReadUnlock), None);
        assert_eq!(act(2, OpKind::TryWriteLock), None);
        assert_eq!(act(0, OpKind::TryReadLock), Some(Missed::Refused));
    }

    #[test]
    fn a_timed_lock_gives_up_if_it_must_or_if_that_is_chosen() {
        let mut locks = Locks::new(2);
        let timed = Op::timed(OpKind::Lock, LOCK);
        assert_eq!(
            locks.perform(TaskId(0), &timed, true),
            Some(Missed::TimedOut)
        );
        assert_eq!(locks.perform(TaskId(0), &timed, false), None);
        assert_eq!(
            locks.perform(TaskId(1), &timed, false),
            Some(Missed::TimedOut)
        );
    }
}
