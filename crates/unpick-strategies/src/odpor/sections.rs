//! Critical sections that can be moved as a whole.
//!
//! R. J. Lipton, *Reduction: a method of proving properties of parallel programs*, CACM 1975; S.
//! Stoller and E. Cohen, *Optimistic synchronization-based state-space reduction*, FMSD 2006. A
//! section of a mutex is *movable* if nothing in it blocks, nobody tries the mutex without waiting
//! for it, and at most one of its events conflicts with an event of another task that is neither
//! performed under the same mutex nor ordered by creation or join. Every schedule is then equivalent
//! to one in which the section is not interrupted.
//!
//! Sections are taken to be movable until an execution shows that one is not.

use crate::names::Names;
use alloc::{collections::BTreeSet, vec, vec::Vec};
use unpick_engine::{Access, Execution, History, conflict};
use unpick_trace::{ObjectId, OpKind, Outcome, TaskId};

/// A section that was performed without interruption.
#[derive(Clone, Copy)]
pub(crate) struct Section {
    /// The event that acquires the mutex.
    pub first: usize,
    /// The event that releases it, or the last one of the execution.
    pub last: usize,
    pub mutex: ObjectId,
    /// The task by name, and the ordinal of the first event: what a section is known by.
    key: (u32, u32),
}

/// The sections of an execution, and which ones are not movable.
#[derive(Default)]
pub(crate) struct Sections {
    /// Whether sections are moved as a whole at all.
    is_active: bool,
    /// Those of the current execution, in order.
    found: Vec<Section>,
    /// The task that is within a section.
    open: Option<TaskId>,
    /// Sections that were seen not to be movable.
    fixed: BTreeSet<(u32, u32)>,
    /// Sections that were moved as a whole.
    moved: BTreeSet<(u32, u32)>,
    /// Whether one of them has turned out not to be movable.
    pub is_refuted: bool,
}

impl Sections {
    pub fn new(is_active: bool) -> Sections {
        Sections {
            is_active,
            ..Sections::default()
        }
    }

    pub fn reset(&mut self) {
        self.found.clear();
        self.open = None;
    }

    /// The task that must go on, since it is within a section. Answers the first event of a section
    /// that has just turned out not to be movable as an error.
    pub fn insist(
        &mut self,
        execution: &Execution,
        history: &History,
        can_go_on: impl Fn(TaskId) -> bool,
    ) -> Result<Option<TaskId>, usize> {
        let Some(task) = self.open else {
            return Ok(None);
        };
        let last = history.events().len() - 1;
        let section = self.found.last_mut();
        let section = section.expect("internal error: an open section that is not there");
        section.last = last;
        let event = &history.events()[last];
        if event.op.kind == OpKind::Unlock && event.op.object == section.mutex {
            self.open = None;
            return Ok(None);
        }
        if can_go_on(task) && !blocks(execution, task) {
            return Ok(Some(task));
        }
        self.open = None;
        let Section { first, key, .. } = *section;
        self.found.pop();
        self.refute(key);
        Err(first)
    }

    fn refute(&mut self, key: (u32, u32)) {
        self.fixed.insert(key);
        self.is_refuted |= self.moved.contains(&key);
    }

    /// Whether the next operation of a task begins a section that may be movable.
    pub fn is_movable(
        &self,
        execution: &Execution,
        history: &History,
        names: &Names,
        task: TaskId,
    ) -> bool {
        let op = execution.pending_op(task);
        let key = (names.name(task), history.event_count_of(task));
        self.is_active && op.kind == OpKind::Lock && !op.timed && !self.fixed.contains(&key)
    }

    /// Whether the next operation of a task begins a section that was moved before.
    pub fn was_movable(&self, history: &History, names: &Names, task: TaskId) -> bool {
        let key = (names.name(task), history.event_count_of(task));
        self.moved.contains(&key) && !self.fixed.contains(&key)
    }

    /// Notes that a task begins a section.
    pub fn open(&mut self, execution: &Execution, history: &History, names: &Names, task: TaskId) {
        let first = history.events().len();
        self.open = Some(task);
        self.found.push(Section {
            first,
            last: first,
            mutex: execution.pending_op(task).object,
            key: (names.name(task), history.event_count_of(task)),
        });
    }

    /// The section that begins at an event.
    pub fn at(&self, event: usize) -> Option<&Section> {
        self.found.iter().find(|section| section.first == event)
    }

    /// The section that ends at an event.
    pub fn ending_at(&self, event: usize) -> Option<&Section> {
        let is_over = self.open.is_none();
        let mut ended = self.found.iter().filter(|_| is_over);
        ended.find(|section| section.last == event)
    }

    /// Whether an event lies within a section, and does not begin it.
    pub fn is_inside(&self, event: usize) -> bool {
        let mut found = self.found.iter();
        found.any(|section| section.first < event && event <= section.last)
    }

    /// Looks at a finished execution and answers the first event from which on it must be looked at
    /// anew, because sections were not movable after all.
    pub fn check(&mut self, execution: &Execution, history: &History) -> Option<usize> {
        let mut interrupted = None;
        if let (Some(_), Some(section)) = (self.open.take(), self.found.last_mut()) {
            section.last = history.events().len() - 1;
            // A failure ends everything at once; otherwise the task is blocked.
            let is_over = matches!(execution.outcome(), Some(Outcome::Fail(_) | Outcome::Cut));
            let op = &history.events()[section.last].op;
            let is_released = op.kind == OpKind::Unlock && op.object == section.mutex;
            interrupted = (!is_over && !is_released).then_some(section.first);
        }
        if self.found.is_empty() {
            return None;
        }
        let seen = Seen::new(execution, history);
        let (movable, fixed): (Vec<_>, Vec<_>) = self
            .found
            .iter()
            .partition(|one| interrupted != Some(one.first) && seen.is_movable(one));
        self.found = movable;
        self.moved.extend(self.found.iter().map(|one| one.key));
        fixed.iter().for_each(|one| self.refute(one.key));
        fixed.first().map(|one| one.first)
    }

    /// Forgets which sections were moved, since the search begins anew.
    pub fn forget(&mut self) {
        self.moved.clear();
        self.is_refuted = false;
    }
}

/// Whether the next operation of a task may have to wait.
fn blocks(execution: &Execution, task: TaskId) -> bool {
    use OpKind::*;
    let op = execution.pending_op(task);
    match op.kind {
        _ if op.timed => false,
        Send => execution.capacity(op.object).is_some(),
        Lock | ReadLock | WriteLock | Wait | Acquire | BarrierWait | OnceEnter | Join | Park
        | Receive => true,
        _ => false,
    }
}

/// An execution with what each event holds and what is ordered by creation and join alone.
struct Seen<'a> {
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
    fn new(execution: &'a Execution, history: &'a History) -> Seen<'a> {
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
            if event.op.kind == OpKind::Unlock {
                own.retain(|mutex| *mutex != event.op.object);
            }
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

    fn is_movable(&self, section: &Section) -> bool {
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
            *other != task && !held.contains(&section.mutex) && conflict(&own, accesses, false)
        })
    }
}
