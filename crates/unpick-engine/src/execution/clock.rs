//! Virtual time.

use super::Execution;
use unpick_trace::TaskId;

impl Execution {
    /// Virtual time, in nanoseconds since the execution began.
    ///
    /// Time passes when a task sleeps or a wait times out, and a little at every look. A task that
    /// looks again and again and does nothing else sees it pass twice as fast each time, so that
    /// loops that wait for a moment come to their end.
    pub fn look_at_clock(&mut self, task: TaskId) -> u64 {
        self.is_clock_used = true;
        let slot = &mut self.tasks[task.index()];
        let passed = 1_000 << slot.clock_looks.min(32);
        self.clock_ns = self.clock_ns.saturating_add(passed);
        slot.clock_looks = slot.clock_looks.saturating_add(1);
        self.clock_ns
    }

    /// Whether a task has looked at the clock.
    pub(crate) fn has_read_clock(&self) -> bool {
        self.is_clock_used
    }

    /// Virtual time without letting any pass.
    pub fn clock_ns(&self) -> u64 {
        self.clock_ns
    }

    /// Lets virtual time pass up to a moment; earlier moments change nothing.
    pub fn advance_clock_to(&mut self, moment_ns: u64) {
        self.clock_ns = self.clock_ns.max(moment_ns);
    }
}
