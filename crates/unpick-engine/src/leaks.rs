//! What a passing execution leaves behind: tasks that the first task did not wait for, and locks that
//! their holders did not release.
//!
//! In a program of its own the end of the first task is the end of all: what the others had still to do
//! would be lost, in some schedules. Only what has happened in an execution is told.

use crate::{
    Execution, Held, Warning, WarningKind,
    execution::Status,
    warning::{At, add_warning},
};
use alloc::{format, string::String, vec::Vec};
use unpick_trace::{Outcome, Site, TaskId};

impl Execution {
    /// Tells that a task is meant to go on after the first task has ended.
    pub fn let_outlive(&mut self, task: TaskId) {
        self.tasks[task.index()].may_outlive = true;
    }

    /// Notes what the end of a task leaves behind.
    #[cold]
    pub(crate) fn note_leaks(&mut self, task: TaskId) {
        if self.outcome.is_some() {
            return;
        }
        self.has_leaks |= !self.tasks[task.index()].held.is_empty();
        if task == TaskId::MAIN {
            for index in 1..self.task_count() {
                let slot = &mut self.tasks[index];
                slot.has_outlived = slot.status != Status::Finished && !slot.may_outlive;
                self.has_leaks |= slot.has_outlived;
            }
        }
    }

    /// Adds a warning for everything left behind at a place that is not known yet.
    #[inline]
    pub(crate) fn judge_leaks(&self, warnings: &mut Vec<Warning>) {
        if self.has_leaks && self.outcome == Some(Outcome::Pass) {
            self.find_leaks(warnings);
        }
    }

    #[cold]
    fn find_leaks(&self, warnings: &mut Vec<Warning>) {
        for index in 0..self.task_count() {
            let task = TaskId(index as u32);
            if self.tasks[index].has_outlived {
                self.warn_of_task(task, warnings);
            }
            for lock in &self.tasks[index].held {
                self.warn_of_lock(task, lock, warnings);
            }
        }
    }

    fn warn_of_task(&self, task: TaskId, warnings: &mut Vec<Warning>) {
        let steps = &self.trace.steps;
        let spawn = steps.get(self.step_of_creation(task.index()));
        let site = spawn.and_then(|step| self.trace.site(step.site));
        if is_known(warnings, WarningKind::LeakedTask, site) {
            return;
        }
        let text = format!(
            "{}, created{}, had not ended when the first task ended: nobody waits for it",
            self.trace.task_name(task),
            At(site),
        );
        add(warnings, WarningKind::LeakedTask, text, site);
    }

    fn warn_of_lock(&self, task: TaskId, lock: &Held, warnings: &mut Vec<Warning>) {
        let site = self.trace.site(lock.site);
        if is_known(warnings, WarningKind::LeakedLock, site) {
            return;
        }
        let text = format!(
            "{} ended and held {}, taken{}: its guard was leaked",
            self.trace.task_name(task),
            self.trace.object_name(lock.object),
            At(site),
        );
        add(warnings, WarningKind::LeakedLock, text, site);
    }
}

/// Whether a warning would say nothing new, found out before its text is made.
fn is_known(warnings: &[Warning], kind: WarningKind, site: Option<&Site>) -> bool {
    let mut known = warnings.iter();
    site.is_some() && known.any(|one| one.kind == kind && one.site.as_ref() == site)
}

fn add(warnings: &mut Vec<Warning>, kind: WarningKind, text: String, site: Option<&Site>) {
    let mut warning = Warning::new(kind, text);
    warning.site = site.cloned();
    add_warning(warnings, warning);
}
