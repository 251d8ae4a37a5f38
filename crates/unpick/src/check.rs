//! Explorations that report: what tests call.

use crate::cargo::{cargo_options, cargo_words};
use crate::config::project_directory;
use crate::found::Kept;
use crate::progress::{Budget, Live, UNDERSTANDING, ending};
use crate::{
    Config, Exploration, FirstFailure, explore_observed, first_execution, near, predict,
    predicted_words, replay, understand,
};
use std::path::Path;
use std::sync::OnceLock;
use unpick_analysis::Understanding;
use unpick_engine::Control;
use unpick_report::{
    FailureReport, NEAR, PREDICTED, Timeline, Way, changed, count, count_line, fixed, headline,
    more_line, note_explanation, schedule,
};
use unpick_store::{Interim, Saved, Store, StoreError};
use unpick_trace::{Header, Record, same_failure};

/// The variables that name a trace of a test to run again, or to predict from, and the one that asks for one.
const REPLAY: &str = "UNPICK_REPLAY";
const PREDICT: &str = "UNPICK_PREDICT";
/// Events of a trace that are looked at together, for predictions.
const PREDICT_WINDOW: &str = "UNPICK_PREDICT_WINDOW";
const SAVE_TRACE: &str = "UNPICK_SAVE_TRACE";

/// Explores `program` as `unpick.toml` and the environment say ([`Config::with_environment`]), and panics
/// with a report if it fails.
#[track_caller]
pub fn check<F: Fn() + Send + Sync + 'static>(program: F) {
    check_with(Config::default().with_environment(), program);
}

/// Explores `program` and panics with a report if it fails.
///
/// The failure that was found last time is tried first. With `UNPICK_REPLAY` set to the id or file
/// of a trace of this program, only that schedule is run; with `UNPICK_PREDICT`, what it foretells. If
/// `UNPICK_SAVE_TRACE` is set and nothing fails, the first execution is kept as a trace.
#[track_caller]
pub fn check_with<F: Fn() + Send + Sync + 'static>(config: Config, program: F) {
    let name = config.program_name();
    let key = config.regression_key();
    let store = Store::new(project_directory());
    if let Some(record) = requested(REPLAY, &store, [&key, &name]) {
        return replay_only(&config, &program, &name, record);
    }
    let session = Session {
        config: &config,
        store: &store,
        name: &name,
        key: &key,
    };
    if let Some(record) = requested(PREDICT, &store, [&key, &name]) {
        return session.predict_only(&program, record);
    }
    if let Some(report) = session.try_regressions(&program) {
        panic!("{report}");
    }
    let live = Live::new(&name, Budget::from(&config));
    let kept = OnceLock::new();
    let found = explore_observed(&config, &program, &|found| {
        if let Some(failure) = &found.first_failure {
            kept.get_or_init(|| session.keep(failure));
        }
        live.show(found);
        Control::Continue
    });
    let report = found.first_failure.as_ref().map(|failure| {
        let kept = kept.into_inner().unwrap_or_else(|| session.keep(failure));
        live.say(UNDERSTANDING);
        session.report_all((failure, kept), &found, &program)
    });
    drop(live);
    for warning in &found.warnings {
        eprintln!("unpick: {name}: warning: {}", warning.text);
    }
    if let Some(report) = report {
        panic!("{report}");
    }
    if let Some(diverged) = &found.diverged {
        panic!("{name}: {}", nondeterminism(diverged));
    }
    assert!(
        // A program with few schedules leaves nothing for some of the shards.
        found.executions > 0 || config.shard.is_some(),
        "{name}: nothing ran; allow at least one execution and some time"
    );
    let executions = count(found.executions, "execution");
    eprintln!("unpick: {name}: {executions}; {}", ending(&found));
    if std::env::var_os(SAVE_TRACE).is_some_and(|value| !value.is_empty()) {
        session.save_passing(&program);
    }
}

/// Something a test body may return.
pub trait TestOutcome {
    /// Panics if it is a failure.
    fn accept(self);
}

impl TestOutcome for () {
    fn accept(self) {}
}

impl<T: TestOutcome, E: std::fmt::Debug> TestOutcome for Result<T, E> {
    #[track_caller]
    fn accept(self) {
        match self {
            Ok(value) => value.accept(),
            Err(error) => panic!("the test returned an error: {error:?}"),
        }
    }
}

/// Accepts what a test body returned, or panics.
#[track_caller]
pub fn accept(outcome: impl TestOutcome) {
    outcome.accept();
}

/// A failure with its origin and what is known of it, ready to be kept.
pub fn record(
    config: &Config,
    name: &str,
    failure: &FirstFailure,
    known: Option<&Understanding>,
) -> Record {
    let mut record = Record {
        header: Header {
            program: name.to_string(),
            strategy: config.strategy.to_string(),
            seed: config.seed,
            execution: failure.execution,
            summary: headline(&failure.outcome, &failure.trace),
            tool: env!("CARGO_PKG_VERSION").to_string(),
            settings: config.settings_text(),
            ..Header::default()
        },
        trace: failure.trace.clone(),
        outcome: failure.outcome.clone(),
        passing: None,
    };
    if let Some(known) = known {
        note_explanation(&mut record, &known.explanation);
        record.passing = known.explanation.passing.clone();
    }
    record
}

/// Where a failure is kept.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// As a regression.
    Regression,
    /// As a regression, in place of one that no longer fits.
    InPlaceOf(&'a Path),
    /// As a trace only.
    Trace,
}

#[derive(Clone, Copy)]
struct Session<'a> {
    config: &'a Config,
    store: &'a Store,
    name: &'a str,
    /// The name under which failures are kept.
    key: &'a str,
}

impl Session<'_> {
    /// Reports the first failure of an exploration, and the others that it has put together.
    fn report_all(
        &self,
        (failure, kept): (&FirstFailure, Kept),
        found: &Exploration,
        program: &(dyn Fn() + Send + Sync),
    ) -> String {
        let way = Way::of(failure.is_directed);
        let first = self.report((failure, kept), way, program, Place::Regression);
        let mut lines = vec![first];
        let groups = found.groups.list();
        let counts: Vec<u64> = groups.iter().map(|group| group.count).collect();
        for (number, group) in groups.iter().enumerate() {
            if number > 0 {
                let way = Way::of(group.first.is_directed);
                let first = (&group.first, self.keep(&group.first));
                lines.push(self.report(first, way, program, Place::Trace));
            }
            lines.push(count_line(group.count, found.failures));
        }
        lines.extend(more_line(self.name, &counts, found.failures));
        lines.join("\n")
    }

    /// Keeps a failure as it was found.
    fn keep(&self, failure: &FirstFailure) -> Kept {
        Kept::new(self.config, self.store, self.name, self.key, failure)
    }

    /// Shrinks, explains and keeps a failure, in place of what was kept at once.
    fn report(
        &self,
        (found, at_once): (&FirstFailure, Kept),
        way: Way,
        program: &(dyn Fn() + Send + Sync),
        place: Place<'_>,
    ) -> String {
        let understood = understand(self.config, program, found);
        let (failure, known) = match &understood {
            Some((failure, known)) => (failure, Some(known)),
            None => (found, None),
        };
        if !self.config.saves {
            let replay = format!(
                "not possible, since nothing is kept; use seed {:#x}",
                self.config.seed
            );
            return self.tell(failure, known, way, (&replay, "nothing (Config::save)"));
        }
        let options = cargo_options();
        let mut record = record(self.config, self.key, failure, known);
        record.header.settings.push_str(&cargo_words(&options));
        match way {
            Way::Near => record.header.strategy = NEAR.to_string(),
            Way::Predicted => record.header.strategy = PREDICTED.to_string(),
            Way::Strategy | Way::Directed | Way::Regression | Way::Free => {}
        }
        let to_check_in = |saved: Saved| {
            let path = shown(&saved.regression);
            let text = format!("{path} (check it in; it runs first next time)");
            (saved.id, saved.trace, text)
        };
        let kept = match place {
            Place::Regression => self.store.save(&record).map(to_check_in),
            Place::InPlaceOf(path) => {
                let saved = self.store.save_as(&record, path.to_path_buf());
                saved.map(to_check_in)
            }
            Place::Trace => {
                let kept = self.store.save_trace(&record);
                kept.map(|(id, path)| (id, path.clone(), shown(&path)))
            }
        };
        let (command, saved) = match kept {
            Ok((id, trace, saved)) => {
                at_once.give_way_to(&trace);
                (self.replay_command(&id, &options), saved)
            }
            Err(error) => self.left(at_once.left(), &error, &options),
        };
        self.tell(failure, known, way, (&command, &saved))
    }

    /// What is said of a failure that could not be kept as it is reported: how to replay it, and what is kept.
    fn left(
        &self,
        interim: Option<&Interim>,
        error: &StoreError,
        options: &[String],
    ) -> (String, String) {
        let Some(interim) = interim else {
            let replay = format!(
                "not possible, since the trace was not saved; use seed {:#x}",
                self.config.seed
            );
            return (replay, format!("nothing: {error}"));
        };
        let path = shown(interim.path());
        let saved = format!("{path}, as it was found; nothing else: {error}");
        (self.replay_command(&interim.id(), options), saved)
    }

    /// The command that runs a trace again.
    fn replay_command(&self, reference: &str, options: &[String]) -> String {
        let options: String = options.iter().map(|one| format!("{one} ")).collect();
        format!(
            "UNPICK_REPLAY={reference} cargo test {options}{}",
            short(self.name)
        )
    }

    /// The five lines.
    fn tell(
        &self,
        failure: &FirstFailure,
        known: Option<&Understanding>,
        way: Way,
        (replay, saved): (&str, &str),
    ) -> String {
        let report = FailureReport {
            name: self.name,
            outcome: &failure.outcome,
            trace: &failure.trace,
            known,
            execution: failure.execution,
            executions_max: self.config.executions_max,
            way,
            strategy: &self.config.strategy.to_string(),
            member: failure.member.as_deref(),
            seed: self.config.seed,
            replay,
            saved,
        };
        report.to_string()
    }

    /// Tries the regressions, the oldest first, up to one that leads to a failure. A report if one does.
    fn try_regressions(&self, program: &(dyn Fn() + Send + Sync)) -> Option<String> {
        if !self.config.saves {
            return None;
        }
        let mut kept = self.store.regressions_of(self.key);
        // Earlier versions did not keep the binary.
        if kept.is_empty() && self.key != self.name {
            kept = self.store.regressions_of(self.name);
        }
        kept.into_iter().find_map(|kept| match kept {
            Ok((path, record)) => self.try_regression(program, &path, &record),
            Err(error) => {
                eprintln!(
                    "unpick: the regression of {} is not used: {error}",
                    self.name
                );
                None
            }
        })
    }

    /// Runs a schedule that has failed before, and looks near it if it no longer fits. A report if that fails.
    fn try_regression(
        &self,
        program: &(dyn Fn() + Send + Sync),
        file: &Path,
        record: &Record,
    ) -> Option<String> {
        let config = &self.config.clone().settings_from(&record.header.settings);
        let session = Session { config, ..*self };
        let found = replay(config, program, record.trace.clone());
        let path = shown(file);
        if let Some(failure) = &found.first_failure {
            let command = self.replay_command(&path, &cargo_options());
            let understood = understand(config, program, failure);
            let (failure, known) = match &understood {
                Some((failure, known)) => (failure, Some(known)),
                None => (&**failure, None),
            };
            return Some(session.tell(failure, known, Way::Regression, (&command, &path)));
        }
        let Some(diverged) = found.diverged else {
            eprintln!("unpick: {}: fixed: {}", self.name, fixed(&path, self.key));
            return None;
        };
        let near = near(config, program, &record.trace);
        let changed = changed(&path, self.key, &diverged.outcome, &near);
        eprintln!("unpick: {}: {changed}", self.name);
        let failing = near.failing?;
        let failure = FirstFailure {
            rank: 1,
            execution: near.executions,
            is_directed: false,
            member: None,
            trace: failing.trace,
            outcome: failing.outcome,
        };
        let failure = (&failure, session.keep(&failure));
        Some(session.report(failure, Way::Near, program, Place::InPlaceOf(file)))
    }

    /// Panics with a report of what a trace foretells.
    #[track_caller]
    fn predict_only(&self, program: &(dyn Fn() + Send + Sync), record: Record) {
        let mut config = self.config.clone().settings_from(&record.header.settings);
        if let Ok(text) = std::env::var(PREDICT_WINDOW) {
            config = match text.parse() {
                Ok(events) => config.window(events),
                Err(_) => {
                    panic!("{PREDICT_WINDOW}={text} is no number of events; give one, as 500")
                }
            };
        }
        let config = &config;
        let session = Session { config, ..*self };
        let name = self.name;
        let predicted = match predict(config, program, record.trace) {
            Ok(predicted) => predicted,
            Err(error) => panic!("{name}: {error}"),
        };
        let mut lines = Vec::new();
        for (number, failure) in predicted.failures.iter().enumerate() {
            let place = match number {
                0 => Place::Regression,
                _ => Place::Trace,
            };
            let failure = (failure, session.keep(failure));
            lines.push(session.report(failure, Way::Predicted, program, place));
        }
        if let Some(recorded) = &predicted.recorded {
            let words = headline(&recorded.outcome, &recorded.trace);
            lines.push(format!("FAILED  {name}  the trace itself: {words}"));
        }
        let is_clean = lines.is_empty();
        let words = predicted_words(&predicted);
        lines.push(format!("unpick: {name}: {words}"));
        let report = lines.join("\n");
        assert!(is_clean, "{report}");
        eprintln!("{report}");
    }

    /// Keeps the first execution, which passes.
    fn save_passing(&self, program: &(dyn Fn() + Send + Sync)) {
        let execution = first_execution(self.config, program);
        match self
            .store
            .save_trace(&record(self.config, self.key, &execution, None))
        {
            Ok((id, _)) => eprintln!(
                "unpick: {}: predict with UNPICK_PREDICT={id} cargo test {}",
                self.name,
                short(self.name)
            ),
            Err(error) => eprintln!("unpick: {}: the trace was not saved: {error}", self.name),
        }
    }
}

#[track_caller]
fn replay_only(config: &Config, program: &(dyn Fn() + Send + Sync), name: &str, record: Record) {
    let config = config.clone().settings_from(&record.header.settings);
    let found: Exploration = replay(&config, program, record.trace.clone());
    match (&found.first_failure, &found.diverged) {
        (Some(failure), _) => {
            let verdict = match same_failure(&failure.outcome, &record.outcome) {
                true => "replayed: the same failure",
                false => "replayed: another failure than the recorded one",
            };
            let record = record.replayed(&failure.trace, &failure.outcome);
            panic!(
                "FAILED  {name}  {}\n  {verdict}\n  why     {}\n{}",
                headline(&failure.outcome, &failure.trace),
                Timeline::new(&record).why(),
                schedule(&record),
            );
        }
        (None, Some(diverged)) => {
            panic!("{name}: {}", headline(&diverged.outcome, &diverged.trace))
        }
        (None, None) => eprintln!("unpick: {name} passes under the recorded schedule"),
    }
}

/// The trace of this test that a variable names.
#[track_caller]
fn requested(variable: &str, store: &Store, names: [&str; 2]) -> Option<Record> {
    let reference = std::env::var(variable).ok();
    let reference = reference.filter(|text| !text.is_empty())?;
    match store.load(&reference) {
        // A trace of another test in the same process says nothing here.
        Ok((_, record)) => names
            .contains(&record.header.program.as_str())
            .then_some(record),
        Err(error) => panic!("{variable}: {error}"),
    }
}

fn nondeterminism(diverged: &FirstFailure) -> String {
    format!(
        "uncontrolled nondeterminism in execution {}: {}; something besides the schedule decides \
         what the program does (time, randomness, a hash map, state that outlives an execution)",
        diverged.execution,
        headline(&diverged.outcome, &diverged.trace),
    )
}

/// A path as short as it can be from the current directory.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let short = path.strip_prefix(here).unwrap_or(path);
    short.display().to_string()
}

/// The last part of a test's path: what `cargo test` takes as a filter.
fn short(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}
