//! The cases in which lazy reduction may miss states.

use super::sections::{Next, locked};
use alloc::{string::String, vec::Vec};
use unpick_engine::{Execution, History, Warning, WarningKind};
use unpick_trace::{ObjectId, ObjectKind, Op, OpKind, Outcome, TaskId};

/// Steps of the search for a cycle after which one is assumed.
const SEARCH_MAX: u32 = 10_000;

/// A task has acquired `to` while it held `from`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Edge {
    from: ObjectId,
    to: ObjectId,
    task: TaskId,
}

/// What was found so far.
#[derive(Default)]
pub(super) struct Issues {
    found: Vec<WarningKind>,
    /// The order of locking in this execution.
    edges: Vec<Edge>,
}

impl Issues {
    /// Prepares for another execution.
    pub fn reset(&mut self) {
        self.edges.clear();
    }

    pub fn are_found(&self) -> bool {
        !self.found.is_empty()
    }

    fn add(&mut self, kind: WarningKind) {
        if !self.found.contains(&kind) {
            self.found.push(kind);
        }
    }

    /// Looks at the last event and at where the tasks stand after it.
    pub fn observe(&mut self, history: &History, execution: &Execution) {
        let Some(event) = history.events().last() else {
            return;
        };
        if let Some(mutex) = locked(event) {
            self.add_edges(execution, event.task, mutex);
        }
        for index in 0..execution.task_count() {
            let task = TaskId(index as u32);
            let stands =
                execution.is_pending(task) && blocks(execution, &execution.pending_op(task));
            if stands && mutexes_held(execution, task).next().is_some() {
                self.add(WarningKind::BlocksInSection);
            }
        }
    }

    fn add_edges(&mut self, execution: &Execution, task: TaskId, to: ObjectId) {
        for from in mutexes_held(execution, task).filter(|from| *from != to) {
            let edge = Edge { from, to, task };
            if !self.edges.contains(&edge) {
                self.edges.push(edge);
            }
        }
    }

    /// Looks at a schedule that has ended.
    pub fn conclude(&mut self, execution: &Execution) {
        let is_deadlock = matches!(execution.outcome(), Some(Outcome::Deadlock(_)));
        for index in 0..execution.task_count() {
            let task = TaskId(index as u32);
            let op = execution.pending_op(task);
            if is_deadlock && execution.is_pending(task) && op.kind == OpKind::Lock {
                self.add(WarningKind::LockOrderCycle);
            }
        }
        if self.has_cycle() {
            self.add(WarningKind::LockOrderCycle);
        }
    }

    /// Whether there is a cycle of edges of different tasks.
    fn has_cycle(&self) -> bool {
        let mut steps = 0;
        let mut starts = self.edges.iter();
        starts.any(|start| self.leads_back(*start, &mut Vec::from([*start]), &mut steps))
    }

    fn leads_back(&self, start: Edge, path: &mut Vec<Edge>, steps: &mut u32) -> bool {
        *steps += 1;
        let end = path[path.len() - 1].to;
        if end == start.from || *steps > SEARCH_MAX {
            return true;
        }
        for edge in &self.edges {
            let is_new = |known: &Edge| known.task != edge.task && known.from != edge.from;
            if edge.from == end && path.iter().all(is_new) {
                path.push(*edge);
                let found = self.leads_back(start, path, steps);
                path.pop();
                if found {
                    return true;
                }
            }
        }
        false
    }

    /// The task of `point`, which holds `held` there, makes room for `next`. If a third task owns a
    /// mutex that `next` needs, and takes one of those held before it gives that back, the race
    /// cannot be turned round there.
    pub fn look_for_third_owner(
        &mut self,
        history: &History,
        point: usize,
        next: &Next,
        held: &[ObjectId],
    ) {
        if held.is_empty() {
            return;
        }
        let first = history.events()[point].task;
        for mutex in next.relevant_after(point) {
            let mut earlier = history.events()[..point].iter();
            let owner = earlier.rfind(|event| {
                event.op.object == mutex && (locked(event).is_some() || is_unlock(&event.op))
            });
            let Some(owner) = owner.filter(|event| !is_unlock(&event.op)) else {
                continue;
            };
            if owner.task == first || owner.task == next.task {
                continue;
            }
            let later = history.events()[point..].iter();
            let waits = later
                .filter(|event| event.task == owner.task)
                .take_while(|event| !(is_unlock(&event.op) && event.op.object == mutex))
                .any(|event| locked(event).is_some_and(|lock| held.contains(&lock)));
            if waits {
                self.add(WarningKind::ThirdOwner);
            }
        }
    }

    pub fn warnings(&self, falls_back: bool) -> Vec<Warning> {
        let found = self.found.iter();
        found.map(|kind| warning(*kind, falls_back)).collect()
    }
}

fn warning(kind: WarningKind, falls_back: bool) -> Warning {
    let what = match kind {
        WarningKind::BlocksInSection => "a task may block while it holds a mutex",
        WarningKind::LockOrderCycle => "mutexes are taken in orders that may lead to a deadlock",
        _ => "a third task may hold a mutex that is needed",
    };
    let then = match falls_back {
        true => "lazy-dpor could miss states, and has started again as dpor",
        false => "lazy-dpor may have missed states; use dpor or lazy-hbr-cache",
    };
    let mut text = String::from(what);
    text.push_str(": ");
    text.push_str(then);
    Warning::new(kind, text)
}

fn mutexes_held(execution: &Execution, task: TaskId) -> impl Iterator<Item = ObjectId> {
    let objects = &execution.trace().objects;
    let held = execution.held(task).iter().map(|held| held.object);
    held.filter(|object| objects[object.index()].kind == ObjectKind::Mutex)
}

fn is_unlock(op: &Op) -> bool {
    op.kind == OpKind::Unlock
}

/// Whether an operation may have to wait for something else than a mutex.
fn blocks(execution: &Execution, op: &Op) -> bool {
    use OpKind::*;
    if execution.may_await_clock(op) {
        return true;
    }
    !op.timed
        && (op.is_arrival()
            || matches!(
                op.kind,
                ReadLock
                    | WriteLock
                    | Wait
                    | Acquire
                    | BarrierWait
                    | OnceEnter
                    | Join
                    | Park
                    | Send
                    | Receive
                    | Drain
                    | Quiesce
            ))
}
