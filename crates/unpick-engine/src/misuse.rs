//! Mutexes that a task unlocks without holding them, where that is no failure.

use crate::{
    Execution, Warning, WarningKind,
    warning::{At, add_warning},
};
use alloc::{format, vec::Vec};
use serde::{Deserialize, Serialize};
use unpick_trace::{ObjectId, SiteId, TaskId};

/// What an execution does at a misuse after which real programs go on: a task unlocks a mutex that it does not
/// hold, and the mutex is free afterwards, as with glibc.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Misuse {
    /// It fails.
    #[default]
    Fail,
    /// It goes on, and the exploration warns.
    Warn,
    /// It goes on.
    Ignore,
}

impl Misuse {
    /// All of them.
    pub const ALL: [Misuse; 3] = [Misuse::Fail, Misuse::Warn, Misuse::Ignore];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Misuse::Fail => "fail",
            Misuse::Warn => "warn",
            Misuse::Ignore => "ignore",
        }
    }

    /// The one of that name.
    pub fn find(name: &str) -> Option<Misuse> {
        Misuse::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// A task unlocked a mutex that it did not hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ForeignUnlock {
    task: TaskId,
    mutex: ObjectId,
    site: SiteId,
}

impl Execution {
    /// Notes that a task is about to unlock a mutex that it does not hold.
    #[cold]
    pub(crate) fn note_foreign_unlock(&mut self, task: TaskId, mutex: ObjectId) {
        let site = self.tasks[task.index()].site;
        let is_known = |one: &ForeignUnlock| one.site == site && one.mutex == mutex;
        if !self.foreign_unlocks.iter().any(is_known) {
            self.foreign_unlocks
                .push(ForeignUnlock { task, mutex, site });
        }
    }

    /// Whether a task unlocked a mutex that it did not hold.
    #[inline]
    pub(crate) fn has_foreign_unlocks(&self) -> bool {
        !self.foreign_unlocks.is_empty()
    }

    /// Adds a warning for each place at which a task unlocked a mutex that it did not hold, if warnings are wanted.
    #[inline]
    pub(crate) fn judge_misuse(&self, warnings: &mut Vec<Warning>) {
        let is_told = self.settings().misuse == Misuse::Warn;
        for unlock in self.foreign_unlocks.iter().filter(|_| is_told) {
            self.warn_of_unlock(*unlock, warnings);
        }
    }

    #[cold]
    fn warn_of_unlock(
        &self,
        ForeignUnlock { task, mutex, site }: ForeignUnlock,
        warnings: &mut Vec<Warning>,
    ) {
        let site = self.trace.site(site);
        let text = format!(
            "misuse: {} unlocks {}{}, which it does not hold; the execution goes on as with glibc \
             (`--misuse fail` makes it a failure)",
            self.trace.task_name(task),
            self.trace.object_name(mutex),
            At(site),
        );
        let mut warning = Warning::new(WarningKind::Misuse, text);
        warning.site = site.cloned();
        add_warning(warnings, warning);
    }
}
