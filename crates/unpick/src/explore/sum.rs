//! What workers that share the executions of a randomised strategy have run together, for observers.

use std::sync::{Mutex, MutexGuard, PoisonError};
use unpick_engine::{Control, Exploration};

/// The numbers of all parts so far; what the parts have found besides is put together elsewhere, in order.
#[derive(Default)]
pub(super) struct Sum(Mutex<Exploration>);

/// What a part has told of itself: executions and failures.
#[derive(Default)]
pub(super) struct Told {
    executions: u64,
    failures: u64,
}

impl Sum {
    /// Adds what a part has run since it told last, and lets somebody look.
    pub fn look(
        &self,
        part: &Exploration,
        told: &mut Told,
        look: &dyn Fn(&Exploration) -> Control,
    ) -> Control {
        look(&self.add(part, told))
    }

    /// Adds the rest of a part that has ended, and what it has covered.
    pub fn end_part(&self, part: &Exploration, told: &mut Told) {
        let mut sum = self.add(part, told);
        if let Some(coverage) = &part.coverage {
            sum.coverage.get_or_insert_default().merge(coverage);
        }
    }

    fn add(&self, part: &Exploration, told: &mut Told) -> MutexGuard<'_, Exploration> {
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sum.executions += part.executions - told.executions;
        sum.failures += part.failures - told.failures;
        *told = Told {
            executions: part.executions,
            failures: part.failures,
        };
        sum.tasks_max = sum.tasks_max.max(part.tasks_max);
        if sum.first_failure.is_none() {
            sum.first_failure.clone_from(&part.first_failure);
        }
        // They tell whether time is to be kept for confirming them.
        if sum.warnings.is_empty() {
            sum.warn(part.warnings.clone());
        }
        sum
    }
}
