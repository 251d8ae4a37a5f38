//! Critical sections that are moved as a whole.
//!
//! S. Stoller and E. Cohen, *Optimistic synchronization-based state-space reduction*, FMSD 2006:
//! sections are taken to be movable until an execution shows that one is not. Such a section loses
//! its privilege. If it was moved as a whole before, the search begins anew.

use super::movable::Seen;
use super::objects::Point;
use alloc::{collections::BTreeSet, vec::Vec};
use unpick_engine::{Access, Execution, History, Mode, merge_access};
use unpick_trace::{ObjectId, OpKind, Outcome, TaskId};

/// A section that was performed without interruption.
#[derive(Clone, Copy)]
pub(crate) struct Section {
    /// The event that acquires the mutex.
    pub first: usize,
    /// The event that releases it, or the last one of the execution.
    pub last: usize,
    pub mutex: ObjectId,
    /// Where its task stands before it: what a section is known by.
    key: Point,
}

/// The sections of an execution, and which ones are not movable.
#[derive(Clone, Default)]
pub(crate) struct Sections {
    /// Whether sections are moved as a whole at all.
    is_active: bool,
    /// Those of the current execution, in order.
    found: Vec<Section>,
    /// The task that is within a section.
    open: Option<TaskId>,
    /// Sections that were seen not to be movable, whatever their tasks had seen.
    fixed: BTreeSet<(u32, u32)>,
    /// Sections that were moved as a whole.
    moved: BTreeSet<Point>,
    /// Whether one of these has turned out not to be movable.
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

    /// The task that must go on, since it is within a section. Answers the first event of a section that
    /// has just turned out not to be movable as an error.
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
        if history.unlocks(last, section.mutex) {
            self.open = None;
            return Ok(None);
        }
        if can_go_on(task) && !blocks(execution, task) {
            return Ok(Some(task));
        }
        self.open = None;
        let section = *section;
        self.found.pop();
        self.refute(section.key);
        Err(section.first)
    }

    /// Takes its privilege from a section.
    fn refute(&mut self, key: Point) {
        let (task, ordinal, _) = key;
        self.fixed.insert((task, ordinal));
        self.is_refuted |= self.moved.remove(&key);
    }

    /// Whether the next operation of a task begins a section that may be movable.
    pub fn is_movable(&self, execution: &Execution, key: Point, task: TaskId) -> bool {
        let op = execution.pending_op(task);
        let is_lock = self.is_active && op.kind == OpKind::Lock && !op.timed;
        is_lock && (self.was_movable(key) || !self.fixed.contains(&(key.0, key.1)))
    }

    /// Whether a section was moved before.
    pub fn was_movable(&self, key: Point) -> bool {
        self.moved.contains(&key)
    }

    /// Notes that a task begins a section.
    pub fn open(&mut self, execution: &Execution, history: &History, key: Point, task: TaskId) {
        let first = history.events().len();
        self.open = Some(task);
        self.found.push(Section {
            first,
            last: first,
            mutex: execution.pending_op(task).object,
            key,
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

    /// Lets the section that a task is within at the end of an execution end there, and answers it.
    pub fn close(&mut self, history: &History) -> Option<Section> {
        self.open.take()?;
        let section = self.found.last_mut()?;
        section.last = history.events().len() - 1;
        Some(*section)
    }

    /// How many sections have lost their privilege: what is movable changes with it only.
    pub fn fixed_count(&self) -> usize {
        self.fixed.len()
    }

    /// Looks at a finished execution and answers the first event of the sections that were not movable
    /// after all.
    pub fn check(&mut self, execution: &Execution, history: &History) -> Option<usize> {
        let mut interrupted = None;
        if let Some(section) = self.close(history) {
            // A failure and an exit end everything at once; otherwise the task is blocked.
            let is_cut = execution.outcome() == Some(&Outcome::Cut);
            let is_over = is_cut || execution.is_cut_short();
            let is_released = history.unlocks(section.last, section.mutex);
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
        _ if execution.may_await_clock(&op) => true,
        _ if op.timed => false,
        _ if op.is_arrival() => true,
        Send => execution.capacity(op.object).is_some(),
        Lock | ReadLock | WriteLock | Wait | Acquire | BarrierWait | OnceEnter | Join | Park
        | Receive | Drain | Quiesce => true,
        // It does not, but what it cuts off must not be left out.
        End => true,
        _ => false,
    }
}

/// Adds what the events of a unit touch. A section only needs its mutex to be free, which is to read
/// it.
pub(crate) fn add_accesses<'a>(
    accesses: impl Iterator<Item = &'a Access>,
    section: Option<&Section>,
    own: &mut Vec<Access>,
) {
    accesses.for_each(|access| merge_access(own, *access));
    if let Some(section) = section {
        let is_lock =
            |one: &&mut Access| one.location.object == section.mutex && one.location.part == 0;
        let lock = own.iter_mut().find(is_lock);
        lock.expect("internal error: a section without its mutex")
            .mode = Mode::Read;
    }
}
