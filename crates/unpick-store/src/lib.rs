//! Traces and regressions on disk.
//!
//! Below `.unpick`: `traces/ID.trace` for every failure, by its short id, and `regressions/NAME.txt`
//! for the newest failure of each program, meant to be checked in. A file is written beside its
//! place and then renamed, so that nothing is ever half there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use unpick_trace::{CodecError, Record, decode, encode};

/// Why something could not be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system said no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The file is not a usable trace.
    #[error("{}: {source}", path.display())]
    Codec {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: CodecError,
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

    /// Keeps a failing execution: as a trace, and as the regression of its program.
    pub fn save(&self, record: &Record) -> Result<Saved, StoreError> {
        let text = encode(record);
        let traces = self.root.join("traces");
        let (id, trace) = free_place(&traces, record.trace.hash(), &text);
        write(&trace, &text)?;
        let regression = self.regression_path(&record.header.program);
        write(&regression, &text)?;
        Ok(Saved {
            id,
            trace,
            regression,
        })
    }

    /// Reads a trace by its id or by its path.
    pub fn load(&self, reference: &str) -> Result<(PathBuf, Record), StoreError> {
        let path = Path::new(reference);
        if path.is_file() {
            return Ok((path.to_path_buf(), read(path)?));
        }
        let is_id = !reference.is_empty() && reference.chars().all(|c| c.is_ascii_hexdigit());
        let by_id = self.root.join("traces").join(format!("{reference}.trace"));
        if is_id && by_id.is_file() {
            let record = read(&by_id)?;
            return Ok((by_id, record));
        }
        Err(StoreError::NotFound {
            reference: reference.to_string(),
            directory: self.root.join("traces"),
        })
    }

    /// The regression of a program, if it has one.
    pub fn regression(&self, program: &str) -> Result<Option<Record>, StoreError> {
        let path = self.regression_path(program);
        if !path.is_file() {
            return Ok(None);
        }
        // Names that differ only in characters that file names cannot have share a file.
        let record = read(&path)?;
        Ok((record.header.program == program).then_some(record))
    }

    /// Where the regression of a program is kept.
    pub fn regression_path(&self, program: &str) -> PathBuf {
        let name: String = program
            .chars()
            .map(|c| match c {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' | '.' => c,
                _ => '_',
            })
            .collect();
        self.root.join("regressions").join(format!("{name}.txt"))
    }
}

/// An id for a text: four digits of its hash, more while they are taken by another text.
fn free_place(directory: &Path, hash: u64, text: &str) -> (String, PathBuf) {
    let digits = format!("{hash:016x}");
    for length in 4..digits.len() {
        let id = &digits[..length];
        let path = directory.join(format!("{id}.trace"));
        match fs::read_to_string(&path) {
            Ok(existing) if existing != text => {}
            _ => return (id.to_string(), path),
        }
    }
    let path = directory.join(format!("{digits}.trace"));
    (digits, path)
}

fn read(path: &Path) -> Result<Record, StoreError> {
    let text = fs::read_to_string(path).map_err(|source| StoreError::Io {
        action: "read",
        path: path.to_path_buf(),
        source,
    })?;
    decode(&text).map_err(|source| StoreError::Codec {
        path: path.to_path_buf(),
        source,
    })
}

fn write(path: &Path, text: &str) -> Result<(), StoreError> {
    let error = |action: &'static str, path: &Path| {
        let path = path.to_path_buf();
        move |source: io::Error| StoreError::Io {
            action,
            path,
            source,
        }
    };
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(error("create", directory))?;
    // Unique among processes and threads that write at the same time.
    let thread = format!("{:?}", std::thread::current().id());
    let number: String = thread.chars().filter(char::is_ascii_digit).collect();
    let beside = path.with_extension(format!("{}-{number}.part", std::process::id()));
    let done = fs::write(&beside, text)
        .map_err(error("write", &beside))
        .and_then(|()| fs::rename(&beside, path).map_err(error("rename", path)));
    if done.is_err() {
        let _ = fs::remove_file(&beside);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_trace::{Header, Outcome, Trace};

    fn record(program: &str, seed: u64) -> Record {
        Record {
            header: Header {
                program: program.to_string(),
                seed,
                ..Header::default()
            },
            trace: Trace::default(),
            outcome: Outcome::Pass,
        }
    }

    fn store(name: &str) -> Store {
        let place = format!("unpick-store-{}-{name}", std::process::id());
        let project = std::env::temp_dir().join(place);
        let _ = fs::remove_dir_all(&project);
        Store::new(project)
    }

    #[test]
    fn what_is_saved_is_found_by_id_by_path_and_by_program() {
        let store = store("find");
        let saved = store.save(&record("tests::a name", 1)).unwrap();
        assert_eq!(saved.id.len(), 4);
        assert!(saved.regression.ends_with("tests__a_name.txt"));
        let (path, by_id) = store.load(&saved.id).unwrap();
        assert_eq!(path, saved.trace);
        assert_eq!(by_id, record("tests::a name", 1));
        let by_path = store.load(saved.regression.to_str().unwrap()).unwrap().1;
        assert_eq!(by_path, by_id);
        assert_eq!(store.regression("tests::a name").unwrap(), Some(by_id));
        assert!(store.regression("another").unwrap().is_none());
    }

    #[test]
    fn equal_schedules_of_different_origin_get_different_ids() {
        let store = store("collide");
        let first = store.save(&record("one", 1)).unwrap();
        let second = store.save(&record("two", 2)).unwrap();
        let again = store.save(&record("one", 1)).unwrap();
        assert_ne!(first.id, second.id);
        assert_eq!(first, again);
    }

    #[test]
    fn what_cannot_be_found_or_written_is_named() {
        let store = store("missing");
        let error = store.load("beef").unwrap_err().to_string();
        assert!(error.starts_with("no trace `beef`"), "{error}");
        let file = std::env::temp_dir().join(format!("unpick-store-{}-f", std::process::id()));
        fs::write(&file, "in the way").unwrap();
        let error = Store::new(&file).save(&record("x", 1)).unwrap_err();
        assert!(error.to_string().starts_with("cannot create"), "{error}");
    }
}
