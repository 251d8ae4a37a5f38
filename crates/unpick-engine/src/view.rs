//! What a strategy may look at when it decides.

use crate::Execution;
use core::cell::Cell;
use unpick_trace::{Op, Site, SiteId, TaskBits, TaskId, Trace};

/// The state of an execution at a scheduling point.
pub struct View<'a> {
    pub(crate) execution: &'a Execution,
    /// Whether there are few tasks and all that are enabled are eligible: known where the usual way of a
    /// step is, so that techniques that are compiled into it need not ask.
    pub(crate) is_plain: bool,
    /// Whether the strategy asked which tasks are eligible where these are not all that are enabled.
    pub(crate) has_shown_eligible: Cell<bool>,
}

impl<'a> View<'a> {
    /// The tasks whose next operation can be performed now.
    #[inline]
    pub fn enabled(&self) -> TaskBits<'a> {
        match self.is_plain {
            true => self.execution.enabled.low_bits(),
            false => self.execution.enabled.bits(),
        }
    }

    /// Number of enabled tasks.
    #[inline]
    pub fn enabled_count(&self) -> usize {
        self.execution.enabled_count
    }

    /// Number of eligible tasks.
    #[inline]
    pub fn eligible_count(&self) -> usize {
        if !self.is_plain && self.execution.is_restricted {
            self.has_shown_eligible.set(true);
            self.execution.restricted_count()
        } else {
            self.execution.enabled_count
        }
    }

    /// The enabled tasks, less the one that ran last if it yields now, and less those that have to
    /// let others go first after earlier yields: never empty. Searches that keep running one task
    /// choose among these, so that a yield is always followed by somebody else, at no cost, and a
    /// circle of yielding tasks cannot starve the rest.
    #[inline]
    pub fn eligible(&self) -> TaskBits<'a> {
        if !self.is_plain && self.execution.is_restricted {
            self.has_shown_eligible.set(true);
            self.execution.eligible.bits()
        } else {
            self.enabled()
        }
    }

    /// The task that performed the last operation; the first task at the beginning.
    #[inline]
    pub fn last(&self) -> TaskId {
        self.execution.last
    }

    /// Number of operations performed so far.
    #[inline]
    pub fn step_count(&self) -> u64 {
        self.execution.operation_count
    }

    /// Number of tasks created so far.
    #[inline]
    pub fn task_count(&self) -> usize {
        self.execution.task_count()
    }

    /// The operation that a task will perform next. A finished task shows its last one.
    #[inline]
    pub fn next_op(&self, task: TaskId) -> &'a Op {
        &self.execution.tasks[task.index()].op
    }

    /// Where in the program the next operation of a task stands.
    pub fn next_site(&self, task: TaskId) -> Option<&'a Site> {
        let slot = &self.execution.tasks[task.index()];
        self.execution.trace.site(slot.site)
    }

    /// The number of that place, which lasts for a whole exploration.
    #[inline]
    pub fn next_site_id(&self, task: TaskId) -> SiteId {
        self.execution.tasks[task.index()].site
    }

    /// Whether the next operation of a task lets others go first: a yield, a sleep, a timed wait,
    /// or another turn of a loop in which nothing changes.
    #[inline]
    pub fn yields(&self, task: TaskId) -> bool {
        self.execution.yields(task)
    }

    /// Whether a task has ended.
    #[inline]
    pub fn is_finished(&self, task: TaskId) -> bool {
        self.execution.is_finished(task)
    }

    /// Number of operations a task has performed so far.
    #[inline]
    pub fn operations_of(&self, task: TaskId) -> u64 {
        self.execution.tasks[task.index()].operations
    }

    /// The task that created a task.
    #[inline]
    pub fn parent(&self, task: TaskId) -> TaskId {
        self.execution.trace.tasks[task.index()].parent
    }

    /// The execution, for [`History`](crate::History).
    #[inline]
    pub fn execution(&self) -> &'a Execution {
        self.execution
    }

    /// The execution so far.
    #[inline]
    pub fn trace(&self) -> &'a Trace {
        &self.execution.trace
    }
}
