//! The command `unpick`.
//!
//! Exit codes: 0 nothing found, 1 failure found, 2 usage, 3 diverged or uncontrolled
//! nondeterminism, 4 nothing ran (see docs/exit-codes.md).

mod json;
mod merge;
mod options;
mod output;
mod progress;
mod replay;
mod suite;

use clap::{Parser, Subcommand};
use output::say;
use std::process::ExitCode;

/// What a run of the command comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Nothing was found.
    Clean,
    /// Nothing was run.
    NothingRan,
    /// The program did not follow its schedule.
    Diverged,
    /// A failure was found.
    Failed,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Clean => 0,
            Status::Failed => 1,
            Status::Diverged => 3,
            Status::NothingRan => 4,
        })
    }
}

const USAGE_ERROR: u8 = 2;

/// Finds, replays and explains concurrency bugs.
///
/// Try `unpick suite run CS.account_bad --strategy dfs` for a first bug, then the `unpick replay`
/// line that it prints.
#[derive(Parser)]
#[command(name = "unpick", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Benchmark programs with known answers: list them, explore them
    #[command(subcommand)]
    Suite(suite::SuiteCommand),
    /// Put the JSON of all shards of an exploration together into that of the whole
    Merge(merge::MergeArguments),
    /// Run a recorded schedule again and compare every step
    Replay(replay::ReplayArguments),
    /// Show a recorded schedule step by step, without running anything
    Show(replay::ShowArguments),
    /// List the strategies with their parameters
    Strategies,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return match error.use_stderr() {
                true => ExitCode::from(USAGE_ERROR),
                false => ExitCode::SUCCESS,
            };
        }
    };
    let result = match arguments.command {
        Command::Suite(command) => suite::run(command),
        Command::Merge(arguments) => merge::merge(&arguments),
        Command::Replay(arguments) => replay::replay(&arguments),
        Command::Show(arguments) => replay::show(&arguments),
        Command::Strategies => Ok(list_strategies()),
    };
    match result {
        Ok(status) => status.into(),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(USAGE_ERROR)
        }
    }
}

fn list_strategies() -> Status {
    for technique in unpick::techniques() {
        say!("{:<16} {}", technique.name, technique.summary);
        for (name, _, _, meaning) in technique.parameters {
            say!("{:<16}   {name:<8} {meaning}", "");
        }
    }
    say!("\nUse them as --strategy NAME[:key=value,…], for example --strategy pct:d=2.");
    Status::Clean
}
