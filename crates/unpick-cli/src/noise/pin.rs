//! From a failing free execution to a schedule that can be replayed.

use super::Subject;
use super::batch::{Batch, Chosen};
use crate::native::{NativeOptions, explore, tell_free};
use crate::options::{ExplorationArguments, ExplorationOptions};
use crate::progress::is_interrupted;
use anyhow::Result;
use clap::Parser;
use serde_json::{Value, json};
use std::time::Instant;
use unpick_native::drive::{self, DriveError, Options, Sought};

/// What an exploration has if nothing is said.
#[derive(Parser)]
struct Defaults {
    #[command(flatten)]
    options: ExplorationArguments,
    #[command(flatten)]
    native: NativeOptions,
}

/// The options of explorations that look for a failure again. Data races are no failures: the one that was seen is
/// looked for, and not the race that may have led to it.
pub(super) fn defaults(name: &str) -> Result<(ExplorationOptions, Options)> {
    options_with(name, &["--no-races"])
}

/// The options of an exploration for which this was said.
pub(super) fn options_with(name: &str, said: &[&str]) -> Result<(ExplorationOptions, Options)> {
    let words = [&["unpick"], said].concat();
    let defaults = Defaults::try_parse_from(words)?;
    let options = defaults.options.options(name)?;
    let drive = defaults.native.drive(&options)?;
    Ok((options, drive))
}

/// What is needed to follow a free execution, found out before it is run.
pub(super) struct Control {
    options: ExplorationOptions,
    drive: Options,
    /// The places of plain accesses that are traced.
    pub(super) shared: Vec<u64>,
}

impl Control {
    /// Finds out what the controlled engine sees of a program, and has free executions trace that.
    pub(super) fn of(subject: &Subject, batch: &mut Batch) -> Result<Control> {
        let (options, drive) = defaults(&subject.name)?;
        let shared = match drive::shared_places(&subject.command, &drive) {
            Ok((shared, _)) => shared,
            Err(error @ DriveError::Start { .. }) => return Err(error.into()),
            // It may still be run freely. That it cannot be controlled is said when it matters.
            Err(_) => Vec::new(),
        };
        batch.trace_for_control(shared.clone());
        Ok(Control {
            options,
            drive,
            shared,
        })
    }
}

/// What came of it.
pub(super) struct Told {
    pub(super) text: String,
    pub(super) json: Value,
}

/// Looks for a schedule that fails as a free execution did.
pub(super) fn pin(failing: &Chosen, subject: &Subject, control: &Control) -> Result<Told> {
    let start = Instant::now();
    let name = &subject.name;
    let Some(sought) = Sought::of(&failing.execution.end) else {
        let why = "what it printed is judged from outside, and under control it passes";
        return Ok(not_pinned(name, why, 0));
    };
    let goes_on = &mut || !is_interrupted();
    let found = drive::pin(
        &subject.command,
        &control.drive,
        (&failing.execution, sought),
        &control.shared,
        goes_on,
    );
    let (pinned, explored) = match found {
        Ok(found) => found,
        Err(error) => return Ok(not_pinned(name, &error.to_string(), 0)),
    };
    if let Some(explored) = explored {
        let told = tell_free(
            name,
            &subject.command,
            &control.drive,
            &control.options,
            explored,
            start.elapsed(),
        )?;
        let text = format!(
            "PINNED  {name}  by the trace of the free execution, {} operations\n{}",
            pinned.operations, told.details
        );
        let json = json!({"how": "trace", "executions": pinned.executions, "found": told.json});
        return Ok(Told { text, json });
    }
    if is_interrupted() {
        return Ok(not_pinned(
            name,
            "it was ended before its time",
            pinned.executions,
        ));
    }
    // The trace did not tell what mattered; a search may find it all the same.
    let told = explore(name, &subject.command, &control.drive, &control.options)?;
    let is_found = told.json["failures"].as_u64().unwrap_or(0) > 0;
    if !is_found {
        let why = format!(
            "neither {} executions near its trace nor an exploration of {} fail",
            pinned.executions, told.executions
        );
        return Ok(not_pinned(name, &why, pinned.executions));
    }
    let text = format!(
        "PINNED  {name}  by an exploration, for {} executions near the trace did not fail; it may be another \
         failure\n{}",
        pinned.executions, told.details
    );
    let json = json!({"how": "exploration", "executions": told.executions, "found": told.json});
    Ok(Told { text, json })
}

fn not_pinned(name: &str, why: &str, executions: u64) -> Told {
    Told {
        text: format!("NOT PINNED  {name}  no schedule under control was found: {why}"),
        json: json!({"how": Value::Null, "why": why, "executions": executions}),
    }
}
