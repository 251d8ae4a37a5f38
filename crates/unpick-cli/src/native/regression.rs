//! The regression of a native program, which is tried before the program is explored.

use super::keep::{Origin, PREFIX, key_of, origin_of};
use crate::options::ExplorationOptions;
use crate::place::shown;
use crate::progress::is_interrupted;
use anyhow::Result;
use std::path::PathBuf;
use unpick::Config;
use unpick::report::{Way, changed, fixed};
use unpick::store::{Store, StoreError};
use unpick::trace::Record;
use unpick_native::cargo::program_name;
use unpick_native::drive::{Command, Explored, Options, Tried, try_recorded};

/// What came of it.
#[derive(Default)]
pub(super) struct Regression {
    /// The failure that it led to.
    pub(super) failing: Option<Failing>,
    /// What there is to say of it. May be empty.
    pub(super) said: String,
}

/// A failure that a regression led to.
pub(super) struct Failing {
    pub(super) explored: Explored,
    pub(super) way: Way,
    /// The options with which it fails: points and the like are those of the record.
    pub(super) drive: Options,
    /// The regression.
    pub(super) path: PathBuf,
}

/// Tries the regressions of a program that have these arguments, up to one that fails. Shards and explorations that go on
/// after a failure are there to be counted, and leave it alone, and so do those that shall keep nothing.
pub(super) fn try_regression(
    name: &str,
    command: &Command,
    drive: &Options,
    options: &ExplorationOptions,
) -> Regression {
    if options.no_save || options.keep_going || options.shard.is_some() {
        return Regression::default();
    }
    let key = key_of(name, command);
    let mut said = Vec::new();
    for kept in kept_for(name, &key) {
        let (path, tried) = match kept {
            Ok((path, record)) => {
                let tried = attempt(&record, command, drive);
                (path, tried)
            }
            Err(error) => (PathBuf::new(), Err(error.into())),
        };
        let (tried, explored, drive) = match tried {
            Ok(Some(tried)) => tried,
            Ok(None) => continue,
            Err(error) => {
                said.push(format!(
                    "WARNING  {name}  the regression is not used: {error:#}"
                ));
                continue;
            }
        };
        let shown = shown(&path);
        let way = match tried {
            Tried::Fails => Way::Regression,
            Tried::Passes => {
                said.push(format!("FIXED  {name}  {}", fixed(&shown, &key)));
                Way::Regression
            }
            Tried::Changed { diverged, near } => {
                let words = changed(&shown, &key, &diverged, &near);
                said.push(format!("CHANGED  {name}  {words}"));
                Way::Near
            }
        };
        if let Some(explored) = explored {
            let failing = Some(Failing {
                explored,
                way,
                drive,
                path,
            });
            let said = said.join("\n");
            return Regression { failing, said };
        }
    }
    Regression {
        failing: None,
        said: said.join("\n"),
    }
}

/// The regressions of a program, the oldest first. Earlier versions kept those of tests by the name of the test alone.
fn kept_for(name: &str, key: &str) -> Vec<Result<(PathBuf, Record), StoreError>> {
    let store = Store::new("");
    let kept = store.regressions_of(&format!("{PREFIX}{key}"));
    match kept.is_empty() && key != name {
        true => store.regressions_of(&format!("{PREFIX}{name}")),
        false => kept,
    }
}

fn attempt(
    record: &Record,
    command: &Command,
    drive: &Options,
) -> Result<Option<(Tried, Option<Explored>, Options)>> {
    let config = Config::new().settings_from(&record.header.settings);
    let known = Options {
        settings: config.settings(),
        point_at: Vec::new(),
        ..drive.clone()
    };
    let Origin {
        command: recorded,
        options,
        shared,
    } = origin_of(record, known, &std::env::current_dir()?)?;
    // The same name is given to what a program does with other arguments, and was given to tests of other binaries.
    let is_same = recorded.arguments == command.arguments
        && program_name(&recorded.program) == program_name(&command.program);
    if !is_same {
        return Ok(None);
    }
    let options = Options {
        backend: drive.backend,
        ..options
    };
    let goes_on = &mut || !is_interrupted();
    let (tried, explored) = try_recorded(command, &options, &record.trace, &shared, goes_on)?;
    Ok(Some((tried, explored, options)))
}
