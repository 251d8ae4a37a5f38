//! `--junit FILE`: what came of an exploration as JUnit XML, for continuous integration.
//!
//! The file is written again whenever a program or test is done, beside its place and then put there, so that
//! at any time it tells about all that are done and is whole.

mod xml;

use crate::Status;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use unpick::store::replace_file;
use unpick_native::memory_file::MemoryFile;

/// One program or test.
pub(crate) struct Case {
    /// What it belongs to.
    suite: String,
    name: String,
    status: Status,
    /// What went wrong, in one line; empty if nothing did.
    message: String,
    /// The JSON of the exploration; null if there was none.
    object: Value,
    /// The report and the warnings. May be empty.
    details: String,
}

impl Case {
    /// What came of an exploration, by its JSON and the words about it.
    pub(crate) fn new(suite: &str, status: Status, object: &Value, details: &str) -> Case {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let message = match status {
            Status::Clean => String::new(),
            Status::NothingRan => "nothing ran".to_string(),
            Status::Interrupted => "interrupted".to_string(),
            Status::Failed => text(&object["failure"]["summary"]),
            // The first line says it.
            Status::Diverged => details.lines().next().unwrap_or_default().to_string(),
        };
        Case {
            suite: suite.to_string(),
            name: text(&object["name"]),
            status,
            message,
            object: object.clone(),
            details: details.to_string(),
        }
    }

    /// A test that could not be explored.
    pub(crate) fn not_explored(suite: &str, name: &str, error: &str) -> Case {
        Case {
            suite: suite.to_string(),
            name: name.to_string(),
            status: Status::Diverged,
            message: error.to_string(),
            object: Value::Null,
            details: error.to_string(),
        }
    }

    fn to_line(&self) -> String {
        let Case {
            suite,
            name,
            message,
            object,
            details,
            ..
        } = self;
        let status = self.status as u64;
        json!([suite, name, status, message, object, details]).to_string()
    }

    fn from_line(line: &str) -> Option<Case> {
        let value: Value = serde_json::from_str(line).ok()?;
        let text = |at: usize| value[at].as_str().map(str::to_string);
        let all = [
            Status::Clean,
            Status::NothingRan,
            Status::Diverged,
            Status::Interrupted,
            Status::Failed,
        ];
        let status = value[2].as_u64()?;
        Some(Case {
            suite: text(0)?,
            name: text(1)?,
            status: all.into_iter().find(|one| *one as u64 == status)?,
            message: text(3)?,
            object: value[4].clone(),
            details: text(5)?,
        })
    }
}

/// The file, as far as it is known.
pub(crate) struct Report {
    file: PathBuf,
    cases: Vec<Case>,
    /// Where the cases of several processes are collected.
    log: Option<MemoryFile>,
}

impl Report {
    /// A file without cases. It is written at once, so that one that cannot be written costs nothing.
    pub(crate) fn new(file: &Path) -> Result<Report> {
        let report = Report {
            file: file.to_path_buf(),
            cases: Vec::new(),
            log: None,
        };
        report.write()?;
        Ok(report)
    }

    /// The file with the cases of other processes, which are collected in `log`.
    pub(crate) fn resume(file: &Path, log: MemoryFile) -> Result<Report> {
        let lines = String::from_utf8(log.content(u64::MAX)).context("--junit")?;
        let cases = lines.lines().map(Case::from_line);
        let cases: Option<Vec<Case>> = cases.collect();
        Ok(Report {
            file: file.to_path_buf(),
            cases: cases.context("internal error: a test case cannot be read")?,
            log: Some(log),
        })
    }

    pub(crate) fn add(&mut self, case: Case) -> Result<()> {
        if let Some(log) = &self.log {
            log.add_line(&case.to_line())?;
        }
        self.cases.push(case);
        self.write()
    }

    fn write(&self) -> Result<()> {
        replace_file(&self.file, &xml::document(&self.cases)).context("--junit")
    }
}
