//! `unpick replay`: recorded schedules, run again.

use crate::Status;
use crate::native::{self, BackendName, PREFIX};
use crate::output::say;
use crate::place::project_of;
use crate::show::picture;
use crate::trust::check_test;
use anyhow::{Context, Result};
use clap::Args;
use std::path::Path;
use std::process::{Command, Stdio};
use unpick::report::{Timeline, headline};
use unpick::store::Store;
use unpick::trace::Record;
use unpick::{Config, FirstFailure, cargo_options_of};
use unpick_suite::find;

/// Which schedule to run.
#[derive(Args)]
pub(crate) struct ReplayArguments {
    /// The id printed with the failure, or a file
    #[arg(value_name = "REF")]
    reference: String,
    /// Print nothing but the verdict
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Run the program that the trace names also if it is none of the project
    #[arg(long)]
    pub(crate) allow_program: bool,
    /// How the tasks of a native program are run; as the failure was found by default
    #[arg(long, value_enum, value_name = "BACKEND")]
    pub(crate) backend: Option<BackendName>,
    /// Run a native program under gdb, in threads, up to the failing step
    #[arg(long)]
    pub(crate) gdb: bool,
}

pub(crate) fn replay(arguments: &ReplayArguments) -> Result<Status> {
    let (path, record) = Store::new("").load(&arguments.reference)?;
    if let Some(name) = record.header.program.strip_prefix(PREFIX) {
        return native::replay(name, (&path, &record), arguments);
    }
    match record.header.program.strip_prefix("suite:") {
        Some(label) => replay_suite(label, &path, &record, arguments.quiet),
        None => replay_test(&path, &record),
    }
}

fn replay_suite(label: &str, path: &Path, record: &Record, is_quiet: bool) -> Result<Status> {
    let selection = find(label)?;
    let config = Config::new().settings_from(&record.header.settings);
    let program = move || selection.run();
    let found = unpick::replay(&config, &program, record.trace.clone());
    Ok(match (&found.first_failure, &found.diverged) {
        (Some(failure), _) => {
            let is_same = failure.outcome == record.outcome;
            print_failure(label, (failure, is_same), (path, record), is_quiet);
            Status::Failed
        }
        (None, Some(diverged)) => {
            say!(
                "DIVERGED  {label}  {}",
                headline(&diverged.outcome, &diverged.trace)
            );
            Status::Diverged
        }
        (None, None) => {
            say!("PASSED  {label}  the recorded schedule passes now");
            Status::Clean
        }
    })
}

/// Prints a failure that was replayed, and whether it is the recorded one.
pub(crate) fn print_failure(
    label: &str,
    (failure, is_same): (&FirstFailure, bool),
    (path, recorded): (&Path, &Record),
    is_quiet: bool,
) {
    say!(
        "FAILED  {label}  {}",
        headline(&failure.outcome, &failure.trace)
    );
    let verdict = match is_same {
        true => "the same failure, step by step",
        false => "another failure than the recorded one",
    };
    say!("  replayed  {} steps: {verdict}", failure.trace.steps.len());
    let record = recorded.replayed(&failure.trace, &failure.outcome);
    let timeline = Timeline::new(&record);
    say!("  why       {}", timeline.why());
    if !is_quiet {
        say!("\n{}", picture(&timeline, path, false));
    }
}

/// A schedule of a test is replayed by the test itself.
fn replay_test(path: &Path, record: &Record) -> Result<Status> {
    let name = &record.header.program;
    let filter = name.rsplit("::").next().unwrap_or(name);
    let options = cargo_options_of(&record.header.settings);
    check_test(&options, filter)?;
    let path = std::path::absolute(path).context("cannot tell where the trace is")?;
    let plain = options.iter().map(String::as_str);
    let words: Vec<&str> = plain.chain(["--", filter]).collect();
    let words = words.join(" ");
    eprintln!("UNPICK_REPLAY={} cargo test {words}", path.display());
    let status = Command::new("cargo")
        .args(["test", "--quiet"])
        .args(&options)
        .args(["--", filter])
        .current_dir(project_of(&path))
        .env("UNPICK_REPLAY", &path)
        .stdin(Stdio::null())
        .status()
        .context("cannot run `cargo test`; run the line above in the crate of the test")?;
    Ok(match status.success() {
        true => Status::Clean,
        false => Status::Failed,
    })
}
