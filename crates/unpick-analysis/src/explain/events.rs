//! The operations of a failing execution, and the pairs of them whose order may matter.

use super::Cause;
use crate::shrink::Ended;
use std::cmp::Reverse;
use std::collections::HashMap;
use unpick_trace::{Access, ObjectId, Op, OpKind, Outcome, Site, TaskId, Trace};

/// An operation that was performed, or that a task waits to perform.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The task.
    pub task: TaskId,
    /// Which operation of the task it is, from 1.
    pub number: u64,
    /// The operation.
    pub op: Op,
    /// Where it is to be found.
    pub at: At,
    /// Whether it was performed.
    pub is_performed: bool,
}

/// Where an event is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// A step of the trace.
    Step(usize),
    /// One of the tasks that cannot go on, in a deadlock.
    Blocked(usize),
    /// Nowhere: the execution ended before.
    Later,
}

impl Event {
    /// Where it stands in the program.
    pub fn site<'a>(&self, trace: &'a Trace, outcome: &'a Outcome) -> Option<&'a Site> {
        match (self.at, outcome) {
            (At::Step(index), _) => trace.site(trace.steps.get(index)?.site),
            (At::Blocked(index), Outcome::Deadlock(deadlock)) => {
                deadlock.blocked.get(index)?.site.as_ref()
            }
            (At::Blocked(_) | At::Later, _) => None,
        }
    }

    /// The step by which it was performed.
    pub fn step(&self) -> Option<usize> {
        match self.at {
            At::Step(step) => Some(step),
            At::Blocked(_) | At::Later => None,
        }
    }

    /// Whether it takes a lock, so that its order stands for that of the whole section.
    pub fn takes_lock(&self) -> bool {
        Event::is_lock(&self.op)
    }

    /// Whether it lets go of a lock.
    pub fn releases_lock(&self) -> bool {
        matches!(
            self.op.kind,
            OpKind::Unlock | OpKind::ReadUnlock | OpKind::WriteUnlock
        )
    }

    /// Whether an operation takes a lock.
    pub(super) fn is_lock(op: &Op) -> bool {
        use OpKind::*;
        matches!(
            op.kind,
            Lock | TryLock | ReadLock | TryReadLock | WriteLock | TryWriteLock
        )
    }

    /// Whether it wakes tasks that wait.
    pub fn notifies(&self) -> bool {
        matches!(
            self.op.kind,
            OpKind::NotifyOne | OpKind::NotifyAll | OpKind::Unpark
        )
    }

    /// Whether it waits for somebody to make it possible.
    pub fn waits(&self) -> bool {
        matches!(
            self.op.kind,
            OpKind::Wait | OpKind::Park | OpKind::Acquire | OpKind::Receive
        )
    }

    /// Whether it uses what others may change: a variable, or what a lock protects.
    pub fn is_part(&self) -> bool {
        self.is_access() || self.takes_lock()
    }

    /// Whether it may change its object's value, or what the lock protects.
    pub fn writes(&self) -> bool {
        let is_reader = matches!(self.op.kind, OpKind::ReadLock | OpKind::TryReadLock);
        self.op.access() == Access::Write && !is_reader
    }

    /// Whether the order of the two may matter.
    pub fn conflicts_with(&self, other: &Event) -> bool {
        // Nobody sees a store that goes into a buffer.
        let is_seen = !self.op.is_buffered() && !other.op.is_buffered();
        is_seen && self.op.conflicts_with(&other.op) && (self.writes() || other.writes())
    }

    /// Whether it touches a variable.
    pub fn is_access(&self) -> bool {
        use OpKind::*;
        matches!(
            self.op.kind,
            Load | Store | ReadModifyWrite | CompareExchange | PlainRead | PlainWrite | Flush
        )
    }

    /// Whether its place among the operations of others can be chosen. The end of a section goes with its
    /// beginning, and what creates tasks and waits for their end has its place.
    fn can_move(&self) -> bool {
        use OpKind::*;
        !matches!(
            self.op.kind,
            Unlock | ReadUnlock | WriteUnlock | Spawn | Join | Yield | Sleep | Fence
        )
    }
}

/// The operations of an execution, in order; then those that tasks wait to perform.
pub(super) fn of(ended: &Ended) -> Vec<Event> {
    let trace = &ended.trace;
    let mut performed = vec![0; trace.tasks.len()];
    let mut events: Vec<Event> = Vec::new();
    for (index, step) in trace.steps.iter().enumerate() {
        if !step.is_operation() {
            continue;
        }
        let number = &mut performed[step.task.index()];
        *number += 1;
        events.push(Event {
            task: step.task,
            number: *number,
            op: step.op,
            at: At::Step(index),
            is_performed: true,
        });
    }
    if let Outcome::Deadlock(deadlock) = &ended.outcome {
        for (index, blocked) in deadlock.blocked.iter().enumerate() {
            events.push(Event {
                task: blocked.task,
                number: performed[blocked.task.index()] + 1,
                op: blocked.op,
                at: At::Blocked(index),
                is_performed: false,
            });
        }
    }
    events
}

/// Leaves out the orderings that follow from others: to turn round an ordering means to turn round one that
/// lies within it.
pub(crate) fn essential(events: &[Event], causes: &[Cause]) -> Vec<Cause> {
    let lies_within = |inner: &Cause, outer: &Cause| {
        let is_later = |one: usize, other: usize| {
            one == other || one < other && events[one].task == events[other].task
        };
        inner != outer && is_later(outer.first, inner.first) && is_later(inner.second, outer.second)
    };
    let is_chained = |outer: &Cause| {
        causes.iter().any(|one| {
            one.first == outer.first
                && causes
                    .iter()
                    .any(|two| (two.first, two.second) == (one.second, outer.second))
        })
    };
    let is_essential = |cause: &&Cause| {
        !is_chained(cause) && !causes.iter().any(|inner| lies_within(inner, cause))
    };
    causes.iter().filter(is_essential).copied().collect()
}

/// For every event and every other task, the last event of that task before it that touches the same
/// object, if one of the two may change it.
pub(super) fn orderings(events: &[Event]) -> Vec<Cause> {
    let mut orderings = Vec::new();
    let mut latest = Latest::default();
    for (second, event) in events.iter().enumerate() {
        if !event.can_move() {
            continue;
        }
        let mut before = latest.before(event);
        before.retain(|&first| events[first].conflicts_with(event));
        before.sort_unstable_by_key(|&first| Reverse(first));
        let mut seen: Vec<TaskId> = vec![event.task];
        for first in before {
            if !seen.contains(&events[first].task) {
                seen.push(events[first].task);
                orderings.push(Cause { first, second });
            }
        }
        if event.is_performed {
            latest.insert(event, second);
        }
    }
    orderings
}

/// By object, the latest event of each task that performs the same operation: whether two events conflict
/// follows from their operations. The end of the process touches everything, and stands for itself.
#[derive(Default)]
struct Latest(HashMap<Option<ObjectId>, HashMap<(TaskId, Op), usize>>);

impl Latest {
    /// The events that may conflict with one.
    fn before(&self, event: &Event) -> Vec<usize> {
        let touched: Vec<_> = match Latest::key(event) {
            None => self.0.values().collect(),
            object => [object, None]
                .iter()
                .filter_map(|key| self.0.get(key))
                .collect(),
        };
        let indices = touched.into_iter().flat_map(HashMap::values);
        indices.copied().collect()
    }

    fn insert(&mut self, event: &Event, index: usize) {
        let events = self.0.entry(Latest::key(event)).or_default();
        events.insert((event.task, event.op), index);
    }

    fn key(event: &Event) -> Option<ObjectId> {
        (event.op.kind != OpKind::End).then_some(event.op.object)
    }
}
