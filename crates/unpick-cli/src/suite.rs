//! `unpick suite`: benchmark programs with known answers.

use crate::Status;
use crate::json::{Line, failure_to_json};
use crate::options::{ExplorationArguments, ExplorationOptions};
use crate::output::say;
use crate::progress::{Progress, listen};
use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use unpick::analysis::Understanding;
use unpick::report::{FailureReport, Way, headline, thousands};
use unpick::store::Store;
use unpick::{Config, Exploration, FirstFailure, Shard, StopReason};
use unpick_suite::{Selection, find, programs};

/// What to do with the suite.
#[derive(Subcommand)]
pub(crate) enum SuiteCommand {
    /// List the programs, with their parameters and faults
    List {
        /// Only programs whose name contains this
        #[arg(default_value = "")]
        part: String,
        /// Print one JSON object a program, one a line
        #[arg(long)]
        json: bool,
    },
    /// Explore programs of the suite
    Run(RunArguments),
}

/// Which programs to explore, and how.
#[derive(Args)]
pub(crate) struct RunArguments {
    /// Programs, as NAME[:key=value,…]; case does not matter
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    options: ExplorationArguments,
}

pub(crate) fn run(command: SuiteCommand) -> Result<Status> {
    match command {
        SuiteCommand::List { part, json } => Ok(list(&part, json)),
        SuiteCommand::Run(arguments) => run_programs(&arguments),
    }
}

fn list(part: &str, as_json: bool) -> Status {
    let part = part.to_lowercase();
    let mut status = Status::NothingRan;
    for program in programs() {
        if !program.name.to_lowercase().contains(&part) {
            continue;
        }
        status = Status::Clean;
        let parameters: Vec<String> = program
            .parameters
            .iter()
            .map(|parameter| format!("{}={}", parameter.name, parameter.default))
            .collect();
        if as_json {
            let object = json!({
                "name": program.name,
                "summary": program.summary,
                "parameters": parameters,
                "fault": program.fault,
                "published": program.published.is_some(),
            });
            say!("{object}");
        } else {
            let parameters = match parameters.is_empty() {
                true => String::new(),
                false => format!("  [{}]", parameters.join(", ")),
            };
            say!("{:<26} {}{parameters}", program.name, program.summary);
        }
    }
    if status == Status::NothingRan {
        eprintln!("no program's name contains `{part}`");
    }
    status
}

fn run_programs(arguments: &RunArguments) -> Result<Status> {
    let mut programs = Vec::new();
    for name in &arguments.names {
        let selection = find(name)?;
        let options = arguments.options.options(&selection.label)?;
        programs.push((selection, options.config()?, options));
    }
    listen();
    let mut status = Status::Clean;
    for (selection, config, options) in programs {
        let end = run_program(selection, &config, &options);
        status = status.max(end.status);
        if end.is_interrupted {
            break;
        }
    }
    Ok(status)
}

struct End {
    status: Status,
    is_interrupted: bool,
}

fn run_program(selection: Selection, config: &Config, options: &ExplorationOptions) -> End {
    let label = selection.label.clone();
    let progress = Progress::new(&label, options.executions, options.quiet || options.json);
    let start = Instant::now();
    let program = move || selection.run();
    let mut found = unpick::explore_observed(config, &program, &|found| progress.observe(found));
    let elapsed = start.elapsed();
    progress.finish();
    let mut known = None;
    if let Some(failure) = &mut found.first_failure
        && let Some((least, more)) = unpick::understand(config, &program, failure)
    {
        **failure = least;
        known = Some(more);
    }
    let saved = found
        .first_failure
        .as_ref()
        .map(|failure| save(config, &label, failure, known.as_ref(), options));
    if options.json {
        let reference = saved.as_ref().and_then(|saved| saved.id.clone());
        let line = Line {
            name: label.clone(),
            strategy: options.strategy.clone(),
            seed: options.seed,
            elapsed_ms: elapsed.as_millis() as u64,
            trace: reference,
            failure: found.first_failure.as_ref().map_or(Value::Null, |failure| {
                failure_to_json(failure, known.as_ref())
            }),
            shard: options.shard,
            options: options.text(),
            outcome: None,
        };
        say!("{}", line.to_json(&found));
    } else {
        let guarantee = config.guarantee(&found);
        if let (Some(failure), Some(saved)) = (&found.first_failure, &saved) {
            print_failure(&label, failure, known.as_ref(), options, saved);
        }
        print_text(&label, &found, options, elapsed, guarantee);
    }
    End {
        status: status_of(&found),
        is_interrupted: found.stopped_because == StopReason::Interrupted,
    }
}

pub(crate) fn status_of(found: &Exploration) -> Status {
    if found.failures > 0 {
        Status::Failed
    } else if found.diverged.is_some() {
        Status::Diverged
    } else if found.executions == 0 && found.shard.is_none() {
        Status::NothingRan
    } else {
        Status::Clean
    }
}

struct SaveResult {
    id: Option<String>,
    text: String,
}

fn save(
    config: &Config,
    label: &str,
    failure: &FirstFailure,
    known: Option<&Understanding>,
    options: &ExplorationOptions,
) -> SaveResult {
    if options.no_save {
        return SaveResult {
            id: None,
            text: "nothing (--no-save)".to_string(),
        };
    }
    let record = unpick::record(config, &format!("suite:{label}"), failure, known);
    match Store::new("").save(&record) {
        Ok(saved) => SaveResult {
            text: saved.regression.display().to_string(),
            id: Some(saved.id),
        },
        Err(error) => {
            if options.json {
                eprintln!("warning: the trace was not saved: {error}");
            }
            SaveResult {
                id: None,
                text: format!("nothing: {error}"),
            }
        }
    }
}

fn print_failure(
    label: &str,
    failure: &FirstFailure,
    known: Option<&Understanding>,
    options: &ExplorationOptions,
    saved: &SaveResult,
) {
    let replay = match &saved.id {
        Some(id) => format!("unpick replay {id}"),
        None => "not possible, since the trace was not saved".to_string(),
    };
    let report = FailureReport {
        name: label,
        outcome: &failure.outcome,
        trace: &failure.trace,
        known,
        execution: failure.execution,
        executions_max: options.executions,
        way: Way::of(failure.is_directed),
        strategy: &options.strategy,
        member: failure.member.as_deref(),
        seed: options.seed,
        replay: &replay,
        saved: &saved.text,
    };
    say!("{report}");
}

fn print_text(
    label: &str,
    found: &Exploration,
    options: &ExplorationOptions,
    elapsed: Duration,
    guarantee: Option<f64>,
) {
    if let Some(diverged) = &found.diverged {
        say!(
            "DIVERGED  {label}  {}",
            headline(&diverged.outcome, &diverged.trace)
        );
    }
    for warning in &found.warnings {
        say!("WARNING  {label}  {}", warning.text);
    }
    if !options.quiet {
        say!("{}", summary(label, found, options.shard, elapsed));
        if let (Some(hbrs), Some(lazy_hbrs), Some(states)) =
            (found.hbrs(), found.lazy_hbrs(), found.states())
        {
            say!(
                "  schedules: {}, happens-before relations: {}, lazy ones: {}, states: {}",
                thousands(found.schedules),
                thousands(hbrs),
                thousands(lazy_hbrs),
                thousands(states)
            );
        }
        if let Some(chance) = guarantee {
            say!("  an execution finds a bug of that depth with probability at least {chance:.2e}");
        }
    }
}

pub(crate) fn summary(
    label: &str,
    found: &Exploration,
    shard: Option<Shard>,
    elapsed: Duration,
) -> String {
    let reason = match found.stopped_because {
        StopReason::Exhausted => "complete",
        StopReason::Strategy => "ended by the strategy's own rule",
        StopReason::Failure => "stopped at the first failure",
        StopReason::Executions => "all allowed executions run",
        StopReason::Time => "time is over",
        StopReason::Interrupted => "interrupted",
        StopReason::Diverged => "stopped at a divergence",
    };
    let bound = match found.bounds.last() {
        Some(last) => format!(", bound {} ({} new)", last.bound, thousands(last.schedules)),
        None => String::new(),
    };
    let shard = match shard {
        Some(shard) => format!(" (shard {shard})"),
        None => String::new(),
    };
    let rate = found.executions as f64 / elapsed.as_secs_f64().max(1e-9);
    format!(
        "{label}{shard}: {} executions, {} failing{bound}; {reason}; {} executions/s",
        thousands(found.executions),
        thousands(found.failures),
        thousands(rate as u64),
    )
}
