//! `unpick predict`: what a recorded execution foretells.

use crate::Status;
use crate::annotation::annotation;
use crate::json::failure_to_json;
use crate::native::{self, PREFIX};
use crate::output::say;
use crate::trust::check_test;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use unpick::analysis::Understanding;
use unpick::report::{FailureReport, PREDICTED, Way, headline};
use unpick::store::Store;
use unpick::trace::Record;
use unpick::{
    Config, FirstFailure, PredictError, Predicted, parse_duration, parse_number, predicted_words,
};
use unpick_suite::find;

/// Which execution to predict from.
#[derive(Args)]
pub(crate) struct PredictArguments {
    /// The id of a trace, or a file
    #[arg(value_name = "REF")]
    reference: String,
    /// Time after which no question is asked any more, as 30s or 5m; what is left then is told
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "60s")]
    pub(crate) time: Duration,
    /// Events that are looked at together, at most; longer traces are looked at in windows of so many, and what takes
    /// an order that reaches beyond one is not found
    #[arg(long, value_name = "N", value_parser = parse_number, default_value = "500")]
    pub(crate) window: u64,
    /// Executions to shrink each failing schedule; 0: leave it as found
    #[arg(long, value_name = "N", value_parser = parse_number, default_value = "2000")]
    pub(crate) shrink: u64,
    /// Run the program that the trace names also if it is none of the project
    #[arg(long)]
    pub(crate) allow_program: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print nothing but failures
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Do not write traces and regression files
    #[arg(long)]
    pub(crate) no_save: bool,
}

pub(crate) fn predict(arguments: &PredictArguments) -> Result<Status> {
    let (path, record) = Store::new("").load(&arguments.reference)?;
    let name = &record.header.program;
    if let Some(program) = name.strip_prefix(PREFIX) {
        return native::predict(program, (&path, &record), arguments);
    }
    match name.strip_prefix("suite:") {
        Some(label) => Session::new(label, &record, arguments).predict(&record),
        None => predict_test(&path, &record, arguments),
    }
}

/// A prediction from a trace of a program of the suite.
struct Session<'a> {
    label: &'a str,
    config: Config,
    arguments: &'a PredictArguments,
}

/// A failure that was looked into.
struct Told {
    failure: FirstFailure,
    known: Option<Understanding>,
    id: Option<String>,
    /// The five lines.
    report: String,
}

impl Told {
    fn to_json(&self) -> Value {
        json!({
            "outcome": self.failure.outcome.word(),
            "trace": self.id,
            "failure": failure_to_json(&self.failure, self.known.as_ref()),
        })
    }
}

impl<'a> Session<'a> {
    fn new(label: &'a str, record: &Record, arguments: &'a PredictArguments) -> Session<'a> {
        let config = Config::new()
            .settings_from(&record.header.settings)
            .time(arguments.time)
            .shrink(arguments.shrink)
            .window(arguments.window as usize);
        Session {
            label,
            config,
            arguments,
        }
    }

    fn predict(&self, record: &Record) -> Result<Status> {
        let Session { label, config, .. } = self;
        let selection = find(label)?;
        let program = move || selection.run();
        let start = Instant::now();
        let predicted = match unpick::predict(config, &program, record.trace.clone()) {
            Ok(predicted) => predicted,
            Err(error @ PredictError::Diverged(_)) => {
                match self.arguments.json {
                    true => say!(
                        "{}",
                        json!({"name": label, "outcome": "diverged", "error": error.to_string()})
                    ),
                    false => say!("DIVERGED  {label}  {error}"),
                }
                return Ok(Status::Diverged);
            }
            Err(error) => return Err(error.into()),
        };
        let elapsed = start.elapsed();
        let failures = predicted.failures.iter().enumerate();
        let failures: Vec<Told> = failures
            .map(|(number, failure)| self.look_into(failure, &program, number == 0))
            .collect();
        match self.arguments.json {
            true => {
                let told = failures.iter().map(Told::to_json).collect();
                say!("{}", to_json(label, &predicted, told, elapsed));
            }
            false => self.print(&predicted, &failures),
        }
        Ok(match (&predicted.recorded, failures.is_empty()) {
            (None, true) => Status::Clean,
            _ => Status::Failed,
        })
    }

    /// Shrinks, explains and keeps a failure. The first one is the regression of the program.
    fn look_into(
        &self,
        found: &FirstFailure,
        program: &(dyn Fn() + Send + Sync),
        is_first: bool,
    ) -> Told {
        let (failure, known) = match unpick::understand(&self.config, program, found) {
            Some((least, known)) => (least, Some(known)),
            None => (found.clone(), None),
        };
        let (id, saved) = self.save(&failure, known.as_ref(), is_first);
        let replay = match &id {
            Some(id) => format!("unpick replay {id}"),
            None => "not possible, since the trace was not saved".to_string(),
        };
        let report = FailureReport {
            name: self.label,
            outcome: &failure.outcome,
            trace: &failure.trace,
            known: known.as_ref(),
            execution: failure.execution,
            executions_max: u64::MAX,
            way: Way::Predicted,
            strategy: PREDICTED,
            member: None,
            seed: 0,
            replay: &replay,
            saved: &saved,
        };
        Told {
            report: report.to_string(),
            failure,
            known,
            id,
        }
    }

    /// The id of the trace that was kept, and the words for where.
    fn save(
        &self,
        failure: &FirstFailure,
        known: Option<&Understanding>,
        is_first: bool,
    ) -> (Option<String>, String) {
        if self.arguments.no_save {
            return (None, "nothing (--no-save)".to_string());
        }
        let name = format!("suite:{}", self.label);
        let mut record = unpick::record(&self.config, &name, failure, known);
        record.header.strategy = PREDICTED.to_string();
        let store = Store::new("");
        let saved = match is_first {
            true => store
                .save(&record)
                .map(|saved| (saved.id, saved.regression)),
            false => store.save_trace(&record),
        };
        match saved {
            Ok((id, path)) => (Some(id), path.display().to_string()),
            Err(error) => {
                if self.arguments.json {
                    eprintln!("warning: the trace was not saved: {error}");
                }
                (None, format!("nothing: {error}"))
            }
        }
    }

    fn print(&self, predicted: &Predicted, failures: &[Told]) {
        let label = self.label;
        for told in failures {
            say!("{}", told.report);
            if let Some(line) = annotation(&told.failure.outcome, &told.report) {
                say!("{line}");
            }
        }
        if let Some(recorded) = &predicted.recorded {
            let words = headline(&recorded.outcome, &recorded.trace);
            say!("FAILED  {label}  the trace itself: {words}");
        }
        if !self.arguments.quiet {
            say!("{label}: {}", predicted_words(predicted));
        }
    }
}

/// What was predicted, as data. `told` are the failures: outcome, trace and all that is known of each.
pub(crate) fn to_json(
    name: &str,
    predicted: &Predicted,
    told: Vec<Value>,
    elapsed: Duration,
) -> Value {
    let recorded = predicted.recorded.as_ref();
    let recorded = recorded.map_or("pass", |failure| failure.outcome.word());
    let first = told.first();
    json!({
        "name": name,
        "strategy": PREDICTED,
        "outcome": first.map_or(recorded.into(), |first| first["outcome"].clone()),
        "recorded": recorded,
        "failures": told.len(),
        "executions": predicted.executions,
        "complete": predicted.is_complete(),
        "questions": predicted.questions,
        "possible": predicted.possible,
        "unknown": predicted.unknown,
        "unasked": predicted.unasked,
        "windows": predicted.windows,
        "windows_left": predicted.windows_left,
        "unconfirmed_races": predicted.unconfirmed_races,
        "unconfirmed_deadlocks": predicted.unconfirmed_deadlocks,
        "elapsed_ms": elapsed.as_millis() as u64,
        "trace": first.map_or(Value::Null, |first| first["trace"].clone()),
        "predicted": told,
    })
}

/// A test predicts by itself.
fn predict_test(path: &Path, record: &Record, arguments: &PredictArguments) -> Result<Status> {
    let name = &record.header.program;
    if arguments.json || arguments.no_save {
        bail!(
            "{name} is a test, which reports by itself: `--json` and `--no-save` are for programs of the suite; \
             leave them out"
        );
    }
    let filter = name.rsplit("::").next().unwrap_or(name);
    let path = std::path::absolute(path).context("cannot tell where the trace is")?;
    eprintln!("UNPICK_PREDICT={} cargo test {filter}", path.display());
    check_test(&[], filter)?;
    let status = Command::new("cargo")
        .args(["test", "--quiet", "--", "--nocapture", filter])
        .env("UNPICK_PREDICT", &path)
        .env("UNPICK_TIME", format!("{}ms", arguments.time.as_millis()))
        .env("UNPICK_SHRINK", arguments.shrink.to_string())
        .env("UNPICK_PREDICT_WINDOW", arguments.window.to_string())
        .stdin(Stdio::null())
        .status()
        .context("cannot run `cargo test`; run the line above in the crate of the test")?;
    Ok(match status.success() {
        true => Status::Clean,
        false => Status::Failed,
    })
}
