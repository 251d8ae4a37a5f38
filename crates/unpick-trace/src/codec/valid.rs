//! Checks what the rest of unpick relies on, so that a forged file cannot make it panic.

use super::Body;
use crate::{Choice, Outcome, TaskId, Trace};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

impl Body {
    /// Checks that no task is named that is not there, and that every step was possible.
    pub(super) fn validate(&self) -> Result<(), String> {
        self.trace.validate()?;
        if let Some(passing) = &self.passing {
            passing.validate()?;
            passing.validate_names([])?;
        }
        let named = match &self.outcome {
            Outcome::Fail(failure) => alloc::vec![failure.task],
            Outcome::Deadlock(deadlock) => {
                let blocked = deadlock.blocked.iter();
                let blocked = blocked.flat_map(|one| one.waits_for.iter().chain([&one.task]));
                blocked.chain(&deadlock.cycle).copied().collect()
            }
            Outcome::Pass | Outcome::StepLimit { .. } | Outcome::Diverged(_) | Outcome::Cut => {
                Vec::new()
            }
        };
        self.trace.validate_names(named)
    }
}

impl Trace {
    /// Checks that the tasks that are named, by others or by itself, are there.
    fn validate_names(&self, named: impl IntoIterator<Item = TaskId>) -> Result<(), String> {
        let creators = self.tasks.iter().map(|task| task.parent);
        let users = self.objects.iter().map(|object| object.task);
        let mut all = named.into_iter().chain(creators).chain(users);
        match all.find(|task| task.index() >= self.tasks.len()) {
            Some(task) => Err(format!(
                "task {task} is named, there are {}",
                self.tasks.len()
            )),
            None => Ok(()),
        }
    }

    fn validate(&self) -> Result<(), String> {
        let tasks = self.tasks.len() as u32;
        if !self.enabled_sets_fit() {
            return Err("the sets of enabled tasks do not fit the steps".to_string());
        }
        for (index, step) in self.steps.iter().enumerate() {
            if step.task.0 >= tasks {
                return Err(format!(
                    "step {index} names task {}, there are {tasks}",
                    step.task
                ));
            }
            if self.enabled(index).iter().any(|task| task.0 >= tasks) {
                return Err(format!("step {index} has tasks enabled that are not there"));
            }
            let is_consistent = match step.choice {
                Choice::Task(task) => task == step.task && self.enabled(index).contains(task),
                other => other.answer() < other.answer_count(),
            };
            if !is_consistent {
                return Err(format!("step {index} makes a choice that was not there"));
            }
        }
        Ok(())
    }
}
