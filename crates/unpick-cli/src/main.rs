//! The command `unpick`.
//!
//! Exit codes: 0 nothing found, 1 failure found, 2 usage, 3 diverged or uncontrolled
//! nondeterminism, 4 nothing ran (see docs/exit-codes.md).

mod annotation;
mod cargo;
mod compile;
mod config;
mod doctor;
mod forget;
mod found;
mod json;
mod junit;
mod merge;
mod native;
mod noise;
mod options;
mod output;
mod place;
mod predict;
mod progress;
mod replay;
mod run;
mod show;
mod study;
mod suite;
mod trust;

use clap::{Parser, Subcommand};
use output::say;
use std::process::ExitCode;
use unpick::report::printable;

/// What a run of the command comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Nothing was found.
    Clean,
    /// Nothing was run.
    NothingRan,
    /// The program did not follow its schedule.
    Diverged,
    /// The user ended the command before everything was run.
    Interrupted,
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
            Status::Interrupted => 130,
        })
    }
}

const USAGE_ERROR: u8 = 2;

/// The exit code of a Rust program that panics.
const INTERNAL_ERROR: u8 = 101;

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
    /// Explore a native program: C, C++, Rust
    ///
    /// The program should have been built by `unpick cc`, `unpick c++` or `cargo unpick`; otherwise
    /// only its calls of the thread library are under control, and a warning says so.
    Run(run::RunArguments),
    /// Run a native program freely, on real threads, and disturb it: noise at chosen placements
    #[command(subcommand)]
    Noise(noise::NoiseCommand),
    /// Benchmark programs with known answers: list them, explore them
    #[command(subcommand)]
    Suite(suite::SuiteCommand),
    /// Measure a published study again: data, pictures and a report beside the published numbers
    ///
    /// Without a name, lists the studies. Each result is kept in the directory as soon as it is known, so
    /// that a study that was ended by Ctrl-C or killed goes on where it was. The same seed gives the same
    /// report. Ends with 1 if a published number that must hold does not, with 4 if it was interrupted.
    Study(study::StudyArguments),
    /// Put the JSON of all shards of an exploration together into that of the whole
    Merge(merge::MergeArguments),
    /// Run a recorded schedule again and compare every step
    Replay(replay::ReplayArguments),
    /// Find the bugs that other orders of the events of a recorded execution would show
    ///
    /// Takes a trace, as a rule of an execution that passed, and asks which data races, deadlocks and
    /// other values of reads its events allow in another order. Each of these is run; what fails then is
    /// reported, and nothing else is. `--save-trace` of `unpick run`, `unpick noise run`, `cargo unpick test` and
    /// `unpick suite run` keeps such a trace; for a test with unpick's types, `UNPICK_SAVE_TRACE=1 cargo test
    /// NAME`. Ends with 0 if nothing fails, else 1.
    Predict(predict::PredictArguments),
    /// Drop the regressions of programs or tests, when their bugs are fixed
    ///
    /// A regression is a failing schedule in .unpick/regressions that is tried first in every later
    /// exploration. Call this in the directory that has it: that of the crate for tests.
    Forget(forget::ForgetArguments),
    /// Show a recorded schedule as columns or as a page, without running anything
    ///
    /// One column a task, time downwards, with values, the locks that a task holds when it is left, and
    /// the source, if the files are found from here. Steps that have nothing to do directly with other
    /// tasks are folded.
    Show(show::ShowArguments),
    /// Show the settings that hold, of unpick.toml, profile, environment and command line
    ///
    /// One line a setting: its value, and where that comes from.
    Config(config::ConfigArguments),
    /// List the strategies with their parameters
    Strategies,
    /// Say what of this machine helps or hinders the exploration of native programs
    ///
    /// Looks at compilers, processor, kernel and debugger; each line says what is there, what it
    /// means if it is not, and what to do. Ends with 0 if native programs can be explored, else 4.
    Doctor,
    /// Compile C: the C compiler, with instrumentation and the runtime
    ///
    /// Use it in place of the compiler, as in `make CC="unpick cc"`, `CC="unpick cc" ./configure`
    /// or `CC="unpick cc" cmake …`. All arguments are the compiler's, and so are output and exit
    /// code. UNPICK_CC names the compiler to use (gcc or clang); it is `cc` otherwise. Programs
    /// cannot be linked statically. Away from unpick, the program behaves as if built without it.
    Cc(compile::CompilerArguments),
    /// Compile C++: the C++ compiler, with instrumentation and the runtime
    ///
    /// As `unpick cc`, for `CXX="unpick c++"`. UNPICK_CXX names the compiler to use; it is `c++`
    /// otherwise.
    #[command(name = "c++")]
    Cpp(compile::CompilerArguments),
}

fn main() -> ExitCode {
    // A fault of this program must not hide what was found before.
    std::panic::catch_unwind(run_command).unwrap_or_else(|_| match found::report() {
        true => Status::Failed.into(),
        false => ExitCode::from(INTERNAL_ERROR),
    })
}

fn run_command() -> ExitCode {
    let all: Vec<_> = std::env::args_os().collect();
    if let Some(code) = compile::intercept(&all) {
        return code;
    }
    if let Some(code) = cargo::intercept(&all) {
        return code;
    }
    let arguments = match Arguments::try_parse_from(all) {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return match error.use_stderr() {
                true => ExitCode::from(USAGE_ERROR),
                false => ExitCode::SUCCESS,
            };
        }
    };
    exit_code(match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Noise(command) => noise::noise(&command),
        Command::Suite(command) => suite::run(command),
        Command::Study(arguments) => study::study(&arguments),
        Command::Merge(arguments) => merge::merge(&arguments),
        Command::Replay(arguments) => replay::replay(&arguments),
        Command::Predict(arguments) => predict::predict(&arguments),
        Command::Forget(arguments) => forget::forget(&arguments),
        Command::Show(arguments) => show::show(&arguments),
        Command::Config(arguments) => config::config(&arguments),
        Command::Strategies => Ok(list_strategies()),
        Command::Doctor => Ok(doctor::doctor()),
        Command::Cc(_) | Command::Cpp(_) => unreachable!("internal error: not intercepted"),
    })
}

fn exit_code(result: anyhow::Result<Status>) -> ExitCode {
    match result {
        Ok(status) => status.into(),
        Err(error) => {
            let is_found = found::report();
            eprintln!("{}", printable(&format!("error: {error:#}")));
            match is_found {
                true => Status::Failed.into(),
                false => ExitCode::from(USAGE_ERROR),
            }
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
