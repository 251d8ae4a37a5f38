//! What a study is: cells, how to measure one, and how to show all of them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::path::PathBuf;
use unpick::Spec;
use unpick_suite::{Program, programs};

/// A published study that can be measured again.
pub trait Study: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What it is about, in one line.
    fn summary(&self) -> &'static str;

    /// Schedules of each cell, if nothing is said.
    fn limit_default(&self) -> u64;

    /// What has to be measured, each once. The same options give the same cells in the same order.
    ///
    /// # Errors
    ///
    /// If the options ask for something that does not exist.
    fn cells(&self, options: &Options) -> Result<Vec<Cell>, Error>;

    /// Measures one cell. The answer depends on the cell alone; it is kept as JSON and handed back to
    /// [`Study::documents`]. `None` if `is_interrupted` said so before it was done.
    fn measure(&self, cell: &Cell, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Option<Value>;

    /// Whether a value is what [`Study::measure`] answers: the file in which it was kept may be damaged.
    fn is_answer(&self, value: &Value) -> bool;

    /// What is written when all cells are known: data, pictures, pages. The same measurements give the same
    /// documents, byte for byte.
    fn documents(&self, options: &Options, measured: &[Measurement]) -> Vec<Document>;

    /// What was found that must not be: published numbers that have to hold and do not, laws that are broken.
    fn violations(&self, options: &Options, measured: &[Measurement]) -> Vec<String> {
        let _ = (options, measured);
        Vec::new()
    }
}

/// Whether a value is of a type.
pub fn is_a<T: DeserializeOwned>(value: &Value) -> bool {
    serde_json::from_value::<T>(value.clone()).is_ok()
}

/// How much of a study to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Schedules of each cell.
    pub limit: u64,
    /// Only programs whose name contains one of these, whatever the case; all if there is none.
    pub only: Vec<String>,
    /// Only these strategies; all of the study if there is none.
    pub techniques: Vec<String>,
    /// Cells that are measured at a time.
    pub jobs: usize,
    /// The seed of every randomised technique.
    pub seed: u64,
}

impl Options {
    /// The chosen programs among those of the suite that `belong` to the study.
    ///
    /// # Errors
    ///
    /// If nothing is chosen.
    pub fn programs(
        &self,
        belongs: impl Fn(&Program) -> bool,
    ) -> Result<Vec<&'static Program>, Error> {
        let found: Vec<_> = programs()
            .iter()
            .filter(|program| belongs(program) && self.wants(program.name))
            .collect();
        match found.is_empty() {
            true => Err(Error::NoProgram {
                only: self.only.join(", "),
            }),
            false => Ok(found),
        }
    }

    /// Whether a program is chosen.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        let mut parts = self.only.iter();
        self.only.is_empty() || parts.any(|part| name.contains(&part.to_lowercase()))
    }

    /// The chosen strategies: those of the study that are asked for by name or in full, and others that are
    /// asked for.
    ///
    /// # Errors
    ///
    /// If a strategy does not exist.
    pub fn strategies(&self, of_study: &[&str]) -> Result<Vec<String>, Error> {
        if self.techniques.is_empty() {
            return Ok(of_study.iter().map(ToString::to_string).collect());
        }
        let mut chosen: Vec<String> = Vec::new();
        for asked in &self.techniques {
            Spec::parse(asked).map_err(|error| Error::Strategy(error.to_string()))?;
            let known = of_study
                .iter()
                .filter(|text| **text == *asked || text.split(':').next() == Some(asked));
            let mut found: Vec<String> = known.map(ToString::to_string).collect();
            if found.is_empty() {
                found.push(asked.clone());
            }
            found.retain(|text| !chosen.contains(text));
            chosen.append(&mut found);
        }
        Ok(chosen)
    }
}

/// Reads strategies with commas between, each of which may have parameters with commas between.
#[must_use]
pub fn specs(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for part in text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let is_parameter = part.contains('=') && !part.contains(':');
        match all.last_mut() {
            Some(last) if is_parameter => {
                last.push(',');
                last.push_str(part);
            }
            _ => all.push(part.to_string()),
        }
    }
    all
}

/// One program under one strategy, with all that decides what comes of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// The program, as the study knows it.
    pub program: String,
    /// The strategy, with its parameters.
    pub technique: String,
    /// What else there is to it, as `key=value`: a memory model, the number of a trial.
    pub variant: String,
    /// Schedules to explore at most.
    pub limit: u64,
    /// The seed of randomised techniques.
    pub seed: u64,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.program, self.technique)?;
        match self.variant.is_empty() {
            true => Ok(()),
            false => write!(f, " {}", self.variant),
        }
    }
}

/// A cell with what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The cell.
    pub cell: Cell,
    /// What [`Study::measure`] has answered.
    pub value: Value,
}

impl Measurement {
    /// What was measured, as what it is.
    ///
    /// # Panics
    ///
    /// If it is something else, which only another study can have measured.
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_value(self.value.clone()) {
            Ok(value) => value,
            Err(error) => panic!(
                "internal error: the result of {} cannot be read: {error}",
                self.cell
            ),
        }
    }
}

/// A file that a study writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its name in the directory of the study.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl Document {
    /// A file.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Document {
        Document {
            name: name.into(),
            text: text.into(),
        }
    }
}

/// Why a study was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No study has this name.
    #[error("unknown study `{name}`; there are {known}")]
    UnknownStudy {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// No program of the study is chosen.
    #[error(
        "no program of this study has a name that contains one of `{only}`; `unpick suite list` shows them"
    )]
    NoProgram {
        /// What was asked for.
        only: String,
    },
    /// A strategy cannot be read.
    #[error("{0}")]
    Strategy(String),
    /// The kept results cannot be used.
    #[error("cannot use the results in {}: {source}; remove the file to measure anew", .path.display())]
    Results {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: rusqlite::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: std::io::Error,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_stay_with_their_strategy() {
        assert_eq!(
            specs("dfs, pct:d=2,k=40,ipb"),
            ["dfs", "pct:d=2,k=40", "ipb"]
        );
    }

    #[test]
    fn strategies_are_chosen_by_name_or_in_full_and_others_are_added() {
        let options = Options {
            techniques: specs("pct,surw,dfs"),
            ..Options::default()
        };
        let of_study = ["dfs", "pct:d=1", "pct:d=2"];
        let chosen = options.strategies(&of_study).unwrap();
        assert_eq!(chosen, ["pct:d=1", "pct:d=2", "surw", "dfs"]);
        let wrong = Options {
            techniques: specs("pcd"),
            ..Options::default()
        };
        let error = wrong.strategies(&of_study).unwrap_err().to_string();
        assert!(error.starts_with("unknown strategy `pcd`"), "{error}");
    }

    #[test]
    fn programs_that_do_not_exist_are_an_error_with_a_remedy() {
        let options = Options {
            only: vec!["nowhere".to_string()],
            ..Options::default()
        };
        let error = options.programs(|_| true).unwrap_err().to_string();
        assert!(error.contains("unpick suite list"), "{error}");
    }
}
