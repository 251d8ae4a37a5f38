//! Locks that are made of atomic operations: which task holds them, and which task has tried to take them.
//!
//! A lock is a variable that a task changes by a compare-and-exchange from the value that it has while it is free: the one
//! that the first of them finds. The task holds it until it changes the variable again.

use std::collections::BTreeMap;
use unpick_trace::{Deadlock, ObjectId, OpKind, Step, TaskId, Trace};

/// Whether tasks of a deadlock wait for such locks of each other, in a ring.
pub(super) fn are_in_a_ring(deadlock: &Deadlock, trace: &Trace) -> bool {
    let holders = holders(trace);
    let is_blocked = |task: TaskId| deadlock.blocked.iter().any(|one| one.task == task);
    let next = |task: TaskId| {
        let wanted = wanted_by(task, trace, &holders)?;
        is_blocked(wanted).then_some(wanted)
    };
    let mut tasks = deadlock.blocked.iter().map(|one| one.task);
    tasks.any(|start| {
        let mut task = start;
        // A ring is no longer than there are tasks.
        (0..deadlock.blocked.len()).any(|_| match next(task) {
            Some(holder) => {
                task = holder;
                task == start
            }
            None => false,
        })
    })
}

/// The task that holds each lock at the end.
fn holders(trace: &Trace) -> BTreeMap<ObjectId, TaskId> {
    let mut free: BTreeMap<ObjectId, u64> = BTreeMap::new();
    let mut holders = BTreeMap::new();
    for step in trace.operations() {
        let object = step.op.object;
        if is_exchange(step) {
            free.entry(object).or_insert(step.value);
        }
        let changes = matches!(
            step.op.kind,
            OpKind::CompareExchange | OpKind::ReadModifyWrite | OpKind::Store
        );
        let finds_free = free.get(&object) == Some(&step.value);
        if changes && step.op.kind != OpKind::Store && finds_free {
            holders.insert(object, step.task);
        } else if changes && holders.get(&object) == Some(&step.task) {
            holders.remove(&object);
        }
    }
    holders
}

/// The task that holds the lock which a task has tried last to take.
fn wanted_by(task: TaskId, trace: &Trace, holders: &BTreeMap<ObjectId, TaskId>) -> Option<TaskId> {
    let steps: Vec<&Step> = trace.operations().collect();
    let own = steps.iter().rev().filter(|step| step.task == task);
    let mut tried = own.filter(|step| is_exchange(step));
    tried.find_map(|step| {
        let holder = *holders.get(&step.op.object)?;
        (holder != task).then_some(holder)
    })
}

fn is_exchange(step: &Step) -> bool {
    step.op.kind == OpKind::CompareExchange
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_trace::{Blocked, Choice, Op, SiteId, TaskBits};

    /// A trace of compare-and-exchanges: the task, the variable, what it found. A store is one that found 9.
    fn trace(steps: &[(u32, u32, u64)]) -> Trace {
        let mut trace = Trace::default();
        for &(task, object, found) in steps {
            let kind = match found {
                9 => OpKind::Store,
                _ => OpKind::CompareExchange,
            };
            let (task, op) = (TaskId(task), Op::new(kind, ObjectId(object)));
            let mut step = Step::new(Choice::Task(task), task, op, SiteId::UNKNOWN);
            step.value = found;
            trace.push(step, TaskBits::from_words(3, &[]));
        }
        trace
    }

    fn deadlock() -> Deadlock {
        let blocked = |task| Blocked {
            task: TaskId(task),
            op: Op::new(OpKind::Wait, ObjectId(9)),
            site: None,
            waits_for: Vec::new(),
        };
        Deadlock {
            blocked: vec![blocked(0), blocked(1)],
            cycle: Vec::new(),
        }
    }

    #[test]
    fn two_locks_in_different_orders_are_a_ring() {
        let steps = [(0, 1, 0), (1, 2, 0), (0, 2, 1), (1, 1, 1)];
        assert!(are_in_a_ring(&deadlock(), &trace(&steps)));
        // The first task has let go of its lock, and waits for something else.
        let steps = [(0, 1, 0), (1, 2, 0), (0, 1, 9), (0, 2, 1), (1, 1, 0)];
        assert!(!are_in_a_ring(&deadlock(), &trace(&steps)));
    }
}
