//! Data races of one execution, by definition and at quadratic cost.
//!
//! Two accesses of one cell by different tasks, at least one of them a write, race if neither
//! happens before the other. Here *happens before* is what synchronises: the order within a task,
//! creating and joining, releasing and acquiring. Atomics count as sequentially consistent, and an
//! exchange as one that worked: a trace does not tell.
//!
//! Nothing here is shared with the engine's own account of happens-before, on purpose.

use std::collections::VecDeque;
use unpick::trace::{OpKind, Step, TaskId, Trace};

/// The pairs of steps of a trace that race, the earlier one first.
#[must_use]
pub fn races(trace: &Trace) -> Vec<(usize, usize)> {
    if !trace.steps.iter().any(is_plain) {
        return Vec::new();
    }
    let before = happens_before(trace);
    let steps: Vec<usize> = operations(trace).collect();
    let mut found = Vec::new();
    for (number, &later) in steps.iter().enumerate() {
        for &earlier in &steps[..number] {
            let (one, other) = (&trace.steps[earlier], &trace.steps[later]);
            if one.task != other.task
                && is_plain(one)
                && is_plain(other)
                && one.op.conflicts_with(&other.op)
                && !before[later][earlier]
            {
                found.push((earlier, later));
            }
        }
    }
    found
}

/// For every step, which earlier steps happen before it.
fn happens_before(trace: &Trace) -> Vec<Vec<bool>> {
    let refused = refused(trace);
    let mut before: Vec<Vec<bool>> = Vec::with_capacity(trace.steps.len());
    for later in 0..trace.steps.len() {
        let mut row = vec![false; later];
        if trace.steps[later].is_operation() && !refused[later] {
            for earlier in predecessors(trace, &refused, later) {
                row[earlier] = true;
                for (at, reached) in before[earlier].iter().enumerate() {
                    row[at] |= reached;
                }
            }
        }
        // What a refused attempt learns orders nothing, but its task goes on in order.
        if let Some(own) = own_before(trace, later) {
            row[own] = true;
            for at in 0..own {
                row[at] |= before[own][at];
            }
        }
        before.push(row);
    }
    before
}

/// The step before in the same task, or the one that created the task.
fn own_before(trace: &Trace, later: usize) -> Option<usize> {
    let task = trace.steps[later].task;
    let own = operations(trace)
        .take_while(|&at| at < later)
        .filter(|&at| trace.steps[at].task == task)
        .last();
    own.or_else(|| creation(trace, task))
}

/// The step that created a task.
fn creation(trace: &Trace, task: TaskId) -> Option<usize> {
    if task == TaskId::MAIN {
        return None;
    }
    let info = &trace.tasks[task.index()];
    operations(trace)
        .filter(|&at| {
            trace.steps[at].task == info.parent && trace.steps[at].op.kind == OpKind::Spawn
        })
        .nth(info.index as usize)
}

/// The steps with which a step synchronises directly.
fn predecessors(trace: &Trace, refused: &[bool], later: usize) -> Vec<usize> {
    let step = &trace.steps[later];
    let of_object: Vec<usize> = operations(trace)
        .take_while(|&at| at < later)
        .filter(|&at| trace.steps[at].op.object == step.op.object && !refused[at])
        .collect();
    let of_kinds = |kinds: &[OpKind]| {
        let chosen = of_object.iter().copied();
        chosen
            .filter(|&at| kinds.contains(&trace.steps[at].op.kind))
            .collect()
    };
    use OpKind::*;
    match step.op.kind {
        Lock | TryLock => of_kinds(&[Unlock]),
        ReadLock | TryReadLock => of_kinds(&[WriteUnlock]),
        WriteLock | TryWriteLock => of_kinds(&[WriteUnlock, ReadUnlock]),
        Wait => {
            // Only who was notified while waiting has been woken.
            let enlisted = own_before(trace, later).unwrap_or(0);
            let notified = of_kinds(&[NotifyOne, NotifyAll]).into_iter();
            notified.filter(|&at| at > enlisted).collect()
        }
        Acquire | TryAcquire => of_kinds(&[Release]),
        OnceEnter | OnceRead => of_kinds(&[OnceLeave]),
        Park => of_kinds(&[Unpark]),
        Load | ReadModifyWrite | CompareExchange => read_from(trace, &of_object),
        Receive | TryReceive => received(trace, &of_object),
        BarrierWait => arrived(trace, later),
        Join => last_of(trace, later),
        _ => Vec::new(),
    }
}

/// The last write of an atomic, and before it whatever it is built on.
fn read_from(trace: &Trace, of_object: &[usize]) -> Vec<usize> {
    let mut sources = Vec::new();
    for &at in of_object.iter().rev() {
        match trace.steps[at].op.kind {
            OpKind::Store => {
                sources.push(at);
                break;
            }
            OpKind::ReadModifyWrite | OpKind::CompareExchange => sources.push(at),
            _ => {}
        }
    }
    sources
}

/// The send of the message that is received next, or the senders' end if there is none. A trace does
/// not tell which attempts to send were refused, so all count as sends.
fn received(trace: &Trace, of_object: &[usize]) -> Vec<usize> {
    let mut queue = VecDeque::new();
    let mut dropped = Vec::new();
    for &at in of_object {
        match trace.steps[at].op.kind {
            OpKind::Send | OpKind::TrySend => queue.push_back(at),
            OpKind::Receive | OpKind::TryReceive => drop(queue.pop_front()),
            OpKind::SenderDrop => dropped.push(at),
            _ => {}
        }
    }
    match queue.pop_front() {
        Some(send) => vec![send],
        None => dropped,
    }
}

/// The steps with which the tasks of the same round arrived at a barrier. Rounds are told apart by
/// the number of times each task has left the barrier before.
fn arrived(trace: &Trace, later: usize) -> Vec<usize> {
    let barrier = trace.steps[later].op.object;
    let leaves: Vec<usize> = operations(trace)
        .filter(|&at| trace.steps[at].op.object == barrier)
        .collect();
    let round = |of: usize| {
        let task = trace.steps[of].task;
        let own = leaves.iter().filter(|&&at| trace.steps[at].task == task);
        own.filter(|&&at| at < of).count()
    };
    let this = round(later);
    let same = leaves.iter().filter(|&&at| round(at) == this);
    let arrivals = same.filter_map(|&at| own_before(trace, at));
    arrivals.filter(|&at| at < later).collect()
}

/// The last step of the task that is joined.
fn last_of(trace: &Trace, join: usize) -> Vec<usize> {
    let object = trace.steps[join].op.object;
    let task = trace.tasks.iter().position(|task| task.object == object);
    let Some(task) = task.map(|index| TaskId(index as u32)) else {
        return Vec::new();
    };
    let last = operations(trace)
        .take_while(|&at| at < join)
        .filter(|&at| trace.steps[at].task == task)
        .last();
    last.or_else(|| creation(trace, task)).into_iter().collect()
}

/// Which attempts to lock found the lock taken, by following who holds it.
fn refused(trace: &Trace) -> Vec<bool> {
    use OpKind::*;
    let mut writers = vec![0_u32; trace.objects.len()];
    let mut readers = vec![0_u32; trace.objects.len()];
    let mut refused = vec![false; trace.steps.len()];
    for at in operations(trace) {
        let op = trace.steps[at].op;
        let object = op.object.0 as usize;
        match op.kind {
            TryLock | TryWriteLock if writers[object] + readers[object] > 0 => refused[at] = true,
            TryReadLock if writers[object] > 0 => refused[at] = true,
            Lock | WriteLock | TryLock | TryWriteLock => writers[object] += 1,
            ReadLock | TryReadLock => readers[object] += 1,
            Unlock | WriteUnlock => writers[object] -= 1,
            ReadUnlock => readers[object] -= 1,
            _ => {}
        }
    }
    refused
}

fn operations(trace: &Trace) -> impl Iterator<Item = usize> + '_ {
    (0..trace.steps.len()).filter(|&at| trace.steps[at].is_operation())
}

fn is_plain(step: &Step) -> bool {
    matches!(step.op.kind, OpKind::PlainRead | OpKind::PlainWrite)
}
