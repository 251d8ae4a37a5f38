//! A failure is kept the moment it is found: as a trace, and in words for a process that comes to report nothing else.
//! What is learnt of it later takes the place of that.

use crate::check::record;
use crate::{Config, FirstFailure};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use unpick_report::headline;
use unpick_store::{Interim, Store};

/// Failures that were found and not reported yet, in words.
static NOTES: Mutex<Notes> = Mutex::new(Notes {
    last: 0,
    texts: Vec::new(),
});

struct Notes {
    /// The number of the last one.
    last: u64,
    texts: Vec<(u64, String)>,
}

fn notes() -> MutexGuard<'static, Notes> {
    NOTES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The failures that were found and not reported yet.
pub(crate) fn unreported() -> Vec<String> {
    let notes = notes();
    notes.texts.iter().map(|(_, text)| text.clone()).collect()
}

/// A failure that was kept as it was found.
pub(crate) struct Kept {
    interim: Option<Interim>,
    note: u64,
}

impl Kept {
    /// Keeps a failure of a test, which is known by `key` on disk.
    pub fn new(
        config: &Config,
        store: &Store,
        name: &str,
        key: &str,
        failure: &FirstFailure,
    ) -> Kept {
        let record = record(config, key, failure, None);
        // What cannot be written now cannot be written later, which is reported then.
        let interim = match config.saves {
            true => store.save_interim(&record).ok(),
            false => None,
        };
        let mut text = format!(
            "FAILED  {name}  {}",
            headline(&failure.outcome, &failure.trace)
        );
        if let Some(interim) = &interim {
            text.push_str(&format!(
                "\n  saved   {}, as it was found",
                interim.path().display()
            ));
        }
        let mut notes = notes();
        notes.last += 1;
        let note = notes.last;
        notes.texts.push((note, text));
        Kept { interim, note }
    }

    /// What was kept on disk, if nothing better could be kept.
    pub fn left(&self) -> Option<&Interim> {
        self.interim.as_ref()
    }

    /// The file at `path` is what was made of the failure.
    pub fn give_way_to(mut self, path: &Path) {
        if let Some(interim) = self.interim.take() {
            interim.give_way_to(path);
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        notes().texts.retain(|(note, _)| *note != self.note);
    }
}
