//! `unpick replay` for native programs.

use super::keep::{Origin, name_of, origin_to_run};
use crate::Status;
use crate::output::say;
use crate::place::project_of;
use crate::replay::{ReplayArguments, print_failure};
use anyhow::{Context as _, Result};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use unpick::report::headline;
use unpick::trace::{Outcome, Record};
use unpick::{Config, FirstFailure};
use unpick_config::room::Room;
use unpick_native::drive::{self, Naming, Options};
use unpick_native::memory_file::MemoryFile;
use unpick_native::protocol::{Backend, Points, Reexecution};

/// Runs a recorded execution of a native program again.
pub(crate) fn replay(
    name: &str,
    (path, record): (&Path, &Record),
    arguments: &ReplayArguments,
) -> Result<Status> {
    let ReplayArguments { gdb, quiet, .. } = *arguments;
    let Origin {
        command,
        options,
        shared,
    } = origin_to_run(
        record,
        options_of(record),
        &project_of(path),
        arguments.allow_program,
    )?;
    let name = name_of(name, &command);
    if gdb {
        return debug(&command, &options, &record.trace, &shared);
    }
    let backend = arguments.backend.map(Backend::from);
    let backend = backend.or(options.backend);
    let way = match backend {
        Some(Backend::Threads) => (Backend::Threads, Reexecution::Fork),
        _ => (Backend::Fibers, Reexecution::Snapshot),
    };
    let output = MemoryFile::new().context("cannot keep what the program prints")?;
    let output = Arc::new(output);
    let result = drive::replay(
        &command,
        &options,
        way,
        &record.trace,
        &shared,
        Some(&output),
    );
    let printed = output.text();
    let (end, answer) = result?;
    let named = |directory: &Path| {
        let naming = Naming::new(&command.program, &answer.modules, &answer.addresses);
        let mut naming = naming.seen_from(directory);
        let mut end = end.clone();
        naming.name(&mut end);
        naming.explain(&mut end.outcome, &printed, &command.arguments);
        end
    };
    // It was recorded in the project, and is shown to the user, who may be elsewhere.
    let is_same = named(&project_of(path)).outcome == record.outcome;
    let end = named(&std::env::current_dir().unwrap_or_default());
    let kept = (path, record);
    Ok(say_end(
        name,
        kept,
        (&end, is_same),
        printed.trim_end(),
        quiet,
    ))
}

/// Says how a replay ended.
fn say_end(
    name: &str,
    kept: (&Path, &Record),
    (end, is_same): (&FirstFailure, bool),
    printed: &str,
    is_quiet: bool,
) -> Status {
    match &end.outcome {
        Outcome::Pass => {
            say!("PASSED  {name}  the recorded schedule passes now");
            Status::Clean
        }
        Outcome::Diverged(_) => {
            say!("DIVERGED  {name}  {}", headline(&end.outcome, &end.trace));
            Status::Diverged
        }
        _ => {
            print_failure(name, (end, is_same), kept, is_quiet);
            if !is_quiet && !printed.trim().is_empty() {
                say!("\nwhat the program printed:\n{printed}");
            }
            Status::Failed
        }
    }
}

/// The options for everything that the trace's header does not tell.
pub(super) fn options_of(record: &Record) -> Options {
    let config = Config::new().settings_from(&record.header.settings);
    Options {
        strategy: "replay".into(),
        seed: record.header.seed,
        limits: config.limits(),
        time: None,
        room: Room::of_machine(),
        settings: config.settings(),
        races: true,
        points: Points::Sync,
        point_at: Vec::new(),
        backend: None,
        reexecution: None,
        processors: 2,
        hang_after: Duration::from_secs(10),
        shows_output: false,
        confirm: 0,
        shrink: 0,
        jobs: 1,
        shard: None,
    }
}

/// Hands the terminal to gdb, which stops at the failing step.
fn debug(
    command: &drive::Command,
    options: &Options,
    trace: &unpick::trace::Trace,
    shared: &[u64],
) -> Result<Status> {
    let status = drive::debug(command, options, trace, shared)?;
    Ok(match status.success() {
        true => Status::Clean,
        false => Status::Diverged,
    })
}
