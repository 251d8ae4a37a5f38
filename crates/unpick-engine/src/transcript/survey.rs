//! What an execution as a whole tells about single uses of objects.

use crate::{Execution, History, Location, Mode};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::{vec, vec::Vec};
use unpick_trace::{ObjectId, ObjectKind, OpKind, TaskId};

/// The mutexes that are acquired and released and nothing else, and never held while waiting for something
/// that is no mutex.
pub(super) fn sections(execution: &Execution) -> BTreeSet<ObjectId> {
    let objects = execution.trace().objects.iter().enumerate();
    let mutexes = objects.filter(|(_, info)| info.kind == ObjectKind::Mutex);
    let mut sections: BTreeSet<ObjectId> = mutexes.map(|(at, _)| ObjectId(at as u32)).collect();
    let mut held: Vec<Vec<ObjectId>> = vec![Vec::new(); execution.task_count()];
    let pending = (0..execution.task_count() as u32).map(TaskId);
    let pending = pending.filter(|&task| execution.is_pending(task));
    let pending: Vec<_> = pending
        .map(|task| (task, execution.pending_op(task)))
        .collect();
    let performed = execution
        .trace()
        .operations()
        .map(|step| (step.task, step.op));
    for (task, op) in performed.chain(pending) {
        let held = &mut held[task.index()];
        match op.kind {
            OpKind::Lock if !op.timed => held.push(op.object),
            OpKind::Lock | OpKind::TryLock => {
                sections.remove(&op.object);
            }
            OpKind::Unlock => held.retain(|&one| one != op.object),
            kind if waits(kind) || op.is_arrival() => {
                for mutex in held {
                    sections.remove(mutex);
                }
            }
            _ => {}
        }
    }
    sections
}

/// The tasks with a program that each transition created.
pub(super) fn created(execution: &Execution, history: &History) -> BTreeMap<usize, Vec<TaskId>> {
    let mut created: BTreeMap<usize, Vec<TaskId>> = BTreeMap::new();
    let tasks = (0..execution.task_count() as u32).map(TaskId);
    for task in tasks.filter(|&task| !execution.is_agent(task)) {
        if let Some(number) = history.creator_of(task) {
            created.entry(number).or_default().push(task);
        }
    }
    created
}

/// Whether an operation may have to wait for others, besides for a mutex.
fn waits(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        Join | Sleep
            | ReadLock
            | WriteLock
            | Wait
            | Acquire
            | BarrierWait
            | OnceEnter
            | Send
            | Receive
            | Park
    )
}

/// Whether anybody looks whether a task has ended, without waiting for that.
pub(super) fn is_end_seen(execution: &Execution, history: &History) -> bool {
    (0..history.events().len()).any(|number| {
        let op = history.events()[number].op;
        history.accesses(number).iter().any(|access| {
            let Location { object, part } = access.location;
            let is_join = op.kind == OpKind::Join && op.object == object;
            let kind = execution.trace().objects[object.index()].kind;
            kind == ObjectKind::Task
                && part == Location::END
                && access.mode == Mode::Read
                && !is_join
        })
    })
}
