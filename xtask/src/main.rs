//! The chores of the workspace, started with `cargo xtask`.
//!
//! Each chore is one subcommand and one module. Nothing here is part of what users install.

mod bench;
mod ci;
mod claims;
mod first_bug;
mod historic;
mod limited;
mod native;
mod oracles;
mod packages;
mod soundness;
mod suites;
mod tidy;
mod understanding;
mod workspace;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The chores of the unpick workspace")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Check the rules of the house that the compiler does not know
    Tidy,
    /// Check everything: format, lints, tidy, the commands of the README, documentation
    Ci,
    /// Compare every published count with what unpick measures
    Oracles {
        /// Only programs whose name contains this
        #[arg(long, default_value = "")]
        only: String,
        /// Executions of each randomised technique
        #[arg(long, default_value_t = 100_000)]
        samples: u64,
    },
    /// Hold the techniques to what they promise, on random programs
    Soundness {
        /// Programs to judge
        #[arg(long, default_value_t = 10_000)]
        programs: u64,
        /// The number of the first program
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Only programs of this flavour
        #[arg(long)]
        flavour: Option<String>,
        /// Only techniques whose name begins with this, or with one of these, with commas between
        #[arg(long, default_value = "")]
        technique: String,
        /// Programs with more schedules than this are left out
        #[arg(long, default_value_t = 2_000)]
        schedules: u64,
        /// Judge what techniques claim against brute force, under every memory model, instead
        #[arg(long)]
        claims: bool,
        /// Programs whose claims are judged at the same time
        #[arg(long, default_value_t = 2)]
        jobs: usize,
    },
    /// Measure how many schedules it takes to the first failure and write docs/study/first-bug.md
    FirstBug {
        /// Only programs whose name contains this; the page is written if it is all of them
        #[arg(long, default_value = "")]
        only: String,
        /// Seeds for each program and strategy
        #[arg(long, default_value_t = 20)]
        trials: u32,
        /// At most so many schedules a trial, where the published limit is larger
        #[arg(long, default_value_t = 10_000)]
        schedules: u64,
    },
    /// Shrink and explain every failure of the suite and of the native programs of the tests, and write
    /// docs/study/understanding.md
    Understanding,
    /// Keep the promises about native programs in full: verdicts, backends, prelude,
    /// examples
    Native {
        /// Only these; all by default
        parts: Vec<String>,
    },
    /// Explore the test suites of published crates as they are, and count false alarms by the judged failures in
    /// xtask/suites/judged.txt
    Suites {
        /// Crates, as NAME or NAME@VERSION; 15 crates in their newest versions by default
        crates: Vec<String>,
        /// Executions per test
        #[arg(long, default_value_t = 100)]
        executions: u64,
        /// Seconds per test
        #[arg(long, default_value_t = 1)]
        time: u64,
        /// Minutes per crate, the build included
        #[arg(long, default_value_t = 20)]
        minutes: u64,
        /// Keep what was downloaded and built, below target/suites
        #[arg(long)]
        keep: bool,
    },
    /// Explore tests of historic concurrency bugs, with the published version that has the bug and the one that mends it
    Historic {
        /// Only bugs whose name contains one of these
        names: Vec<String>,
        /// Minutes per version, the build included
        #[arg(long, default_value_t = 10)]
        minutes: u64,
    },
    /// Measure unpick, shuttle and loom side by side on the same programs; `bench native` measures
    /// native programs, `bench mcr` questions to the causal models of traces, `bench actors` actors,
    /// `bench compare` the comparison of traces, `bench ppct` `ppct` on real threads
    Bench {
        /// `native`, `mcr`, `actors`, `compare`, `noise`, `ppct`, or options of the measurement, for example `--rounds 3 --json FILE`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let all_well = workspace::root().and_then(|root| match arguments.chore {
        Chore::Tidy => tidy::check(&root),
        Chore::Ci => ci::check(&root),
        Chore::Oracles { only, samples } => oracles::run(&only, samples),
        Chore::Soundness {
            claims: true,
            programs,
            seed,
            technique,
            jobs,
            ..
        } => claims::run(programs, seed, &technique, jobs),
        Chore::Soundness {
            claims: false,
            programs,
            seed,
            flavour,
            technique,
            schedules,
            ..
        } => soundness::run(&soundness::Effort {
            programs,
            seed,
            flavour,
            technique,
            schedules_max: schedules,
        }),
        Chore::FirstBug {
            only,
            trials,
            schedules,
        } => first_bug::run(&root, &only, trials, schedules),
        Chore::Understanding => understanding::run(&root),
        Chore::Native { parts } => native::run(&root, &parts),
        Chore::Historic { names, minutes } => historic::run(&root, &names, minutes),
        Chore::Suites {
            crates,
            executions,
            time,
            minutes,
            keep,
        } => suites::run(
            &root,
            &crates,
            &suites::Effort {
                executions,
                time,
                minutes,
                keep,
            },
        ),
        Chore::Bench { options } => measure(&root, &options),
    });
    match all_well {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn measure(root: &Path, options: &[String]) -> Result<bool> {
    let part = options.first().map_or("", String::as_str);
    let rest = options.get(1..).unwrap_or_default();
    match part {
        "native" if rest.is_empty() => native::measure(root),
        "noise" if rest.is_empty() => bench::measure_noise(root),
        "actors" if rest.is_empty() => bench::measure_actors(root),
        "ppct" if rest.is_empty() => bench::measure_ppct(root),
        "mcr" => bench::measure_causality(root, rest),
        "compare" => bench::measure_comparison(root, rest),
        _ => bench::measure(root, options),
    }
}
