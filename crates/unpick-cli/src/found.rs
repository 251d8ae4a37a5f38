//! Failures that were found and not reported yet. Whatever goes wrong from then on, the command says what it has found
//! and ends as one that has found a failure.

use crate::output::say;
use serde_json::json;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use unpick_native::memory_file::MemoryFile;

static FOUND: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// What begins a line of the file in which explorers write what is found and not reported yet.
const LINE: &str = "unreported ";

/// The file in which another process looks if this one ends early.
static LEDGER: OnceLock<MemoryFile> = OnceLock::new();

/// Writes into a file, from now on, what is found and not reported yet.
pub(crate) fn write_to(file: MemoryFile) -> &'static MemoryFile {
    LEDGER.get_or_init(|| file)
}

/// The notes in a line that was written so; none if it is another line.
pub(crate) fn read(line: &str) -> Option<Vec<String>> {
    serde_json::from_str(line.strip_prefix(LINE)?).ok()
}

/// Tells the other process.
fn write(notes: &[String]) {
    if let Some(file) = LEDGER.get() {
        // Where there is no room for a line, the verdict of the test comes to none either.
        let _ = file.add_line(&format!("{LINE}{}", json!(notes)));
    }
}

fn found() -> MutexGuard<'static, Vec<String>> {
    FOUND.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a failure with the report that is made if nothing more can be learnt of it.
pub(crate) fn note(report: String) {
    let mut found = found();
    found.push(report);
    write(&found);
}

/// What was noted so far has been reported, or turned out to be no failure.
pub(crate) fn settle() {
    let mut found = found();
    if !found.is_empty() {
        found.clear();
        write(&found);
    }
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
