//! Regressions that are no longer wanted.

use crate::files::{TRACE, error, list, read};
use crate::{Store, StoreError};
use std::fs;
use std::path::{Path, PathBuf};

/// The regressions of a program on disk, or one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regression {
    /// The files.
    pub files: Vec<PathBuf>,
    /// The program; the name of the file if that cannot be read.
    pub program: String,
}

/// What was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forgotten {
    /// Traces of the program that were dropped, too.
    pub trace_count: usize,
}

impl Store {
    /// The regressions that are meant: those of a program by its name, whole or its last part, or by the id of one of
    /// its traces; one of them by its file.
    pub fn find_regression(&self, reference: &str) -> Result<Regression, StoreError> {
        let path = Path::new(reference);
        if path.is_file() && is_in_regressions(path) {
            return Ok(Regression::at(path.to_path_buf()));
        }
        let known = self.all_regressions()?;
        let called: Vec<&Regression> = known
            .iter()
            .filter(|one| one.is_called(reference))
            .collect();
        let is_whole = |one: &&&Regression| one.program == reference;
        match (called.iter().find(is_whole), &called[..]) {
            (Some(&one), _) | (None, &[one]) => return Ok(one.clone()),
            (None, []) => {}
            (None, several) => {
                return Err(StoreError::Ambiguous {
                    reference: reference.to_string(),
                    programs: several.iter().map(|one| one.program.clone()).collect(),
                });
            }
        }
        let by_trace = self.load(reference).ok();
        let by_trace = by_trace.and_then(|(_, record)| {
            let is_it = |one: &&Regression| one.program == record.header.program;
            known.iter().find(is_it)
        });
        by_trace.cloned().ok_or_else(|| StoreError::NoRegression {
            reference: reference.to_string(),
            known: known.iter().map(|one| one.program.clone()).collect(),
            directory: self.regressions(),
        })
    }

    /// All regressions, by program.
    fn all_regressions(&self) -> Result<Vec<Regression>, StoreError> {
        let mut known: Vec<Regression> = Vec::new();
        for path in list(&self.regressions(), "txt")? {
            let one = Regression::at(path);
            let same = known.iter_mut().find(|known| known.program == one.program);
            match same {
                Some(known) => known.files.extend(one.files),
                None => known.push(one),
            }
        }
        Ok(known)
    }

    /// Drops regressions, and the traces of their program if they are not wanted either.
    pub fn forget(&self, what: &Regression, traces: bool) -> Result<Forgotten, StoreError> {
        for file in &what.files {
            fs::remove_file(file).map_err(error("remove", file))?;
        }
        let mut trace_count = 0;
        let paths = match traces {
            true => list(&self.traces(), TRACE)?,
            false => Vec::new(),
        };
        for path in paths {
            let is_of_it = read(&path).is_ok_and(|record| record.header.program == what.program);
            if is_of_it {
                fs::remove_file(&path).map_err(error("remove", &path))?;
                trace_count += 1;
            }
        }
        Ok(Forgotten { trace_count })
    }
}

impl Regression {
    fn at(path: PathBuf) -> Regression {
        let program = match read(&path) {
            Ok(record) => record.header.program,
            Err(_) => stem(&path),
        };
        Regression {
            files: vec![path],
            program,
        }
    }

    /// Whether it may be called so: with or without where the program comes from and the modules of a
    /// test, or as the file.
    fn is_called(&self, reference: &str) -> bool {
        let program = self.program.as_str();
        let plain = ["suite:", "native:"]
            .iter()
            .find_map(|prefix| program.strip_prefix(prefix));
        let plain = plain.unwrap_or(program);
        // A test is called with or without its package and binary.
        let test = plain.rsplit('/').next().unwrap_or(plain);
        let last = plain.rsplit("::").next();
        [program, plain, test].contains(&reference)
            || last == Some(reference)
            || self.files.iter().any(|file| stem(file) == reference)
    }
}

/// Whether a file lies where regressions do: another one is not ours to drop, whatever is in it.
fn is_in_regressions(path: &Path) -> bool {
    let path = std::path::absolute(path).unwrap_or_default();
    let parent = path.parent();
    path.extension().is_some_and(|end| end == "txt")
        && parent.is_some_and(|parent| parent.ends_with(".unpick/regressions"))
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// What to say of a name that no regression has.
pub(crate) fn unknown(reference: &str, known: &[String], directory: &Path) -> String {
    let place = directory.display();
    let distance = |program: &&String| strsim::levenshtein(reference, program);
    match known.iter().min_by_key(distance) {
        None => format!(
            "no regression of `{reference}`: there are none in {place}; go to the directory of the \
             crate or project that has it"
        ),
        Some(nearest) => format!(
            "no regression of `{reference}`: the nearest name is `{nearest}`; {place} has {}",
            known.join(", ")
        ),
    }
}
