//! Which critical sections of an execution nobody could tell from uninterrupted ones.
//!
//! R. J. Lipton, *Reduction: a method of proving properties of parallel programs*, CACM 1975. A
//! section is movable if nobody tries its mutex without waiting for it, and at most one of its events
//! conflicts with an event of another task that is neither performed under the same mutex nor ordered
//! by creation or join.

use super::sections::Section;
use alloc::{vec, vec::Vec};
use unpick_engine::{Access, Execution, History, conflict};
use unpick_trace::{ObjectId, OpKind, TaskId};

/// An execution with what each event holds and what is ordered by creation and join alone.
pub(super) struct Seen<'a> {
    execution: &'a Execution,
    history: &'a History,
    /// By event: the mutexes its task holds before or after it.
    held: Vec<Vec<ObjectId>>,
    /// By event: clocks of creation and join.
    clocks: Vec<Vec<u32>>,
    /// What tasks would do next, with what they hold.
    pending: Vec<(TaskId, Vec<Access>, Vec<ObjectId>)>,
}

impl<'a> Seen<'a> {
    pub fn new(execution: &'a Execution, history: &'a History) -> Seen<'a> {
        let task_count = execution.task_count();
        let mut holds: Vec<Vec<ObjectId>> = vec![Vec::new(); task_count];
        let mut held = Vec::new();
        let mut clocks: Vec<Vec<u32>> = Vec::new();
        for event in history.events() {
            let own = &mut holds[event.task.index()];
            if matches!(event.op.kind, OpKind::Lock | OpKind::TryLock) && !event.is_refused {
                own.push(event.op.object);
            }
            held.push(own.clone());
            own.retain(|mutex| !history.unlocks(held.len() - 1, *mutex));
            let mut clock = vec![0; task_count];
            let joined = (event.op.kind == OpKind::Join)
                .then(|| execution.task_of(event.op.object))
                .flatten();
            let last = joined.and_then(|task| {
                let earlier = &history.events()[..clocks.len()];
                earlier.iter().rposition(|other| other.task == task)
            });
            for other in event.before.into_iter().chain(last) {
                for (mine, theirs) in clock.iter_mut().zip(&clocks[other]) {
                    *mine = (*mine).max(*theirs);
                }
            }
            clock[event.task.index()] = event.ordinal + 1;
            clocks.push(clock);
        }
        let pending = (0..task_count).map(|index| TaskId(index as u32));
        let pending = pending
            .filter(|task| execution.is_pending(*task))
            .map(|task| {
                let mut accesses = Vec::new();
                history.add_pending(execution, task, &mut accesses);
                (task, accesses, holds[task.index()].clone())
            });
        Seen {
            execution,
            history,
            held,
            clocks,
            pending: pending.collect(),
        }
    }

    pub fn is_movable(&self, section: &Section) -> bool {
        let events = self.history.events();
        let task = events[section.first].task;
        let is_attempt = |kind: OpKind, timed: bool, object: ObjectId| {
            object == section.mutex && (kind == OpKind::TryLock || kind == OpKind::Lock && timed)
        };
        let is_tried = events
            .iter()
            .any(|one| one.task != task && is_attempt(one.op.kind, one.op.timed, one.op.object))
            || self.pending.iter().any(|(other, ..)| {
                let op = self.execution.pending_op(*other);
                *other != task && is_attempt(op.kind, op.timed, op.object)
            });
        let exposed = (section.first..=section.last)
            .filter(|&event| self.is_exposed(section, event))
            .count();
        !is_tried && exposed <= 1
    }

    /// Whether an event of a section conflicts with one of another task outside of such sections.
    fn is_exposed(&self, section: &Section, event: usize) -> bool {
        let events = self.history.events();
        let task = events[event].task;
        if events[event].op.kind == OpKind::Spawn {
            return true;
        }
        let is_lock =
            |access: &&Access| access.location.object == section.mutex && access.location.part == 0;
        let accesses = self.history.accesses(event).iter();
        let own: Vec<Access> = accesses
            .filter(|access| !is_lock(access))
            .copied()
            .collect();
        let is_ordered = |one: usize, other: usize| {
            self.clocks[other][events[one].task.index()] > events[one].ordinal
        };
        (0..events.len()).any(|other| {
            events[other].task != task
                && !self.held[other].contains(&section.mutex)
                && conflict(&own, self.history.accesses(other), false)
                && !is_ordered(other, event)
                && !is_ordered(event, other)
        }) || self.pending.iter().any(|(other, accesses, held)| {
            *other != task
                && !held.contains(&section.mutex)
                && conflict(&own, accesses, false)
                && !self.waits_for(*other, task)
        })
    }

    /// Whether the next operation of a task joins another one.
    fn waits_for(&self, task: TaskId, joined: TaskId) -> bool {
        let op = self.execution.pending_op(task);
        op.kind == OpKind::Join && self.execution.task_of(op.object) == Some(joined)
    }
}
