//! Failures that were found and not reported yet. Whatever goes wrong from then on, the command says what it has found
//! and ends as one that has found a failure.

use crate::output::say;
use std::sync::{Mutex, MutexGuard, PoisonError};

static FOUND: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn found() -> MutexGuard<'static, Vec<String>> {
    FOUND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a failure with the report that is made if nothing more can be learnt of it.
pub(crate) fn note(report: String) {
    found().push(report);
}

/// What was noted so far has been reported, or turned out to be no failure.
pub(crate) fn settle() {
    found().clear();
}

/// Reports what was noted and not settled. Answers whether there was something.
pub(crate) fn report() -> bool {
    let notes = std::mem::take(&mut *found());
    for note in &notes {
        say!("{note}");
    }
    !notes.is_empty()
}

/// Whether something was noted and not settled.
pub(crate) fn is_pending() -> bool {
    !found().is_empty()
}
