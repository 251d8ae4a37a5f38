//! `unpick suite`: benchmark programs with known answers.

mod list;

use crate::Status;
use crate::annotation::annotation;
use crate::found;
use crate::json::{Line, failure_to_json, group_to_json};
use crate::junit::{Case, Report};
use crate::options::{ExplorationArguments, ExplorationOptions};
use crate::output::say;
use crate::progress::{Progress, listen};
use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use unpick::analysis::Understanding;
use unpick::progress::{Seen, UNDERSTANDING, ending, estimate_of, histories};
use unpick::report::{FailureReport, Way, count, count_line, headline, more_line, thousands};
use unpick::store::{Interim, Store};
use unpick::{Config, Control, Exploration, FirstFailure, StopReason};
use unpick_suite::{Selection, find};

/// What to do with the suite.
#[derive(Subcommand)]
pub(crate) enum SuiteCommand {
    /// List the programs, with their parameters and faults
    List(list::ListArguments),
    /// Explore programs of the suite
    Run(Box<RunArguments>),
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
        SuiteCommand::List(arguments) => Ok(list::list(&arguments)),
        SuiteCommand::Run(arguments) => run_programs(&arguments),
    }
}

fn run_programs(arguments: &RunArguments) -> Result<Status> {
    let mut programs = Vec::new();
    for name in &arguments.names {
        let selection = find(name)?;
        let options = arguments.options.options(&selection.label)?;
        programs.push((selection, options.config()?, options));
    }
    listen();
    let mut report = arguments.options.report()?;
    let mut status = Status::Clean;
    for (selection, config, options) in programs {
        let session = Session {
            config: &config,
            options: &options,
        };
        let end = session.run(selection, report.as_mut())?;
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

/// How to explore a program.
struct Session<'a> {
    config: &'a Config,
    options: &'a ExplorationOptions,
}

/// What came of a program.
struct Explored {
    label: String,
    found: Exploration,
    /// The first failure, and those that are others, if the exploration goes on.
    failures: Vec<Told>,
    elapsed: Duration,
    /// The id of the trace of the first execution, if nothing fails and it was asked for.
    passing: Option<String>,
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
        failure_to_json(&self.failure, self.known.as_ref())
    }
}

impl Session<'_> {
    fn run(&self, selection: Selection, junit: Option<&mut Report>) -> Result<End> {
        let explored = self.explore(selection);
        let found = &explored.found;
        let status = status_of(found);
        let details = self.details(&explored);
        if self.options.json {
            say!("{}", self.to_json(&explored));
        } else {
            if !details.is_empty() {
                say!("{details}");
            }
            for told in &explored.failures {
                if let Some(line) = annotation(&told.failure.outcome, &told.report) {
                    say!("{line}");
                }
            }
            if !self.options.quiet {
                self.print_numbers(&explored);
            }
        }
        found::settle();
        if let Some(junit) = junit {
            let object = self.to_json(&explored);
            junit.add(Case::new("unpick suite", status, &object, &details))?;
        }
        Ok(End {
            status,
            is_interrupted: found.stopped_because == StopReason::Interrupted,
        })
    }

    fn explore(&self, selection: Selection) -> Explored {
        let Session {
            config, options, ..
        } = self;
        let label = selection.label.clone();
        let progress = Progress::new(&label, options.budget(), options.quiet || options.json);
        let start = Instant::now();
        let program = move || selection.run();
        let observer = |found: &Exploration| match progress.observe(Seen::from(found)) {
            true => Control::Continue,
            false => Control::Stop(StopReason::Interrupted),
        };
        let mut found = unpick::explore_observed(config, &program, &observer);
        let elapsed = start.elapsed();
        let groups = found.groups.list().iter().map(|group| &group.first);
        let mut firsts: Vec<FirstFailure> = groups.cloned().collect();
        if firsts.is_empty() {
            firsts.extend(found.first_failure.as_deref().cloned());
        }
        let mut failures = Vec::new();
        for failure in firsts {
            progress.say(UNDERSTANDING);
            let is_first = failures.is_empty();
            failures.push(self.look_into(failure, &label, &program, is_first));
        }
        if let (Some(failure), Some(told)) = (&mut found.first_failure, failures.first()) {
            **failure = told.failure.clone();
        }
        let is_saved = self.options.save_trace && found.is_clean() && found.executions > 0;
        let passing = is_saved.then(|| self.save_passing(&label, &program));
        progress.finish();
        Explored {
            label,
            found,
            failures,
            elapsed,
            passing: passing.flatten(),
        }
    }

    /// Keeps the first execution, which passes, and gives its id.
    fn save_passing(&self, label: &str, program: &(dyn Fn() + Send + Sync)) -> Option<String> {
        let execution = unpick::first_execution(self.config, program);
        let name = format!("suite:{label}");
        let record = unpick::record(self.config, &name, &execution, None);
        match Store::new("").save_trace(&record) {
            Ok((id, _)) => Some(id),
            Err(error) => {
                eprintln!("warning: the trace was not saved: {error}");
                None
            }
        }
    }

    /// Keeps a failure as it was found, and notes it for a command that comes to report nothing else.
    fn keep(&self, failure: &FirstFailure, label: &str) -> Option<Interim> {
        let words = headline(&failure.outcome, &failure.trace);
        found::note(format!("FAILED  {label}  {words}"));
        if self.options.no_save {
            return None;
        }
        let record = unpick::record(self.config, &format!("suite:{label}"), failure, None);
        // What cannot be written now cannot be written later, which is reported then.
        Store::new("").save_interim(&record).ok()
    }

    /// Shrinks, explains and keeps a failure. The first one is the regression of the program.
    fn look_into(
        &self,
        found: FirstFailure,
        label: &str,
        program: &(dyn Fn() + Send + Sync),
        is_first: bool,
    ) -> Told {
        let interim = self.keep(&found, label);
        let (failure, known) = match unpick::understand(self.config, program, &found) {
            Some((least, known)) => (least, Some(known)),
            None => (found, None),
        };
        let mut saved = save(
            self.config,
            label,
            &failure,
            known.as_ref(),
            self.options,
            is_first,
        );
        match (interim, &saved.trace) {
            (Some(interim), Some(trace)) => interim.give_way_to(trace),
            (Some(interim), None) => saved.leave(&interim),
            (None, _) => {}
        }
        Told {
            report: report(label, &failure, known.as_ref(), self.options, &saved),
            failure,
            known,
            id: saved.id,
        }
    }

    fn to_json(&self, explored: &Explored) -> Value {
        let options = self.options;
        let first = explored.failures.first();
        let groups = explored.found.groups.list().iter().zip(&explored.failures);
        let groups: Vec<Value> = groups
            .map(|(group, told)| group_to_json(group, json!(told.id), told.to_json()))
            .collect();
        let line = Line {
            name: explored.label.clone(),
            strategy: options.strategy.clone(),
            seed: options.seed,
            elapsed_ms: explored.elapsed.as_millis() as u64,
            trace: first.map_or(explored.passing.clone(), |told| told.id.clone()),
            failure: first.map_or(Value::Null, Told::to_json),
            groups: match groups.is_empty() {
                true => Value::Null,
                false => Value::Array(groups),
            },
            shard: options.shard,
            options: options.text(),
            outcome: None,
        };
        line.to_json(&explored.found)
    }

    /// The failure, the divergence, warnings. May be empty.
    fn details(&self, explored: &Explored) -> String {
        let Explored { label, found, .. } = explored;
        let mut lines = Vec::new();
        let groups = found.groups.list().iter();
        let counts: Vec<u64> = groups.map(|group| group.count).collect();
        for (number, told) in explored.failures.iter().enumerate() {
            lines.push(told.report.clone());
            let count = counts.get(number);
            lines.extend(count.map(|&count| count_line(count, found.failures)));
        }
        lines.extend(more_line(label, &counts, found.failures));
        if let Some(diverged) = &found.diverged {
            let words = headline(&diverged.outcome, &diverged.trace);
            lines.push(format!("DIVERGED  {label}  {words}"));
        }
        for warning in &found.warnings {
            lines.push(format!("WARNING  {label}  {}", warning.text));
        }
        lines.join("\n")
    }

    fn print_numbers(&self, explored: &Explored) {
        let Explored { label, found, .. } = explored;
        say!("{}", summary(label, found, self.options, explored.elapsed));
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
        if let Some(planning) = &found.planning {
            say!(
                "  states that reads can tell apart: {}; questions: {}, yes {}, no {}; seeds: {}; analysis: {:.3} s",
                found.read_states().map_or("not counted".into(), thousands),
                thousands(planning.queries),
                thousands(planning.sat),
                thousands(planning.unsat),
                thousands(planning.seeds),
                planning.nanoseconds as f64 / 1e9
            );
        }
        if let Some(id) = &explored.passing {
            say!("  saved the first execution; what it foretells: unpick predict {id}");
        }
        if let Some(chance) = self.config.guarantee(found) {
            say!("  an execution finds a bug of that depth with probability at least {chance:.2e}");
        }
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
    trace: Option<PathBuf>,
    text: String,
}

impl SaveResult {
    /// What was kept at once stays, since nothing better could be kept.
    fn leave(&mut self, interim: &Interim) {
        let path = interim.path().display();
        self.text = format!("{path}, as it was found; {}", self.text);
        self.id = Some(interim.id());
    }
}

fn save(
    config: &Config,
    label: &str,
    failure: &FirstFailure,
    known: Option<&Understanding>,
    options: &ExplorationOptions,
    is_regression: bool,
) -> SaveResult {
    if options.no_save {
        return SaveResult {
            id: None,
            trace: None,
            text: "nothing (--no-save)".to_string(),
        };
    }
    let record = unpick::record(config, &format!("suite:{label}"), failure, known);
    let store = Store::new("");
    let saved = match is_regression {
        true => store
            .save(&record)
            .map(|saved| (saved.id, saved.trace, saved.regression)),
        false => store
            .save_trace(&record)
            .map(|(id, path)| (id, path.clone(), path)),
    };
    match saved {
        Ok((id, trace, path)) => SaveResult {
            text: path.display().to_string(),
            id: Some(id),
            trace: Some(trace),
        },
        Err(error) => {
            if options.json {
                eprintln!("warning: the trace was not saved: {error}");
            }
            SaveResult {
                id: None,
                trace: None,
                text: format!("nothing: {error}"),
            }
        }
    }
}

/// The five lines.
fn report(
    label: &str,
    failure: &FirstFailure,
    known: Option<&Understanding>,
    options: &ExplorationOptions,
    saved: &SaveResult,
) -> String {
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
    report.to_string()
}

pub(crate) fn summary(
    label: &str,
    found: &Exploration,
    options: &ExplorationOptions,
    elapsed: Duration,
) -> String {
    let bound = match found.bounds.last() {
        Some(last) => format!(", bound {} ({} new)", last.bound, thousands(last.schedules)),
        None => String::new(),
    };
    let shard = match options.shard {
        Some(shard) => format!(" (shard {shard})"),
        None => String::new(),
    };
    let coverage = match found.covered() {
        Some(covered) => {
            let estimate = estimate_of(&covered, options.is_randomised());
            let estimate = estimate.filter(|_| !found.complete);
            let estimate = estimate.map_or(String::new(), |words| format!(" ({words})"));
            format!(", {}{estimate}", histories(&covered))
        }
        None => String::new(),
    };
    let rate = found.executions as f64 / elapsed.as_secs_f64().max(1e-9);
    format!(
        "{label}{shard}: {}, {} failing{coverage}{bound}; {}; {} executions/s",
        count(found.executions, "execution"),
        thousands(found.failures),
        ending(found),
        thousands(rate as u64),
    )
}
