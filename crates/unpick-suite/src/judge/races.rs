//! Data races of one execution, by definition and at quadratic cost.
//!
//! Two accesses of one cell by different tasks, at least one of them a write, race if neither
//! happens before the other. Here *happens before* is what synchronises: the order within a task,
//! creating and joining, releasing and acquiring, and so on. Atomics and fences synchronise as C++20 says
//! ([atomics.order], [atomics.fences]): by release sequences. What came of an attempt, and in which memory
//! order it was made, is what the program itself has noted.
//!
//! Nothing here is shared with the engine's own account of happens-before, on purpose.

use super::arrivals::{Belonging, belongings};
use crate::generated::{Deviation, Ordered, PARTIES, Record};
use std::sync::atomic::Ordering::{self, AcqRel, Acquire, Release, SeqCst};
use unpick::trace::{OpKind, Step, TaskId, Trace};
use unpick::{Execution, Race};

/// Whether an execution has a data race; an error if the engine says otherwise, or names another
/// pair than a first one.
pub fn check_races(execution: &Execution, record: &Record) -> Result<bool, String> {
    let races = races(execution.trace(), record);
    let first = races.iter().map(|(_, later)| *later).min();
    let found = execution.data_race();
    let is_true = |race: Race| races.contains(&(race.earlier, race.later));
    match found.map(|race| race.later) == first && found.is_none_or(is_true) {
        true => Ok(found.is_some()),
        false => Err(format!("{found:?} of {races:?}")),
    }
}

/// The pairs of steps of a trace that race, the earlier one first.
#[must_use]
pub fn races(trace: &Trace, record: &Record) -> Vec<(usize, usize)> {
    if !trace.steps.iter().any(is_plain) {
        return Vec::new();
    }
    let before = happens_before(trace, record);
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
fn happens_before(trace: &Trace, record: &Record) -> Vec<Vec<bool>> {
    let courses = courses(trace, record);
    let orders = orders(trace, record);
    let mut before: Vec<Vec<bool>> = Vec::with_capacity(trace.steps.len());
    for later in 0..trace.steps.len() {
        let mut row = vec![false; later];
        if trace.steps[later].is_operation() {
            for earlier in predecessors(trace, record, &courses, &orders, later) {
                row[earlier] = true;
                for (at, reached) in before[earlier].iter().enumerate() {
                    row[at] |= reached;
                }
            }
        }
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

/// What came of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Course {
    Done,
    Refused,
    Closed,
}

/// What came of every step.
fn courses(trace: &Trace, record: &Record) -> Vec<Course> {
    let steps = trace.steps.iter().zip(belongings(trace));
    let course = |(step, belonging): (&Step, Belonging)| {
        let task = step.task.index();
        let is_it = |one: &&Deviation| {
            (one.task, one.operation) == (record.created[task], belonging.operation)
        };
        match record.deviations.iter().find(is_it) {
            _ if !step.is_operation() => Course::Done,
            _ if belonging.has_second => Course::Refused,
            Some(one) if one.is_closed => Course::Closed,
            Some(one) if one.is_refused => Course::Refused,
            _ => Course::Done,
        }
    };
    steps.map(course).collect()
}

/// The memory order of every step, as the program has noted it.
fn orders(trace: &Trace, record: &Record) -> Vec<Ordering> {
    let mut orders = vec![SeqCst; trace.steps.len()];
    for (at, belonging) in belongings(trace).into_iter().enumerate() {
        let task = trace.steps[at].task.index();
        let is_it = |one: &&Ordered| {
            (one.task, one.operation) == (record.created[task], belonging.operation)
        };
        if let Some(noted) = record.ordered.iter().find(is_it) {
            orders[at] = noted.order;
        }
    }
    orders
}

/// The steps with which a step synchronises directly.
fn predecessors(
    trace: &Trace,
    record: &Record,
    courses: &[Course],
    orders: &[Ordering],
    later: usize,
) -> Vec<usize> {
    let step = &trace.steps[later];
    let of_object: Vec<usize> = operations(trace)
        .take_while(|&at| at < later)
        .filter(|&at| trace.steps[at].op.object == step.op.object)
        .filter(|&at| courses[at] == Course::Done)
        .collect();
    let of_kinds = |kinds: &[OpKind]| {
        let chosen = of_object.iter().copied();
        chosen
            .filter(|&at| kinds.contains(&trace.steps[at].op.kind))
            .collect()
    };
    if is_acquire(orders[later]) {
        match step.op.kind {
            OpKind::Load | OpKind::ReadModifyWrite | OpKind::CompareExchange => {
                return released(trace, courses, orders, later);
            }
            OpKind::Fence => return fenced(trace, courses, orders, later),
            _ => {}
        }
    }
    use OpKind::*;
    match (step.op.kind, courses[later]) {
        (Receive | TryReceive, Course::Closed) => of_kinds(&[SenderDrop]),
        (Send | TrySend, Course::Closed) => of_kinds(&[ReceiverDrop]),
        // What a refused attempt learns orders nothing.
        (_, Course::Refused | Course::Closed) => Vec::new(),
        (Lock | TryLock, _) => of_kinds(&[Unlock]),
        (ReadLock | TryReadLock, _) => of_kinds(&[WriteUnlock]),
        (WriteLock | TryWriteLock, _) => of_kinds(&[WriteUnlock, ReadUnlock]),
        (Wait, _) => {
            // Only who was notified while waiting has been woken.
            let enlisted = own_before(trace, later).unwrap_or(0);
            let notified = of_kinds(&[NotifyOne, NotifyAll]).into_iter();
            notified.filter(|&at| at > enlisted).collect()
        }
        (Acquire | TryAcquire, _) => of_kinds(&[Release]),
        (OnceEnter | OnceRead, _) => of_kinds(&[OnceLeave]),
        (Park, _) => of_kinds(&[Unpark]),
        (Receive | TryReceive, _) => {
            // Messages come out in the order in which they went in.
            let received = of_kinds(&[Receive, TryReceive]).len();
            let sent = messages(trace, courses, later).into_iter();
            sent.skip(received).take(1).collect()
        }
        (Send, _) if record.capacity == Some(0) => {
            let received = of_kinds(&[Receive, TryReceive]);
            taken(trace, courses, &received, later)
        }
        (Send | TrySend, _) => {
            let sent = of_kinds(&[Send, TrySend]).len();
            match record.capacity {
                None => Vec::new(),
                Some(0) => met(trace, later).into_iter().collect(),
                // The message takes the place of one that was received.
                Some(places) => {
                    let received = of_kinds(&[Receive, TryReceive]).into_iter();
                    let freed = sent.checked_sub(places).map(|place| received.skip(place));
                    freed.and_then(|mut rest| rest.next()).into_iter().collect()
                }
            }
        }
        (BarrierWait, _) => arrived(trace, later),
        (Join, _) => last_of(trace, later),
        _ => Vec::new(),
    }
}

/// The steps before a step that put a message into its channel. At a rendezvous a sender that has to wait has
/// offered its message.
fn messages(trace: &Trace, courses: &[Course], later: usize) -> Vec<usize> {
    let belongings = belongings(trace);
    let sends = operations(trace)
        .take_while(|&at| at < later)
        .filter(|&at| {
            let op = &trace.steps[at].op;
            let is_send = matches!(op.kind, OpKind::Send | OpKind::TrySend);
            let is_put = courses[at] == Course::Done || belongings[at].has_second;
            op.object == trace.steps[later].op.object
                && is_send
                && is_put
                && !belongings[at].is_second
        });
    sends.collect()
}

/// The receive that took the message of a sender at a rendezvous, after which the sender goes on.
fn taken(trace: &Trace, courses: &[Course], received: &[usize], send: usize) -> Vec<usize> {
    let task = trace.steps[send].task;
    let sent = messages(trace, courses, send);
    let own = sent.iter().rposition(|&at| trace.steps[at].task == task);
    let receive = own.and_then(|own| received.get(own));
    receive.into_iter().copied().collect()
}

/// What the receiver of a rendezvous did last before it came to the meeting.
fn met(trace: &Trace, send: usize) -> Option<usize> {
    let channel = trace.steps[send].op.object;
    let mut later = operations(trace).skip_while(|&at| at <= send);
    let receive = later.find(|&at| {
        let op = &trace.steps[at].op;
        op.object == channel && op.kind == OpKind::Receive
    });
    receive.and_then(|at| own_before(trace, at))
}

fn is_acquire(order: Ordering) -> bool {
    matches!(order, Acquire | AcqRel | SeqCst)
}

fn is_release(order: Ordering) -> bool {
    matches!(order, Release | AcqRel | SeqCst)
}

/// Whether a step reads an atomic. An exchange that fails does.
fn is_atomic_read(step: &Step) -> bool {
    use OpKind::{CompareExchange, Load, ReadModifyWrite};
    matches!(step.op.kind, Load | ReadModifyWrite | CompareExchange)
}

/// The writes in whose release sequences, real or hypothetical, the value stands that a step reads: the
/// last write before it and, as long as these are read-modify-writes, the one before each.
fn heads(trace: &Trace, courses: &[Course], read: usize) -> Vec<usize> {
    let mut heads = Vec::new();
    let of_variable = |at: &usize| trace.steps[*at].op.object == trace.steps[read].op.object;
    let earlier: Vec<usize> = operations(trace).take_while(|&at| at < read).collect();
    for &at in earlier.iter().rev().filter(|at| of_variable(at)) {
        match (trace.steps[at].op.kind, courses[at]) {
            (OpKind::Store, _) => {
                heads.push(at);
                break;
            }
            (OpKind::ReadModifyWrite | OpKind::CompareExchange, Course::Done) => heads.push(at),
            _ => {}
        }
    }
    heads
}

/// The release operations and the release fences that synchronise with whatever acquires what a step reads.
fn released(trace: &Trace, courses: &[Course], orders: &[Ordering], read: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for head in heads(trace, courses, read) {
        let task = trace.steps[head].task;
        let fences = operations(trace)
            .take_while(|&at| at < head)
            .filter(|&at| trace.steps[at].task == task && trace.steps[at].op.kind == OpKind::Fence);
        found.extend(fences.chain([head]).filter(|&at| is_release(orders[at])));
    }
    found
}

/// What an acquire fence synchronises with: all that earlier reads of its task have read from.
fn fenced(trace: &Trace, courses: &[Course], orders: &[Ordering], fence: usize) -> Vec<usize> {
    let task = trace.steps[fence].task;
    let reads = operations(trace)
        .take_while(|&at| at < fence)
        .filter(|&at| trace.steps[at].task == task && is_atomic_read(&trace.steps[at]));
    reads
        .flat_map(|read| released(trace, courses, orders, read))
        .collect()
}

/// The arrivals of the round in which a task leaves a barrier: with the last arrival, or with the operation
/// after its own one. A round is as many arrivals as the barrier has parties, whoever they are.
fn arrived(trace: &Trace, later: usize) -> Vec<usize> {
    let step = &trace.steps[later];
    let arrivals: Vec<usize> = operations(trace)
        .filter(|&at| trace.steps[at].op.object == step.op.object)
        .filter(|&at| trace.steps[at].op.is_arrival())
        .collect();
    let own = arrivals
        .iter()
        .rposition(|&at| at <= later && trace.steps[at].task == step.task);
    let round = own.and_then(|own| arrivals.chunks(PARTIES).nth(own / PARTIES));
    match round {
        Some(round) if round.len() == PARTIES && round[PARTIES - 1] <= later => {
            round.iter().copied().filter(|&at| at < later).collect()
        }
        _ => Vec::new(),
    }
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

fn operations(trace: &Trace) -> impl Iterator<Item = usize> + '_ {
    (0..trace.steps.len()).filter(|&at| trace.steps[at].is_operation())
}

fn is_plain(step: &Step) -> bool {
    matches!(step.op.kind, OpKind::PlainRead | OpKind::PlainWrite)
}
