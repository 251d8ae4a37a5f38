//! How much `.unpick/traces` may hold, and what is dropped to make room.
//!
//! The oldest traces go first; never the one that was just written, nor one of a schedule that a
//! regression has. Nothing here fails: what cannot be removed stays.

use crate::files::{PART, TRACE, list, read};
use crate::{Store, StoreError};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Traces that are kept unless told otherwise.
const FILES_MAX: u64 = 1_000;

/// Bytes of all traces together that are kept unless told otherwise: 64 MiB.
const BYTES_MAX: u64 = 64 << 20;

/// Of this many parts one more than needed is dropped, so that the next failures find room.
const SLACK: u64 = 8;

/// When a file that was not finished is no longer being written.
const LEFT_OVER_AFTER: Duration = Duration::from_secs(3_600);

/// How much there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    files_max: u64,
    bytes_max: u64,
}

impl Room {
    /// As the environment says: `UNPICK_TRACE_FILES_MAX`, `UNPICK_TRACE_BYTES_MAX`.
    pub fn from_environment() -> Result<Room, StoreError> {
        let value = |name: &str| std::env::var(name).unwrap_or_default();
        let number = |name: &'static str, default: u64| match value(name) {
            text if text.is_empty() => Ok(default),
            text => match parse(&text) {
                Some(0) => Ok(u64::MAX),
                Some(number) => Ok(number),
                None => Err(StoreError::Setting { name, value: text }),
            },
        };
        Ok(Room {
            files_max: number("UNPICK_TRACE_FILES_MAX", FILES_MAX)?,
            bytes_max: number("UNPICK_TRACE_BYTES_MAX", BYTES_MAX)?,
        })
    }

    /// Drops what is too much, and what killed processes have left behind.
    pub fn make(&self, store: &Store, written: &Path) {
        let traces = store.traces();
        drop_left_overs(&traces);
        drop_left_overs(&store.regressions());
        let paths = list(&traces, TRACE).unwrap_or_default();
        let mut kept: Vec<Kept> = paths.into_iter().filter_map(Kept::new).collect();
        let mut files = kept.len() as u64;
        let mut bytes: u64 = kept.iter().map(|trace| trace.bytes).sum();
        if files <= self.files_max && bytes <= self.bytes_max {
            return;
        }
        let files_goal = self.files_max - self.files_max / SLACK;
        let bytes_goal = self.bytes_max - self.bytes_max / SLACK;
        let hashes = hashes_of_regressions(store);
        kept.sort();
        for trace in kept {
            if files <= files_goal && bytes <= bytes_goal {
                return;
            }
            let name = trace.path.file_stem().unwrap_or_default().to_string_lossy();
            let is_needed = hashes.iter().any(|hash| hash.starts_with(&*name));
            if trace.path != written && !is_needed && fs::remove_file(&trace.path).is_ok() {
                files -= 1;
                bytes -= trace.bytes;
            }
        }
    }
}

/// A number, written as in all variables of unpick.
fn parse(text: &str) -> Option<u64> {
    let plain = text.replace(['_', ','], "");
    match plain.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => plain.parse().ok(),
    }
}

/// A trace on disk, ordered by age.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    modified: SystemTime,
    path: PathBuf,
    bytes: u64,
}

impl Kept {
    fn new(path: PathBuf) -> Option<Kept> {
        let known = fs::metadata(&path).ok()?;
        Some(Kept {
            modified: known.modified().ok()?,
            path,
            bytes: known.len(),
        })
    }
}

/// The fingerprints by which the traces of all regressions are called.
fn hashes_of_regressions(store: &Store) -> Vec<String> {
    let paths = list(&store.regressions(), "txt").unwrap_or_default();
    let records = paths.iter().filter_map(|path| read(path).ok());
    records
        .map(|record| format!("{:016x}", record.trace.hash()))
        .collect()
}

fn drop_left_overs(directory: &Path) {
    let now = SystemTime::now();
    for path in list(directory, PART).unwrap_or_default() {
        let modified = fs::metadata(&path).and_then(|known| known.modified());
        let age = modified.map(|modified| now.duration_since(modified).unwrap_or_default());
        if age.is_ok_and(|age| age > LEFT_OVER_AFTER) {
            let _ = fs::remove_file(&path);
        }
    }
}
