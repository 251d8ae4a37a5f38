//! Measures the cells of a study that are not known yet, and writes its documents.
//!
//! Cells are taken in an order that has nothing to do with what they are, so that those that are done tell
//! how long the others will take. That order, and how many are measured at a time, changes no result.

use crate::results::Kept;
use crate::{Cell, Document, Error, Measurement, Options, Results, Study};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

const TIME_BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// Who watches a study.
pub struct Watch<'a> {
    /// Whether the user wants it to end; what was measured is kept.
    pub is_interrupted: &'a (dyn Fn() -> bool + Sync),
    /// Is told how far the study is, several times a second.
    pub progress: &'a dyn Fn(&Progress),
}

/// How far a study is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Cells that are known.
    pub done: usize,
    /// All cells.
    pub total: usize,
    /// How long the others will take, if that can be told.
    pub left: Option<Duration>,
    /// What was measured last.
    pub last: String,
}

/// What came of a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// All cells.
    pub cells: usize,
    /// Those that were known from before.
    pub kept: usize,
    /// Those that were measured now.
    pub measured: usize,
    /// Those of the known ones that another build of unpick has measured.
    pub foreign: usize,
    /// The files that were written; none if the user has ended the study.
    pub written: Vec<PathBuf>,
    /// What was found that must not be.
    pub violations: Vec<String>,
}

impl Ended {
    /// Whether every cell is known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.kept + self.measured == self.cells
    }
}

/// Measures what is not known of a study, and writes its documents into `directory`.
///
/// # Errors
///
/// If the options ask for something that does not exist, or a file cannot be written.
pub fn run(
    study: &dyn Study,
    options: &Options,
    directory: &Path,
    is_fresh: bool,
    watch: &Watch<'_>,
) -> Result<Ended, Error> {
    let cells = study.cells(options)?;
    let results = Results::open(directory)?;
    if is_fresh {
        results.clear(study.name())?;
    }
    let build = build_name();
    let mut known: Vec<Option<Kept>> = Vec::new();
    for cell in &cells {
        let kept = results.get(study.name(), cell)?;
        known.push(kept.filter(|kept| study.is_answer(&kept.value)));
    }
    let mut ended = Ended {
        cells: cells.len(),
        kept: known.iter().flatten().count(),
        foreign: known
            .iter()
            .flatten()
            .filter(|kept| kept.build != build)
            .count(),
        ..Ended::default()
    };
    let mut missing: Vec<usize> = (0..cells.len()).filter(|&at| known[at].is_none()).collect();
    missing.sort_by_cached_key(|&at| scattered(&cells[at]));
    measure_all(
        study,
        options,
        &cells,
        &missing,
        watch,
        |at, value, time| {
            let kept = Kept {
                value,
                time_ms: time.as_millis() as u64,
                build: build.clone(),
            };
            results.put(study.name(), &cells[at], &kept)?;
            known[at] = Some(kept);
            ended.measured += 1;
            Ok(())
        },
    )?;
    if !ended.is_complete() {
        return Ok(ended);
    }
    let times = times(&cells, &known);
    let measured: Vec<Measurement> = cells
        .into_iter()
        .zip(known.into_iter().flatten())
        .map(|(cell, kept)| Measurement {
            cell,
            value: kept.value,
        })
        .collect();
    let mut documents = study.documents(options, &measured);
    documents.push(times);
    for document in documents {
        ended.written.push(write(directory, &document)?);
    }
    ended.violations = study.violations(options, &measured);
    Ok(ended)
}

/// Measures cells with several workers, and hands each result to `keep`, on this thread.
fn measure_all(
    study: &dyn Study,
    options: &Options,
    cells: &[Cell],
    missing: &[usize],
    watch: &Watch<'_>,
    mut keep: impl FnMut(usize, Value, Duration) -> Result<(), Error>,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    let mut progress = Progress {
        done: cells.len() - missing.len(),
        total: cells.len(),
        ..Progress::default()
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..options.jobs.clamp(1, missing.len().max(1)) {
            let sender = sender.clone();
            let next = &next;
            let is_interrupted = watch.is_interrupted;
            scope.spawn(move || {
                while !is_interrupted() {
                    let Some(&at) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        break;
                    };
                    let begin = Instant::now();
                    let Some(value) = study.measure(&cells[at], is_interrupted) else {
                        break;
                    };
                    if sender.send((at, value, begin.elapsed())).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut measured = 0;
        loop {
            match receiver.recv_timeout(TIME_BETWEEN_LOOKS) {
                Ok((at, value, time)) => {
                    measured += 1;
                    progress.done += 1;
                    progress.last = cells[at].to_string();
                    keep(at, value, time)?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            let each = start.elapsed().checked_div(measured);
            progress.left = each.map(|each| each * (progress.total - progress.done) as u32);
            (watch.progress)(&progress);
        }
    })
}

fn scattered(cell: &Cell) -> u64 {
    let mut hasher = DefaultHasher::new();
    cell.hash(&mut hasher);
    hasher.finish()
}

/// A name for this build of unpick: results of others may be those of other programs or techniques.
fn build_name() -> String {
    let executable = std::env::current_exe().and_then(std::fs::read);
    let executable = executable.unwrap_or_default();
    let mut sum = executable.len() as u64;
    for word in executable.as_chunks::<8>().0 {
        sum = (sum.rotate_left(5) ^ u64::from_le_bytes(*word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    format!("{} {sum:016x}", env!("CARGO_PKG_VERSION"))
}

/// How long each cell took: the one document that differs from time to time.
fn times(cells: &[Cell], known: &[Option<Kept>]) -> Document {
    let mut table = crate::table::Table::new(&[
        "program",
        "technique",
        "variant",
        "schedules_max",
        "time_ms",
    ]);
    for (cell, kept) in cells.iter().zip(known) {
        let time_ms = kept.as_ref().map_or(0, |kept| kept.time_ms);
        table.add([
            cell.program.clone(),
            cell.technique.clone(),
            cell.variant.clone(),
            cell.limit.to_string(),
            time_ms.to_string(),
        ]);
    }
    Document::new("times.csv", table.csv())
}

/// Writes beside the old file first, so that one of both is always whole.
fn write(directory: &Path, document: &Document) -> Result<PathBuf, Error> {
    let path = directory.join(&document.name);
    let draft = directory.join(format!("{}.new", document.name));
    let done = std::fs::write(&draft, &document.text).and_then(|()| std::fs::rename(&draft, &path));
    match done {
        Ok(()) => Ok(path),
        Err(source) => Err(Error::Write { path, source }),
    }
}
