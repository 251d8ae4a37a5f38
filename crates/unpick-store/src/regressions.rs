//! The regressions of a program: one file for each of its different failures, the oldest first.

use crate::files::{error, list, read};
use crate::{Store, StoreError};
use std::fs;
use std::path::{Path, PathBuf};
use unpick_trace::{Record, same_failure};

/// Regressions that a program has at most. One more takes the place of the oldest.
pub const REGRESSIONS_MAX: usize = 8;

impl Store {
    /// The regressions of a program, the oldest first, and what cannot be read of them.
    pub fn regressions_of(&self, program: &str) -> Vec<Result<(PathBuf, Record), StoreError>> {
        let paths = self.numbered(program).unwrap_or_default();
        let records = paths
            .into_iter()
            .map(|(_, path)| Ok((path.clone(), read(&path)?)));
        // Names that differ only in characters that file names cannot have share a beginning.
        let is_own = |one: &Result<(PathBuf, Record), StoreError>| match one {
            Ok((_, record)) => record.header.program == program,
            Err(_) => true,
        };
        records.filter(is_own).collect()
    }

    /// Where the first regression of a program is kept.
    pub fn regression_path(&self, program: &str) -> PathBuf {
        self.numbered_path(program, 1)
    }

    fn numbered_path(&self, program: &str, number: u32) -> PathBuf {
        let name = file_name(program);
        self.regressions().join(match number {
            1 => format!("{name}.txt"),
            _ => format!("{name}.{number}.txt"),
        })
    }

    /// The files that have the name of a program, by number.
    fn numbered(&self, program: &str) -> Result<Vec<(u32, PathBuf)>, StoreError> {
        let name = file_name(program);
        let paths = list(&self.regressions(), "txt")?.into_iter();
        let mut found: Vec<(u32, PathBuf)> = paths
            .filter_map(|path| Some((number_of(&path, &name)?, path)))
            .collect();
        found.sort();
        Ok(found)
    }

    /// Where a failure is to be kept: in place of one that is the same, behind the others, or in place of the oldest
    /// one if there are too many.
    pub(crate) fn place_for(&self, record: &Record) -> Result<PathBuf, StoreError> {
        let program = &record.header.program;
        let own: Vec<(PathBuf, Record)> =
            self.regressions_of(program).into_iter().flatten().collect();
        let is_same = |(_, one): &&(PathBuf, Record)| same_failure(&one.outcome, &record.outcome);
        if let Some((path, _)) = own.iter().find(is_same) {
            return Ok(path.clone());
        }
        if own.len() < REGRESSIONS_MAX {
            let last = self.numbered(program).unwrap_or_default().pop();
            return Ok(self.numbered_path(program, last.map_or(1, |(number, _)| number + 1)));
        }
        // Each takes the place of the one before it, which is older.
        for pair in own.windows(2) {
            let [(to, _), (from, _)] = pair else { break };
            fs::rename(from, to).map_err(error("write", to))?;
        }
        let (last, _) = own.last().expect("internal error: a limit of none");
        Ok(last.clone())
    }
}

/// The name of a program as files can have it.
fn file_name(program: &str) -> String {
    let letters = program.chars().map(|c| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' | '.' => c,
        _ => '_',
    });
    letters.collect()
}

/// The number of a file that is called so.
fn number_of(path: &Path, name: &str) -> Option<u32> {
    let stem = path.file_stem()?.to_str()?;
    let rest = stem.strip_prefix(name)?;
    match rest.strip_prefix('.') {
        None => rest.is_empty().then_some(1),
        Some(digits) => digits.parse().ok().filter(|number| *number > 1),
    }
}
