//! Measures unpick, shuttle and loom side by side on the same programs.
//!
//! Each measurement takes place in a fresh child process of this very binary, so that tools do not
//! disturb each other. The tools take turns over several rounds, and the best of each counts: a
//! machine can only be slower than it is, never faster. Rates are per second of processor time.

#[path = "peers/measurement.rs"]
mod measurement;
#[path = "peers/programs.rs"]
mod programs;
#[path = "peers/table.rs"]
mod table;
#[path = "peers/tools.rs"]
mod tools;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};

use programs::PROGRAMS;
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
    /// Only programs whose name contains this
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
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.child {
        Some(Child::Measure {
            program,
            tool,
            seconds,
        }) => measure_here(program, tool, *seconds),
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
    let programs: Vec<_> = PROGRAMS
        .iter()
        .filter(|program| program.name.contains(&arguments.program))
        .collect();
    if programs.is_empty() {
        let names: Vec<_> = PROGRAMS.iter().map(|program| program.name).collect();
        bail!(
            "no program contains `{}`; there are {}",
            arguments.program,
            names.join(", ")
        );
    }
    let mut results = Results::new(arguments.rounds, arguments.seconds);
    for round in 1..=arguments.rounds {
        for program in &programs {
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
    print!("{}", results.tables());
    if let Some(path) = &arguments.json {
        std::fs::write(path, results.json())
            .with_context(|| format!("cannot write {}; is it a folder?", path.display()))?;
    }
    Ok(())
}

/// Executions per second of processor time, as told by a fresh process.
fn measure_in_child(program: &str, tool: &str, seconds: f64) -> Result<f64> {
    let this = std::env::current_exe().context("cannot tell where this program is")?;
    let output = Command::new(this)
        .args(["measure", program, tool, &seconds.to_string()])
        .stdin(Stdio::null())
        .output()
        .context("cannot start a child process")?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().find_map(measurement::parse) {
        Some(rate) if output.status.success() => Ok(rate),
        _ => {
            let errors = String::from_utf8_lossy(&output.stderr);
            let last = errors.lines().last().unwrap_or("no message");
            bail!("measured nothing ({}): {last}", output.status)
        }
    }
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
