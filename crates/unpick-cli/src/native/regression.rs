//! The regression of a native program, which is tried before the program is explored.

use super::keep::{Origin, PREFIX, origin_of};
use crate::options::ExplorationOptions;
use crate::progress::is_interrupted;
use anyhow::Result;
use unpick::Config;
use unpick::report::{Way, changed, fixed};
use unpick::store::Store;
use unpick::trace::Record;
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
}

/// Tries the regression of a program, if it has one of these arguments. Shards and explorations that go on
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
    let store = Store::new("");
    let program = format!("{PREFIX}{name}");
    let path = store.regression_path(&program).display().to_string();
    let tried = match store.regression(&program) {
        Ok(None) => return Regression::default(),
        Ok(Some(record)) => attempt(&record, command, drive),
        Err(error) => Err(error.into()),
    };
    let (tried, explored, drive) = match tried {
        Ok(Some(tried)) => tried,
        Ok(None) => return Regression::default(),
        Err(error) => {
            let said = format!("WARNING  {name}  the regression is not used: {error:#}");
            let failing = None;
            return Regression { failing, said };
        }
    };
    let (way, said) = match tried {
        Tried::Fails => (Way::Regression, String::new()),
        Tried::Passes => {
            let words = fixed(&path, name);
            (Way::Regression, format!("FIXED  {name}  {words}"))
        }
        Tried::Changed { diverged, near } => {
            let words = changed(&path, name, &diverged, &near);
            (Way::Near, format!("CHANGED  {name}  {words}"))
        }
    };
    let failing = explored.map(|explored| Failing {
        explored,
        way,
        drive,
    });
    Regression { failing, said }
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
    } = origin_of(record, known)?;
    // The same name is given to what a program does with other arguments.
    if recorded.arguments != command.arguments {
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
