//! Mutexes and reader-writer locks.

use crate::{Execution, Grant, Held, object::State};
use alloc::vec::Vec;
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

impl Execution {
    /// Takes in a task that is about to acquire or release a mutex.
    #[inline(always)]
    pub(crate) fn arrive_at_mutex(&mut self, task: TaskId, op: Op) {
        let object = &mut self.objects[op.object.index()];
        let State::Mutex { owner } = object.state else {
            not_a_mutex(op);
        };
        if op.kind == OpKind::Lock {
            object.begin_wait(task);
            if owner.is_some() {
                self.hold_up(task);
            }
        }
        if (owner == Some(task)) == (op.kind == OpKind::Lock) {
            self.check_use(task, &op);
        }
    }

    /// Acquires or releases a mutex. All who wait for it are enabled while it is free, and none while
    /// it is not, so that they can be dealt with at once.
    #[inline(always)]
    pub(crate) fn perform_on_mutex(&mut self, task: TaskId, op: Op) {
        let object = &mut self.objects[op.object.index()];
        let State::Mutex { owner } = &mut object.state else {
            not_a_mutex(op);
        };
        // Another task may hold what is unlocked here: a misuse that is not a failure.
        let holder = owner.filter(|_| op.kind != OpKind::Lock).unwrap_or(task);
        let slot = &mut self.tasks[holder.index()];
        if op.kind == OpKind::Lock {
            *owner = Some(task);
            slot.held.push(Held {
                object: op.object,
                site: slot.site,
                is_shared: false,
            });
            let is_nested = slot.held.len() > 1;
            object.end_wait(task);
            if object.waiting_count > 0 {
                self.enabled_count -= object.waiting_count;
                self.enabled.remove_all(object.waiting.bits());
            }
            if is_nested {
                self.note_nested_lock(task);
            }
        } else {
            *owner = None;
            release(&mut slot.held, op.object);
            if object.waiting_count > 0 {
                self.enabled_count += object.waiting_count;
                self.enabled.insert_all(object.waiting.bits());
            }
        }
        self.note_change(task);
    }

    /// Whether readers have to wait behind a writer that waits.
    pub(super) fn has_writer_waiting(&self, lock: ObjectId) -> bool {
        let mut waiting = self.objects[lock.index()].waiting.bits().iter();
        waiting.any(|task| {
            let op = self.tasks[task.index()].op;
            op.kind == OpKind::WriteLock && op.argument == Op::PREFERRED
        })
    }

    pub(super) fn apply_lock(&mut self, task: TaskId, op: &Op) -> Grant {
        let is_behind = op.kind == OpKind::TryReadLock && self.has_writer_waiting(op.object);
        let slot = &mut self.tasks[task.index()];
        let held = &mut slot.held;
        let mut lock = Held {
            object: op.object,
            site: slot.site,
            is_shared: false,
        };
        match (op.kind, &mut self.objects[op.object.index()].state) {
            (OpKind::Lock | OpKind::TryLock, State::Mutex { owner }) => {
                if owner.is_some() {
                    return Grant::Refused;
                }
                *owner = Some(task);
                held.push(lock);
            }
            (OpKind::Unlock, State::Mutex { owner }) => {
                *owner = None;
                release(held, op.object);
            }
            (OpKind::ReadLock | OpKind::TryReadLock, State::RwLock { writer, readers }) => {
                if writer.is_some() || is_behind {
                    return Grant::Refused;
                }
                *readers += 1;
                lock.is_shared = true;
                held.push(lock);
            }
            (OpKind::WriteLock | OpKind::TryWriteLock, State::RwLock { writer, readers }) => {
                if writer.is_some() || *readers > 0 {
                    return Grant::Refused;
                }
                *writer = Some(task);
                held.push(lock);
            }
            (OpKind::ReadUnlock, State::RwLock { readers, .. }) => {
                *readers -= 1;
                release(held, op.object);
            }
            (OpKind::WriteUnlock, State::RwLock { writer, .. }) => {
                *writer = None;
                release(held, op.object);
            }
            (kind, state) => panic!("internal error: {kind:?} on {state:?}"),
        }
        let waits = matches!(op.kind, OpKind::ReadLock | OpKind::WriteLock) || op.is_arrival();
        let waits = waits && !op.timed;
        if waits && held.len() > 1 {
            self.note_nested_lock(task);
        }
        Grant::Done
    }
}

#[cold]
fn not_a_mutex(op: Op) -> ! {
    panic!("internal error: {op:?} needs a mutex");
}

/// Takes a lock out of those that a task holds. It nearly always is the last one.
#[inline]
fn release(held: &mut Vec<Held>, object: ObjectId) {
    if held.last().is_some_and(|last| last.object == object) {
        held.pop();
    } else {
        release_inner(held, object);
    }
}

#[cold]
fn release_inner(held: &mut Vec<Held>, object: ObjectId) {
    if let Some(position) = held.iter().rposition(|other| other.object == object) {
        held.remove(position);
    }
}
