//! Measures unpick, shuttle and loom side by side on the same programs: how fast they execute, and
//! how much it takes unpick and loom to explore a program completely.
//!
//! Each measurement takes place in a fresh child process of this very binary, so that tools do not
//! disturb each other. The tools take turns over several rounds, and the best of each counts: a
//! machine can only be slower than it is, never faster. Rates are per second of processor time.

#[path = "peers/complete.rs"]
mod complete;
#[path = "peers/measurement.rs"]
mod measurement;
#[path = "peers/on_loom.rs"]
mod on_loom;
#[path = "peers/programs.rs"]
mod programs;
#[path = "peers/table.rs"]
mod table;
#[path = "peers/tools.rs"]
mod tools;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};

use complete::{KERNELS, Kernel, Search, Searches};
use programs::{PROGRAMS, Program};
use table::Results;
use tools::TOOLS;

#[derive(Parser)]
#[command(name = "cargo xtask bench")]
struct Arguments {
    /// How often each measurement is repeated
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Processor time of one measurement
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Wall-clock time after which a complete exploration is given up
    #[arg(long, default_value_t = 60.0)]
    limit: f64,
    /// Only programs and kernels whose name contains this
    #[arg(long, default_value = "")]
    program: String,
    /// Also write the numbers to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Cargo adds this when it means to measure, and leaves it out when it only tests
    #[arg(long, hide = true)]
    bench: bool,
    #[command(subcommand)]
    child: Option<Child>,
}

#[derive(Subcommand)]
enum Child {
    /// One measurement, in this process
    #[command(hide = true)]
    Measure {
        program: String,
        tool: String,
        seconds: f64,
    },
    /// One complete exploration, in this process
    #[command(hide = true)]
    Complete {
        kernel: String,
        tool: String,
        limit: f64,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.child {
        Some(Child::Measure {
            program,
            tool,
            seconds,
        }) => measure_here(program, tool, *seconds),
        Some(Child::Complete {
            kernel,
            tool,
            limit,
        }) => explore_here(kernel, tool, *limit),
        None if arguments.bench => measure_all(&arguments),
        None => {
            println!("nothing measured; use `cargo xtask bench`");
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure_all(arguments: &Arguments) -> Result<()> {
    let is_wanted = |name: &str| name.contains(&arguments.program);
    let programs: Vec<_> = PROGRAMS.iter().filter(|one| is_wanted(one.name)).collect();
    let kernels: Vec<_> = KERNELS.iter().filter(|one| is_wanted(one.name)).collect();
    if programs.is_empty() && kernels.is_empty() {
        let programs = PROGRAMS.iter().map(|program| program.name);
        let names: Vec<_> = programs.chain(KERNELS.iter().map(|one| one.name)).collect();
        bail!(
            "no program contains `{}`; there are {}",
            arguments.program,
            names.join(", ")
        );
    }
    let results = measure_rates(&programs, arguments);
    if !programs.is_empty() {
        println!("{}", results.tables());
    }
    let searches = explore_kernels(&kernels, arguments);
    if !kernels.is_empty() {
        print!("{}", searches.table());
    }
    if let Some(path) = &arguments.json {
        std::fs::write(path, results.json(&searches))
            .with_context(|| format!("cannot write {}; is it a folder?", path.display()))?;
    }
    Ok(())
}

fn measure_rates(programs: &[&'static Program], arguments: &Arguments) -> Results {
    let mut results = Results::new(arguments.rounds, arguments.seconds);
    for round in 1..=arguments.rounds {
        for program in programs {
            eprintln!("round {round} of {}: {}", arguments.rounds, program.name);
            for tool in TOOLS {
                match measure_in_child(program.name, tool.name, arguments.seconds) {
                    Ok(rate) => results.add(program, tool, rate),
                    Err(error) => {
                        eprintln!("{} on {}: {error:#}", tool.name, program.name);
                        results.add(program, tool, 0.0);
                    }
                }
            }
        }
    }
    results
}

/// Each search takes turns with the others as often as there are rounds, unless it has no end.
fn explore_kernels(kernels: &[&'static Kernel], arguments: &Arguments) -> Searches {
    let mut searches = Searches::default();
    for kernel in kernels {
        let mut tools: Vec<_> = complete::tools().collect();
        for round in 1..=arguments.rounds {
            eprintln!("round {round} of {}: {}", arguments.rounds, kernel.name);
            tools.retain(|tool| {
                let search = match explore_in_child(kernel.name, tool, arguments.limit) {
                    Ok(search) => Some(search),
                    Err(error) => {
                        eprintln!("{tool} on {}: {error:#}", kernel.name);
                        None
                    }
                };
                searches.add(kernel.name, tool, search);
                search.is_some_and(|search| search.is_complete)
            });
        }
    }
    searches
}

/// Executions per second of processor time, as told by a fresh process.
fn measure_in_child(program: &str, tool: &str, seconds: f64) -> Result<f64> {
    ask_child(
        &["measure", program, tool, &seconds.to_string()],
        measurement::parse,
    )
}

/// A complete exploration, as told by a fresh process.
fn explore_in_child(kernel: &str, tool: &str, limit: f64) -> Result<Search> {
    ask_child(
        &["complete", kernel, tool, &limit.to_string()],
        Search::parse,
    )
}

/// The first line of a fresh process's output that means something.
fn ask_child<T>(arguments: &[&str], parse: fn(&str) -> Option<T>) -> Result<T> {
    let this = std::env::current_exe().context("cannot tell where this program is")?;
    let output = Command::new(this)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .context("cannot start a child process")?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().find_map(parse) {
        Some(answer) if output.status.success() => Ok(answer),
        _ => {
            let errors = String::from_utf8_lossy(&output.stderr);
            let last = errors.lines().last().unwrap_or("no message");
            bail!("measured nothing ({}): {last}", output.status)
        }
    }
}

fn explore_here(kernel: &str, tool: &str, limit: f64) -> Result<()> {
    let limit = Duration::try_from_secs_f64(limit).context("the limit is no time; give seconds")?;
    let search = complete::explore(kernel, tool, limit)?;
    println!("{}", search.line());
    Ok(())
}

fn measure_here(program: &str, tool: &str, seconds: f64) -> Result<()> {
    let program = PROGRAMS.iter().find(|other| other.name == program);
    let program = program.context("no such program; see the list in programs.rs")?;
    let tool = TOOLS.iter().find(|other| other.name == tool);
    let tool = tool.context("no such tool; see the list in tools.rs")?;
    measurement::begin(seconds);
    // A search may come to its end before the time does: then it starts again.
    loop {
        let count_before = measurement::finished_count();
        (tool.explore)(program);
        if measurement::finished_count() == count_before {
            bail!("the tool came back without a finished execution; see its own message");
        }
    }
}
