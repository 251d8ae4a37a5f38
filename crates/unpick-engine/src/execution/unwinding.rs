//! Which operations were performed while their task unwound, with no choice of another task.
//!
//! The execution of a panic that no task catches is over anyway. Behind a panic that the task catches the execution
//! goes on, and schedules in which another task runs amid the unwinding were left out.

use super::Execution;
use unpick_trace::Outcome;

/// The unwindings of one execution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unwinding {
    /// Steps at the end of the last operation that a task performed while it unwound.
    end: usize,
    /// Whether another task could have run during the unwinding that ended there.
    is_contended: bool,
    /// Whether another task could have run during an earlier unwinding.
    was_contended: bool,
}

impl Unwinding {
    /// Notes an operation of a task that unwinds, between these numbers of steps.
    pub fn note(&mut self, begin: usize, end: usize, is_contended: bool) {
        if begin != self.end {
            self.was_contended |= self.is_contended;
            self.is_contended = false;
        }
        self.end = end;
        self.is_contended |= is_contended;
    }
}

impl Execution {
    /// Whether the execution went on behind an unwinding amid which another task could have run.
    pub(super) fn has_skipped_unwinding(&self) -> bool {
        let Unwinding {
            end,
            is_contended,
            was_contended,
        } = self.unwinding;
        let ends_there = end == self.trace.steps.len();
        let is_caught = !ends_there || !matches!(self.outcome, Some(Outcome::Fail(_)));
        was_contended || is_contended && is_caught
    }
}
