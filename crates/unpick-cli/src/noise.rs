//! `unpick noise`: free executions of a native program, disturbed on purpose.

mod batch;
mod compare;
mod keep;
mod list;
mod pin;
mod record;
mod report;
mod run;
mod search;

use crate::Status;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use unpick::{parse_duration, parse_number};
use unpick_native::drive::Command;
use unpick_native::free::{Expectation, Setup};
use unpick_native::install::runtime_library;
use unpick_native::program::Program;
use unpick_noise::{Category, Decay, Distribution, Placements, Plan, Strength, Type, Variables};

/// What to do with noise.
#[derive(Subcommand)]
pub(crate) enum NoiseCommand {
    /// Run a program many times, with noise and without, and compare how often it fails
    ///
    /// Nothing is controlled: threads are real threads, and a failure is not repeated by its seed. --pin
    /// looks for a schedule under control that fails in the same way, which can be replayed. --save-trace keeps
    /// one that passes for `unpick predict`.
    Run(run::RunArguments),
    /// List where noise may fire and of which types it may be; with a program, how often it comes there
    List(list::ListArguments),
    /// Compare the interleavings of recorded executions: distinct ones, mean and deviation of a metric
    Compare(compare::CompareArguments),
    /// Show again what a recorded `unpick noise run` came to
    Report(report::ReportArguments),
    /// Look for the noise that shows most: new interleavings, and failures
    Search(search::SearchArguments),
}

pub(crate) fn noise(command: &NoiseCommand) -> Result<Status> {
    match command {
        NoiseCommand::Run(arguments) => run::run(arguments),
        NoiseCommand::List(arguments) => list::list(arguments),
        NoiseCommand::Compare(arguments) => compare::compare(arguments),
        NoiseCommand::Report(arguments) => report::report(arguments),
        NoiseCommand::Search(arguments) => search::search(arguments),
    }
}

macro_rules! names {
    ($name:ident for $kind:ident { $($variant:ident $meaning:literal),* $(,)? }) => {
        /// By name on the command line.
        #[derive(Clone, Copy, Debug, ValueEnum)]
        enum $name { $(#[doc = $meaning] $variant),* }

        impl From<$name> for $kind {
            fn from(name: $name) -> $kind {
                match name { $($name::$variant => $kind::$variant),* }
            }
        }
    };
}

names! { TypeName for Type {
    Sleep "The thread sleeps",
    Yield "The thread yields, so often",
    Busy "The thread keeps its processor busy",
    Wait "The thread waits until noise fires in another one, but not for longer",
    Mixed "Sleep, yield, busy or wait, drawn anew each time",
    Halt "One thread stops until no other has come to a placement for so long",
    Alone "All other threads stop at their next placement for so long",
    Priority "The thread gets a random nice value",
} }
names! { DistributionName for Distribution {
    Uniform "All strengths are as likely",
    Ends "One end of the interval or the other",
    Weak "Mostly weak, now and then strong",
} }
names! { DecayName for Decay {
    None "Not at all",
    Harmonic "The k-th time, from 0, divided by k + 1",
    Halving "Halved each time",
} }
names! { VariablesName for Variables {
    Shared "What two threads have touched, one of them writing",
    Dependent "Of these, reads, and writes just after a read of shared memory",
    Aimed "At places that earlier executions have seen to conflict (see --learn)",
    All "Everything",
} }

/// Where noise may fire, and how.
#[derive(Args, Clone, Debug)]
pub(crate) struct PlanArguments {
    /// Where noise may fire: categories, operations or single placements, as
    /// locks,join,before-store; NAME=TYPE gives a placement a type of its own. `unpick noise list`
    /// shows all. Nothing is active by itself
    #[arg(long, value_name = "PLACEMENT,…")]
    at: Vec<String>,
    /// How a thread is held up
    #[arg(
        long = "type",
        value_enum,
        value_name = "TYPE",
        default_value = "sleep"
    )]
    kind: TypeName,
    /// How strongly, from A to B: milliseconds (or 50us..2ms), repetitions of a yield, nice values
    /// [default: 1..10; 0..19 for priority]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    strength: Option<String>,
    /// How likely noise fires each time a placement is reached
    #[arg(
        long,
        value_name = "P",
        default_value_t = 1.0,
        allow_negative_numbers = true
    )]
    probability: f64,
    /// How strengths are spread over their interval
    #[arg(long, value_enum, value_name = "HOW", default_value = "uniform")]
    distribution: DistributionName,
    /// How the probability falls with how often a thread has come to the same place
    #[arg(long, value_enum, value_name = "HOW", default_value = "none")]
    decay: DecayName,
    /// Which plain accesses of memory count
    #[arg(long, value_enum, value_name = "WHICH", default_value = "shared")]
    variables: VariablesName,
}

impl PlanArguments {
    /// Whether nothing was said about where.
    fn is_nowhere(&self) -> bool {
        self.at.is_empty()
    }

    fn plan(&self) -> Result<Plan> {
        let kind = Type::from(self.kind);
        let mut plan = Plan {
            kind,
            probability: self.probability,
            distribution: self.distribution.into(),
            decay: self.decay.into(),
            variables: self.variables.into(),
            ..Plan::default()
        };
        for names in &self.at {
            plan.add(names)?;
        }
        let strength = self.strength.as_deref();
        plan.strength = strength
            .map(|text| Strength::parse(text, kind))
            .transpose()?;
        plan.check()?;
        Ok(plan)
    }
}

/// Which program, and what it must do.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProgramArguments {
    /// How long one execution may take; then it is ended, and where its threads are is told
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    timeout: Duration,
    /// Seed of the random numbers of the noise; what the system does is not repeated by it
    #[arg(long, value_name = "SEED", value_parser = parse_number, default_value = "0x5eed")]
    seed: u64,
    /// The exit code of an execution that passes
    #[arg(long, value_name = "CODE", default_value_t = 0)]
    expect_exit: i32,
    /// A file with the standard output of an execution that passes
    #[arg(long, value_name = "FILE")]
    expect_output: Option<PathBuf>,
    /// Every execution must print what the first one without noise has printed
    #[arg(long, conflicts_with = "expect_output")]
    same_output: bool,
    /// Words in the output of an execution that fails; may be given several times
    #[arg(long, value_name = "TEXT")]
    fail_on: Vec<String>,
    /// Entries of the trace of one thread, at most
    #[arg(long, value_name = "N", value_parser = parse_number, default_value = "65536")]
    events: u64,
    /// Name under which results are kept; that of the program by default
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print nothing but failures
    #[arg(long)]
    quiet: bool,
    /// Do not write what came of it
    #[arg(long)]
    no_save: bool,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// A program that was found.
struct Subject {
    name: String,
    command: Command,
    is_instrumented: bool,
}

impl ProgramArguments {
    fn subject(&self) -> Result<Subject> {
        subject(&self.program, self.name.as_deref())
    }

    fn setup(&self) -> Setup {
        Setup {
            events_max: u32::try_from(self.events)
                .unwrap_or(u32::MAX)
                .clamp(1, 1 << 24),
            time_max: self.timeout,
            ..Setup::default()
        }
    }

    fn expectation(&self) -> Result<Expectation> {
        let read = |path: &PathBuf| {
            std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
        };
        Ok(Expectation {
            code: self.expect_exit,
            output: self.expect_output.as_ref().map(read).transpose()?,
            fails_on: self.fail_on.clone(),
        })
    }

    fn is_silent(&self) -> bool {
        self.json || self.quiet
    }
}

/// Finds a program.
fn subject(words: &[OsString], name: Option<&str>) -> Result<Subject> {
    let program = Program::find(&words[0])?;
    let file = program.path.file_name().unwrap_or_default();
    let name = name.map_or_else(|| file.to_string_lossy().into_owned(), String::from);
    Ok(Subject {
        name,
        command: Command {
            program: std::path::absolute(&program.path)?,
            arguments: words[1..].to_vec(),
            environment: Default::default(),
            directory: None,
            runtime: runtime_library()?,
        },
        is_instrumented: program.is_instrumented,
    })
}

impl Subject {
    /// Refuses placements that this program never tells of; warns of some of them.
    fn check(&self, placements: Placements, is_silent: bool) -> Result<()> {
        if self.is_instrumented {
            return Ok(());
        }
        let is_unseen =
            |category: &Category| matches!(category, Category::Atomic | Category::Memory);
        let categories: Vec<Category> = placements
            .iter()
            .map(|placement| placement.operation.category())
            .collect();
        let path = self.command.program.display();
        if categories.iter().all(is_unseen) {
            bail!(
                "`{path}` is not instrumented, so that its atomics and plain accesses are not seen and no \
                 placement would be active; build it with `unpick cc`, `unpick c++` or `cargo unpick`, or \
                 choose others"
            );
        }
        if categories.iter().any(is_unseen) && !is_silent {
            eprintln!(
                "warning: `{path}` is not instrumented: its atomics and plain accesses are not seen, and there \
                 is no noise at them"
            );
        }
        Ok(())
    }
}
