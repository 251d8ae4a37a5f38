//! `unpick predict` for native programs.

use super::keep::{Origin, origin_to_run};
use super::present::{Presented, tell_predicted};
use super::refused::refused;
use super::replay::options_of;
use crate::Status;
use crate::options::ExplorationOptions;
use crate::output::say;
use crate::place::project_of;
use crate::predict::{PredictArguments, to_json};
use crate::progress::{is_interrupted, listen};
use anyhow::Result;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use unpick::report::{PREDICTED, headline};
use unpick::trace::Record;
use unpick::{Predicted, predicted_words};
use unpick_native::drive::{self, Command, Explored, Naming, Options, PredictError, Recorded};

/// Predicts from a recorded execution of a native program.
pub(crate) fn predict(
    name: &str,
    (path, record): (&Path, &Record),
    arguments: &PredictArguments,
) -> Result<Status> {
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
    let options = Options {
        shrink: arguments.shrink,
        ..options
    };
    listen();
    let start = Instant::now();
    let goes_on = &mut || start.elapsed() < arguments.time && !is_interrupted();
    let recorded = Recorded {
        trace: &record.trace,
        shared: &shared,
        window: arguments.window as usize,
    };
    let found = drive::predict(&command, &options, recorded, goes_on);
    let elapsed = start.elapsed();
    let foreseen = match found {
        Ok(foreseen) => foreseen,
        Err(PredictError::Diverged(explored)) => {
            return Ok(say_diverged(name, &command, *explored, arguments));
        }
        Err(PredictError::Drive(error)) => {
            let Presented { details, json, .. } = refused(name, &command, error, elapsed)?;
            match arguments.json {
                true => say!("{json}"),
                false => say!("{details}"),
            }
            return Ok(Status::Diverged);
        }
        Err(error @ PredictError::Model(_)) => return Err(error.into()),
    };
    let said = exploration_options(&foreseen.options, arguments);
    let mut told = Vec::new();
    for (number, explored) in foreseen.failing.into_iter().enumerate() {
        let how = (&foreseen.options, &said);
        told.push(tell_predicted(
            (name, &command),
            how,
            explored,
            number == 0,
        )?);
    }
    let told = Told {
        name,
        predicted: foreseen.predicted,
        recorded: foreseen.recorded.and_then(|one| words(&command, one)),
        failures: told,
    };
    Ok(told.say(arguments, elapsed))
}

/// What was foretold, looked into.
struct Told<'a> {
    name: &'a str,
    predicted: Predicted,
    /// How the recorded execution itself fails, if it does.
    recorded: Option<String>,
    failures: Vec<Presented>,
}

impl Told<'_> {
    fn say(mut self, arguments: &PredictArguments, elapsed: Duration) -> Status {
        let name = self.name;
        // One that does not come back is none.
        let is_confirmed = |one: &&Presented| one.status == Status::Failed;
        let confirmed: Vec<&Presented> = self.failures.iter().filter(is_confirmed).collect();
        self.predicted.failures.truncate(confirmed.len());
        let mut status = match (&self.recorded, confirmed.is_empty()) {
            (None, true) => Status::Clean,
            _ => Status::Failed,
        };
        if confirmed.len() < self.failures.len() {
            status = status.max(Status::Diverged);
        }
        if arguments.json {
            let list = confirmed.iter().map(|one| failure_of(one)).collect();
            say!("{}", to_json(name, &self.predicted, list, elapsed));
            return status;
        }
        for one in &self.failures {
            say!("{}", one.details);
            if let Some(line) = &one.annotation {
                say!("{line}");
            }
        }
        if let Some(words) = &self.recorded {
            say!("FAILED  {name}  the trace itself: {words}");
        }
        if !arguments.quiet {
            say!("{name}: {}", predicted_words(&self.predicted));
        }
        status
    }
}

/// A failure as data.
fn failure_of(told: &Presented) -> Value {
    json!({
        "outcome": told.json["outcome"],
        "trace": told.json["trace"],
        "failure": told.json["failure"],
    })
}

/// How an execution ended that was run for its own sake.
fn words(command: &Command, explored: Explored) -> Option<String> {
    let found = explored.exploration;
    let mut end = found.first_failure.or(found.diverged)?;
    let mut naming = Naming::new(&command.program, &explored.modules, &explored.addresses);
    naming.name(&mut end);
    Some(headline(&end.outcome, &end.trace))
}

fn say_diverged(
    name: &str,
    command: &Command,
    explored: Explored,
    arguments: &PredictArguments,
) -> Status {
    let words = words(command, explored).unwrap_or_default();
    match arguments.json {
        true => say!(
            "{}",
            json!({"name": name, "outcome": "diverged", "error": words})
        ),
        false => say!("DIVERGED  {name}  {words}"),
    }
    Status::Diverged
}

/// What there is to say of how it was explored.
fn exploration_options(options: &Options, arguments: &PredictArguments) -> ExplorationOptions {
    let settings = &options.settings;
    ExplorationOptions {
        strategy: PREDICTED.to_string(),
        executions: u64::MAX,
        max_memory: None,
        time: Some(arguments.time),
        steps: settings.steps_max,
        fail_on_limit: settings.fail_on_limit,
        seed: options.seed,
        jobs: 1,
        shard: None,
        keep_going: false,
        spurious_wakes: settings.spurious_wakes_max,
        weak_failures: settings.weak_failures_max,
        max_delay: settings.max_delay_ns.map(Duration::from_nanos),
        no_races: !options.races,
        misuse: settings.misuse,
        memory: settings.memory,
        confirm: 0,
        shrink: arguments.shrink,
        points: None,
        classes: false,
        json: arguments.json,
        quiet: arguments.quiet,
        no_save: arguments.no_save,
        save_trace: false,
    }
}
