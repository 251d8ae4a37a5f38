//! Traces and regressions on disk.
//!
//! Below `.unpick`: `traces/ID.trace` for every failure, by its short id, and `regressions/NAME.txt`,
//! `NAME.2.txt` and so on for the different failures of each program, meant to be checked in (`regressions.rs`). A file is written beside its
//! place and then put there, so that nothing is ever half there (`files.rs`). Traces are dropped, oldest
//! first, when they become too many (`room.rs`); regressions only when somebody says so (`forget.rs`).

mod files;
mod forget;
mod key;
mod regressions;
mod room;

use files::{Part, read};
pub use forget::{Forgotten, Regression};
pub use key::{binary_key, is_cargo_hash};
pub use regressions::REGRESSIONS_MAX;
use room::Room;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use unpick_trace::{CodecError, Record, encode};

/// Why something could not be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system said no.
    #[error("cannot {action} {}: {cause}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What it said.
        cause: io::Error,
    },
    /// The file is not a usable trace.
    #[error("{}: {cause}", path.display())]
    Codec {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: CodecError,
    },
    /// No trace of that name.
    #[error(
        "no trace `{reference}`: it is neither a file nor an id in {}; ids are printed with each \
         failure", directory.display()
    )]
    NotFound {
        /// What was asked for.
        reference: String,
        /// Where it was looked for.
        directory: PathBuf,
    },
    /// No regression of that name.
    #[error("{}", forget::unknown(reference, known, directory))]
    NoRegression {
        /// What was asked for.
        reference: String,
        /// The programs that have one.
        known: Vec<String>,
        /// Where they are.
        directory: PathBuf,
    },
    /// Several regressions of that name.
    #[error("`{reference}` may be {}; give the whole name", programs.join(" or "))]
    Ambiguous {
        /// What was asked for.
        reference: String,
        /// The programs that it may mean.
        programs: Vec<String>,
    },
    /// A variable of the environment that cannot be read.
    #[error("{name}: `{value}` is no number; write it like 1000, or 0 for no limit")]
    Setting {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
    },
}

/// Puts a text into a file, as a whole or not at all, in place of what may be there.
pub fn replace_file(path: &Path, text: &str) -> Result<(), StoreError> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    Part::write(directory, text)?.replace(path)
}

/// What was written for a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The short id of the trace.
    pub id: String,
    /// The trace.
    pub trace: PathBuf,
    /// The regression file.
    pub regression: PathBuf,
}

/// A failing execution as it was found, which stays unless something better takes its place.
#[derive(Debug)]
pub struct Interim {
    path: PathBuf,
    /// Whether it was not there before.
    is_new: bool,
}

impl Interim {
    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its id.
    pub fn id(&self) -> String {
        let name = self.path.file_stem().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Removes it, if it was not there before: what was found is kept elsewhere.
    pub fn give_way(self) {
        if self.is_new {
            // One that stays is a failure all the same.
            let _ = fs::remove_file(&self.path);
        }
    }

    /// The same, unless it is the file that takes its place.
    pub fn give_way_to(self, path: &Path) {
        if self.path != path {
            self.give_way();
        }
    }
}

/// The `.unpick` directory of a project.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// The store below a project's directory. Nothing is created before something is saved.
    pub fn new(project: impl Into<PathBuf>) -> Store {
        Store {
            root: project.into().join(".unpick"),
        }
    }

    /// Keeps a failing execution: as a trace, and as a regression of its program, in place of one that fails in the
    /// same way if there is one. Then drops the oldest traces if there are too many.
    pub fn save(&self, record: &Record) -> Result<Saved, StoreError> {
        let path = self.place_for(record)?;
        self.save_as(record, path)
    }

    /// The same in place of a regression that no longer fits.
    pub fn save_as(&self, record: &Record, regression: PathBuf) -> Result<Saved, StoreError> {
        let room = Room::from_environment()?;
        let text = encode(record);
        let hash = record.trace.hash();
        let (id, trace) = Part::write(&self.traces(), &text)?.put_by_hash(hash)?;
        // What is checked in stays small.
        let text = match &record.passing {
            None => text,
            Some(_) => encode(&Record {
                passing: None,
                ..record.clone()
            }),
        };
        Part::write(&self.regressions(), &text)?.replace(&regression)?;
        room.make(self, &trace);
        Ok(Saved {
            id,
            trace,
            regression,
        })
    }

    /// Keeps a failing execution as a trace only, for programs that fail in several ways: they have one
    /// regression. Gives its short id and the file.
    pub fn save_trace(&self, record: &Record) -> Result<(String, PathBuf), StoreError> {
        let room = Room::from_environment()?;
        let hash = record.trace.hash();
        let (id, trace) = Part::write(&self.traces(), &encode(record))?.put_by_hash(hash)?;
        room.make(self, &trace);
        Ok((id, trace))
    }

    /// Keeps a failing execution as it was found, before it is run again, shrunk and explained. Its id is a long one, so
    /// that what takes its place can have a short one.
    pub fn save_interim(&self, record: &Record) -> Result<Interim, StoreError> {
        let room = Room::from_environment()?;
        let name = format!("{:016x}.trace", record.trace.hash());
        let path = self.traces().join(name);
        let is_new = !path.exists();
        Part::write(&self.traces(), &encode(record))?.replace(&path)?;
        room.make(self, &path);
        Ok(Interim { path, is_new })
    }

    /// Reads a trace by its id or by its path.
    pub fn load(&self, reference: &str) -> Result<(PathBuf, Record), StoreError> {
        let path = Path::new(reference);
        if path.is_file() {
            return Ok((path.to_path_buf(), read(path)?));
        }
        let is_id = !reference.is_empty() && reference.chars().all(|c| c.is_ascii_hexdigit());
        let by_id = self.traces().join(format!("{reference}.trace"));
        if is_id && by_id.is_file() {
            let record = read(&by_id)?;
            return Ok((by_id, record));
        }
        Err(StoreError::NotFound {
            reference: reference.to_string(),
            directory: self.traces(),
        })
    }

    fn traces(&self) -> PathBuf {
        self.root.join("traces")
    }

    fn regressions(&self) -> PathBuf {
        self.root.join("regressions")
    }
}
