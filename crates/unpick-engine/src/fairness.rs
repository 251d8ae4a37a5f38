//! Fair scheduling for searches that would otherwise follow a yielding task for ever.
//!
//! M. Musuvathi and S. Qadeer, *Fair stateless model checking*, PLDI 2008: a task that yields falls
//! behind every task that could have run since its last yield and did not. It may only be chosen
//! again when none of those is enabled, or after they have run. Tasks that never yield are not
//! affected, and nothing is kept for them.

use crate::{Proviso, Provisos};
use alloc::vec::Vec;
use unpick_trace::{TaskBits, TaskId, TaskSet};

/// What happened since a task last yielded.
#[derive(Default)]
struct Window {
    open: bool,
    scheduled: TaskSet,
    always_enabled: TaskSet,
    disabled_by_it: TaskSet,
    /// The tasks this one must let go first while they are enabled.
    behind: TaskSet,
    /// Why this task has yielded so far.
    reasons: Provisos,
}

#[derive(Default)]
pub(crate) struct Fairness {
    windows: Vec<Window>,
    open_count: usize,
}

impl Fairness {
    #[inline]
    pub fn reset(&mut self) {
        if self.open_count > 0 {
            for window in &mut self.windows {
                *window = Window::default();
            }
            self.open_count = 0;
        }
    }

    /// Whether any task has yielded in this execution.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.open_count > 0
    }

    /// Notes which tasks are enabled now, after a step of `last` before which `before` were.
    pub fn observe(&mut self, last: TaskId, before: TaskBits<'_>, now: TaskBits<'_>) {
        for (index, window) in self.windows.iter_mut().enumerate() {
            if window.open {
                window.always_enabled.retain_in(now);
                if index == last.index() {
                    let mut disabled = TaskSet::new();
                    disabled.copy_from(before);
                    disabled.remove_all(now);
                    window.disabled_by_it.insert_all(disabled.bits());
                }
            }
        }
    }

    /// Notes that `task` was scheduled, and why its step is a yield if it is one.
    #[inline]
    pub fn schedule(&mut self, task: TaskId, reason: Option<Proviso>, enabled: TaskBits<'_>) {
        if self.is_active() || reason.is_some() {
            self.schedule_slow(task, reason, enabled);
        }
    }

    fn schedule_slow(&mut self, task: TaskId, reason: Option<Proviso>, enabled: TaskBits<'_>) {
        if self.is_active() {
            for window in self.windows.iter_mut().filter(|window| window.open) {
                window.behind.remove(task);
                window.scheduled.insert(task);
            }
        }
        if let Some(reason) = reason {
            self.yielded(task, enabled);
            self.windows[task.index()].reasons.add(reason);
        }
    }

    fn yielded(&mut self, task: TaskId, enabled: TaskBits<'_>) {
        if self.windows.len() <= task.index() {
            self.windows.resize_with(task.index() + 1, Window::default);
        }
        let window = &mut self.windows[task.index()];
        if window.open {
            let mut starved = core::mem::take(&mut window.always_enabled);
            starved.insert_all(window.disabled_by_it.bits());
            starved.remove_all(window.scheduled.bits());
            starved.remove(task);
            window.behind.insert_all(starved.bits());
        } else {
            window.open = true;
            self.open_count += 1;
        }
        window.always_enabled.copy_from(enabled);
        window.scheduled.clear();
        window.disabled_by_it.clear();
    }

    /// Removes from `eligible` every task that must let an enabled one go first, unless none would
    /// be left. Answers why the removed tasks had yielded.
    pub fn restrict(&self, eligible: &mut TaskSet, enabled: TaskBits<'_>) -> Provisos {
        let must_wait = |window: &Window| window.open && meet(window.behind.bits(), enabled);
        if !self.windows.iter().any(must_wait) {
            return Provisos::NONE;
        }
        let mut reasons = Provisos::NONE;
        let mut rest = eligible.clone();
        for (index, window) in self.windows.iter().enumerate() {
            let task = TaskId(index as u32);
            if must_wait(window) && rest.bits().contains(task) {
                rest.remove(task);
                reasons.merge(window.reasons);
            }
        }
        if rest.bits().is_empty() {
            return Provisos::NONE;
        }
        *eligible = rest;
        reasons
    }
}

/// Whether two sets have a task in common.
fn meet(one: TaskBits<'_>, other: TaskBits<'_>) -> bool {
    let mut more = one.more_words().iter().zip(other.more_words());
    one.low_word() & other.low_word() != 0 || more.any(|(one, other)| one & other != 0)
}
