//! Explores a native program and says what came of it.

use super::interim::Interims;
use super::keep::{PREFIX, common_text, key_of, settings_text};
use super::refused::refused;
use super::regression::try_regression;
use crate::annotation::annotation;
use crate::json::{Line, failure_to_json, group_to_json};
use crate::options::ExplorationOptions;
use crate::place::{is_typed_here, shown};
use crate::progress::{Progress, is_interrupted};
use crate::trust::is_own;
use crate::{Status, suite};
use anyhow::Result;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use unpick::analysis::Understanding;
use unpick::progress::{Seen, UNDERSTANDING};
use unpick::report::{FREE, FailureReport, NEAR, PREDICTED, Way, count_line, headline, more_line};
use unpick::store::{Interim, Store, StoreError};
use unpick::trace::Record;
use unpick::{Claim, Config, Exploration, FailureGroup, FirstFailure, Warning, WarningKind};
use unpick_native::drive::{
    self, Command, Explored, Followed, Naming, Options, Verification, verify,
};

/// What an exploration came to, in words and as data.
pub(crate) struct Presented {
    pub(crate) status: Status,
    pub(crate) executions: u64,
    /// Executions that did not come to their end.
    pub(crate) inconclusive: u64,
    pub(crate) claim: Claim,
    pub(crate) elapsed: Duration,
    /// The failure, the divergence, warnings. May be empty.
    pub(crate) details: String,
    /// The failure for GitHub, if it is to be told there.
    pub(crate) annotation: Option<String>,
    /// One line about the whole.
    pub(crate) summary: String,
    pub(crate) json: Value,
}

impl Presented {
    /// Puts something before what it says.
    fn add(&mut self, said: &str) {
        if !said.is_empty() {
            let separator = if self.details.is_empty() { "" } else { "\n" };
            self.details.insert_str(0, &format!("{said}{separator}"));
        }
    }

    /// Tells which execution was kept although it passes, if one was.
    fn keep(&mut self, id: Option<String>) {
        if let Some(id) = id {
            let line =
                format!("\n  saved the first execution; what it foretells: unpick predict {id}");
            self.summary.push_str(&line);
            self.json["trace"] = json!(id);
        }
    }
}

/// What is explored, and how.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) name: &'a str,
    pub(super) command: &'a Command,
    drive: &'a Options,
    pub(super) options: &'a ExplorationOptions,
    /// What was kept of its failures at once.
    interims: &'a Interims,
    /// The regression that led to its failure, if one did.
    regression: Option<&'a Path>,
    /// Whether it is about a failure besides the first one.
    is_other: bool,
    /// What stands below the five lines.
    count: Option<&'a str>,
}

/// Explores a program under a name. Its regression comes first.
pub(crate) fn explore(
    name: &str,
    command: &Command,
    drive: &Options,
    options: &ExplorationOptions,
) -> Result<Presented> {
    let start = Instant::now();
    let interims = Interims::default();
    let subject = Subject {
        name,
        command,
        drive,
        options,
        interims: &interims,
        regression: None,
        is_other: false,
        count: None,
    };
    let tried = try_regression(name, command, drive, options);
    if let Some(failing) = tried.failing {
        let subject = Subject {
            drive: &failing.drive,
            regression: Some(&failing.path),
            ..subject
        };
        let mut presented = tell(
            subject,
            failing.explored,
            Some(failing.way),
            start.elapsed(),
        )?;
        presented.add(&tried.said);
        return Ok(presented);
    }
    let progress = Progress::new(name, options.budget(), options.quiet || options.json);
    let start = Instant::now();
    let mut watch = |mut seen: drive::Progress| {
        if let Some(answer) = seen.found.take() {
            let explored = Explored::so_far(*answer, drive);
            interims.keep(subject, &explored, Way::Strategy);
        }
        progress.observe(seen_of(seen))
    };
    let found = drive::explore(command, drive, &mut watch);
    let elapsed = start.elapsed();
    if matches!(&found, Ok(explored) if explored.exploration.failures > 0) {
        progress.say(UNDERSTANDING);
    }
    let presented = match found {
        Ok(explored) => {
            let passing = save_passing(subject, &explored);
            tell(subject, explored, None, elapsed).map(|mut presented| {
                presented.keep(passing);
                presented
            })
        }
        Err(error) => refused(name, command, error, elapsed),
    };
    progress.finish();
    let mut presented = presented?;
    presented.add(&tried.said);
    Ok(presented)
}

/// Says what came of following a free execution, which fails under control.
pub(crate) fn tell_free(
    name: &str,
    command: &Command,
    drive: &Options,
    options: &ExplorationOptions,
    explored: Explored,
    elapsed: Duration,
) -> Result<Presented> {
    let subject = Subject {
        name,
        command,
        drive,
        options,
        interims: &Interims::default(),
        regression: None,
        is_other: false,
        count: None,
    };
    tell(subject, explored, Some(Way::Free), elapsed)
}

/// Keeps the first execution if that is wanted and nothing fails, and gives its id.
fn save_passing(subject: Subject<'_>, explored: &Explored) -> Option<String> {
    let Subject { command, drive, .. } = subject;
    let found = &explored.exploration;
    if !subject.options.save_trace || !found.is_clean() || found.executions == 0 {
        return None;
    }
    let warn = |error: String| eprintln!("warning: the trace was not saved: {error}");
    let first = drive::first_execution(command, drive, explored);
    let (first, addresses) = first.map_err(|error| warn(error.to_string())).ok()?;
    let saved = save_trace(subject, explored, (first, &addresses), Way::Strategy);
    saved.map_err(|error| warn(error.to_string())).ok()
}

/// Keeps what came of following a free execution as a trace, passing or not, and gives its id.
pub(crate) fn save_free(
    (name, command): (&str, &Command),
    (drive, options): (&Options, &ExplorationOptions),
    followed: &Followed,
) -> Result<String, StoreError> {
    let subject = Subject {
        name,
        command,
        drive,
        options,
        interims: &Interims::default(),
        regression: None,
        is_other: false,
        count: None,
    };
    let explored = &followed.explored;
    let execution = (followed.execution.clone(), &explored.addresses[..]);
    save_trace(subject, explored, execution, Way::Free)
}

/// Keeps an execution, given with the addresses of its objects, as a trace.
fn save_trace(
    subject: Subject<'_>,
    explored: &Explored,
    (mut execution, addresses): (FirstFailure, &[u64]),
    way: Way,
) -> Result<String, StoreError> {
    let mut naming = Naming::new(&subject.command.program, &explored.modules, addresses);
    naming.name(&mut execution);
    let record = record(subject, explored, &execution, way, None);
    let (id, _) = Store::new("").save_trace(&record)?;
    Ok(id)
}

fn seen_of(seen: drive::Progress) -> Seen {
    Seen {
        executions: seen.executions,
        failures: seen.failures,
        tasks_max: seen.tasks_max,
        covered: seen.covered,
    }
}

/// Says what came of an exploration. `way` is what led to its failure if that was not the strategy.
fn tell(
    subject: Subject<'_>,
    mut explored: Explored,
    way: Option<Way>,
    elapsed: Duration,
) -> Result<Presented> {
    let kept_by = way.unwrap_or(Way::Strategy);
    subject.interims.keep(subject, &explored, kept_by);
    let groups = std::mem::take(&mut explored.exploration.groups);
    let (groups, failures) = (groups.list(), explored.exploration.failures);
    let counts = groups.iter().map(|group| count_line(group.count, failures));
    let counts: Vec<String> = counts.collect();
    let others = groups.iter().skip(1);
    let others: Vec<Explored> = others.map(|group| only(&explored, &group.first)).collect();
    let of = |number: usize| Subject {
        is_other: number > 0,
        count: counts.get(number).map(String::as_str),
        ..subject
    };
    let mut told = vec![tell_one(of(0), explored, way, elapsed)?];
    for (number, other) in (1..).zip(others) {
        told.push(tell_one(of(number), other, None, elapsed)?);
    }
    subject.interims.settle();
    Ok(together(subject.name, told, groups, failures))
}

/// An exploration that has found only one of its failures.
fn only(explored: &Explored, failure: &FirstFailure) -> Explored {
    Explored {
        exploration: Exploration {
            failures: 1,
            first_failure: Some(Box::new(failure.clone())),
            ..Exploration::default()
        },
        modules: explored.modules.clone(),
        addresses: Vec::new(),
        backend: explored.backend,
        reexecution: explored.reexecution,
        reason: String::new(),
        shared: explored.shared.clone(),
        deadline: explored.deadline,
    }
}

/// What is said of an exploration with several failures, of which the first one comes first.
fn together(name: &str, told: Vec<Presented>, groups: &[FailureGroup], failures: u64) -> Presented {
    let mut told = told.into_iter();
    let mut whole = told.next().expect("internal error: nothing is told");
    if groups.is_empty() {
        return whole;
    }
    let to_json =
        |group, json: &Value| group_to_json(group, json["trace"].clone(), json["failure"].clone());
    let mut list = vec![to_json(&groups[0], &whole.json)];
    let mut details = vec![whole.details];
    for (group, other) in groups.iter().skip(1).zip(told) {
        list.push(to_json(group, &other.json));
        details.push(other.details);
        let lines = whole.annotation.into_iter().chain(other.annotation);
        let lines: Vec<String> = lines.collect();
        whole.annotation = (!lines.is_empty()).then(|| lines.join("\n"));
        whole.status = whole.status.max(other.status);
    }
    let counts: Vec<u64> = groups.iter().map(|group| group.count).collect();
    details.extend(more_line(name, &counts, failures));
    whole.details = details.join("\n");
    whole.json["failures_by_cause"] = Value::Array(list);
    whole
}

/// Says what came of an exploration with one failure at most.
fn tell_one(
    subject: Subject<'_>,
    mut explored: Explored,
    way: Option<Way>,
    elapsed: Duration,
) -> Result<Presented> {
    let Subject { command, drive, .. } = subject;
    let found = explored.exploration.first_failure.as_deref();
    let hash = found.map(|failure| failure.trace.hash());
    let mut verification = found.map(|failure| {
        let verified = verify(command, drive, &explored, failure);
        verified.unwrap_or_else(|error| Verification::Unknown {
            why: error.to_string(),
        })
    });
    let mut known = None;
    if let Some(Verification::Confirmed { output, .. }) = &verification {
        match understand(command, drive, &mut explored, output) {
            Ok(Some((more, again))) => {
                known = Some(more);
                verification = Some(again);
            }
            Ok(None) => {}
            Err(error) => {
                let text = format!("the failure is neither shrunk nor explained: {error:#}");
                let warning = Warning::new(WarningKind::EndedEarly, text);
                explored.exploration.warnings.push(warning);
            }
        }
    }
    name_all(command, &mut explored, verification.as_ref());
    let failing = Failing {
        hash,
        known,
        verification,
        way,
    };
    Ok(present(subject, explored, failing, elapsed))
}

/// Says what came of an execution that was predicted: the failure that the exploration is made of. The first one is
/// the regression of the program.
pub(super) fn tell_predicted(
    (name, command): (&str, &Command),
    (drive, options): (&Options, &ExplorationOptions),
    explored: Explored,
    is_first: bool,
) -> Result<Presented> {
    let subject = Subject {
        name,
        command,
        drive,
        options,
        interims: &Interims::default(),
        regression: None,
        is_other: !is_first,
        count: None,
    };
    tell_one(subject, explored, Some(Way::Predicted), Duration::ZERO)
}

/// What running the failure again has shown.
struct Failing {
    /// The fingerprint of the schedule as it was found.
    hash: Option<u64>,
    known: Option<Understanding>,
    verification: Option<Verification>,
    /// What led to it, if not the strategy.
    way: Option<Way>,
}

/// Makes the failure smaller and explains it, if the smaller one comes back as well. Gives what is known
/// then, and what became of the smaller one when it was run again.
fn understand(
    command: &Command,
    drive: &Options,
    explored: &mut Explored,
    output: &str,
) -> Result<Option<(Understanding, Verification)>> {
    let goes_on = &mut || !is_interrupted();
    let Some(mut smaller) = drive::understand(command, drive, explored, output, goes_on)? else {
        return Ok(None);
    };
    let again = verify(command, drive, explored, &smaller.failure)?;
    if !matches!(again, Verification::Confirmed { .. }) {
        return Ok(None);
    }
    if let Some(passing) = &mut smaller.known.explanation.passing {
        let mut naming = Naming::new(
            &command.program,
            &explored.modules,
            &smaller.addresses_of_passing,
        );
        naming.name_trace(passing);
    }
    explored.addresses = smaller.addresses;
    explored.exploration.first_failure = Some(Box::new(smaller.failure));
    Ok(Some((smaller.known, again)))
}

/// Puts words for addresses.
fn name_all(command: &Command, explored: &mut Explored, verification: Option<&Verification>) {
    let mut naming = Naming::new(&command.program, &explored.modules, &explored.addresses);
    if let Some(failure) = &mut explored.exploration.first_failure {
        naming.name(failure);
        if let Some(Verification::Confirmed { output, .. }) = verification {
            naming.explain(&mut failure.outcome, output, &command.arguments);
        }
    }
    if let Some(diverged) = &mut explored.exploration.diverged {
        naming.name(diverged);
    }
    for warning in &mut explored.exploration.warnings {
        naming.name_warning(warning);
    }
    for part in explored
        .exploration
        .shard
        .iter_mut()
        .flat_map(|shard| &mut shard.parts)
    {
        if let Some(failure) = &mut part.found.first_failure {
            naming.name(failure);
        }
        for warning in &mut part.found.warnings {
            naming.name_warning(warning);
        }
    }
}

fn present(
    subject: Subject<'_>,
    explored: Explored,
    failing: Failing,
    elapsed: Duration,
) -> Presented {
    let Subject {
        name,
        drive,
        options,
        ..
    } = subject;
    let found = &explored.exploration;
    let mut details = String::new();
    let mut status = suite::status_of(found);
    let (mut trace, mut told, mut annotated) = (None, Value::Null, None);
    let (mut noted, mut diverged) = (None, None);
    if let (Some(failure), Some(verification)) = (&found.first_failure, &failing.verification) {
        if let Verification::Leak { what, cause } = verification {
            status = Status::Diverged;
            let left = failing.hash.and_then(|hash| subject.interims.leave(hash));
            details.push_str(&leak(name, failure, (what, cause), left.as_ref()));
            diverged = Some(format!("{what}; likely cause: {cause}"));
        } else {
            let (text, id) = report(subject, &explored, failure, &failing);
            annotated = annotation(&failure.outcome, &text);
            details.push_str(&text);
            if let Some(line) = subject.count {
                details.push_str(&format!("\n{line}"));
            }
            trace = id;
            told = failure_to_json(failure, failing.known.as_ref());
            noted = note(verification);
        }
    }
    if let Some(diverged) = &found.diverged {
        let line = headline(&diverged.outcome, &diverged.trace);
        details.push_str(&format!("DIVERGED  {name}  {line}"));
    }
    for warning in found.warnings.iter().chain(&noted) {
        if !details.is_empty() {
            details.push('\n');
        }
        details.push_str(&format!("WARNING  {name}  {}", warning.text));
    }
    let line = Line {
        name: name.to_string(),
        strategy: options.strategy.clone(),
        seed: options.seed,
        elapsed_ms: elapsed.as_millis() as u64,
        trace,
        failure: told,
        groups: Value::Null,
        shard: options.shard,
        options: common_text(drive, options),
        outcome: (status == Status::Diverged).then(|| "diverged".to_string()),
    };
    let json = with_notes(line.to_json(found), &explored, noted.as_ref(), diverged);
    Presented {
        status,
        executions: found.executions,
        inconclusive: found.inconclusive,
        claim: found.claim(),
        elapsed,
        details,
        annotation: annotated,
        summary: format!(
            "{}\n  {}",
            suite::summary(name, found, options, elapsed),
            way(&explored)
        ),
        json,
    }
}

/// How the executions were run, and why that way.
fn way(explored: &Explored) -> String {
    format!(
        "{} and {}: {}",
        explored.backend.word(),
        explored.reexecution.word(),
        explored.reason
    )
}

/// Adds to the object of an exploration what only native programs have.
fn with_notes(
    mut json: Value,
    explored: &Explored,
    noted: Option<&Warning>,
    diverged: Option<String>,
) -> Value {
    if let (Some(warning), Some(list)) = (noted, json["warnings"].as_array_mut()) {
        list.push(json!({ "kind": warning.kind.word(), "text": warning.text }));
    }
    if let Some(diverged) = diverged {
        json["error"] = json!(diverged);
    }
    json["backend"] = json!(explored.backend.word());
    json["reexec"] = json!(explored.reexecution.word());
    json
}

fn leak(
    name: &str,
    failure: &FirstFailure,
    (what, cause): (&str, &str),
    kept: Option<&Interim>,
) -> String {
    let saved = match kept {
        Some(interim) => format!("\n  saved   {}, as it was found", shown(interim.path())),
        None => String::new(),
    };
    format!(
        "DIVERGED  {name}  a failure does not come back: {}\n  differs {what}\n  cause   {cause}{saved}",
        headline(&failure.outcome, &failure.trace)
    )
}

/// A failure is one where it comes back, also if it does not come back everywhere, or could not be run again.
fn note(verification: &Verification) -> Option<Warning> {
    Some(match verification {
        Verification::Confirmed { elsewhere, .. } => {
            let how = elsewhere.as_ref()?;
            let text = format!("the failure comes back where it was found, but not {how}");
            Warning::new(WarningKind::OtherBackend, text)
        }
        Verification::Unknown { why } => {
            let text = format!("the failure could not be run again: {why}");
            Warning::new(WarningKind::EndedEarly, text)
        }
        Verification::Leak { .. } => return None,
    })
}

/// Keeps a failure; gives the five lines and its id.
fn report(
    subject: Subject<'_>,
    explored: &Explored,
    failure: &FirstFailure,
    failing: &Failing,
) -> (String, Option<String>) {
    let Subject { name, options, .. } = subject;
    let way = failing.way.unwrap_or(Way::of(failure.is_directed));
    let known = failing.known.as_ref();
    let store = Store::new("");
    let keep = |record: Record| match (subject.is_other, way, subject.regression) {
        (true, _, _) => store
            .save_trace(&record)
            .map(|(id, path)| (id, path.clone(), path)),
        (false, Way::Near, Some(path)) => {
            let saved = store.save_as(&record, path.to_path_buf());
            saved.map(|saved| (saved.id, saved.trace, saved.regression))
        }
        (false, _, _) => {
            let saved = store.save(&record);
            saved.map(|saved| (saved.id, saved.trace, saved.regression))
        }
    };
    let (id, reference, saved) = match (way, subject.regression, options.no_save) {
        (Way::Regression, Some(path), _) => {
            let id = path.display().to_string();
            (Some(id), shown(path), shown(path))
        }
        (_, _, true) => (None, String::new(), "nothing (--no-save)".to_string()),
        (_, _, false) => match keep(record(subject, explored, failure, way, known)) {
            // An id is looked up where the user is.
            Ok((id, trace, path)) => {
                if let Some(hash) = failing.hash {
                    subject.interims.replace(hash, &trace);
                }
                // An id is looked up where the user is.
                let reference = match is_typed_here() {
                    true => id.clone(),
                    false => shown(&trace),
                };
                (Some(id), reference, shown(&path))
            }
            Err(error) => {
                let left = failing.hash.and_then(|hash| subject.interims.leave(hash));
                left_as_found(left.as_ref(), &error)
            }
        },
    };
    let replay = match &id {
        Some(_) if is_own(subject.command) => format!("unpick replay {reference}"),
        Some(_) => format!("unpick replay {reference} --allow-program"),
        None => "not possible, since the trace was not saved".to_string(),
    };
    let report = FailureReport {
        name,
        outcome: &failure.outcome,
        trace: &failure.trace,
        known,
        execution: failure.execution,
        executions_max: options.executions,
        way,
        strategy: &options.strategy,
        member: failure.member.as_deref(),
        seed: options.seed,
        replay: &replay,
        saved: &saved,
    };
    (report.to_string(), id)
}

/// What is said of a failure of which nothing can be kept but what was kept at once: its id, how it is named to replay
/// it, and what is kept.
fn left_as_found(
    interim: Option<&Interim>,
    error: &StoreError,
) -> (Option<String>, String, String) {
    let Some(interim) = interim else {
        return (None, String::new(), format!("nothing: {error}"));
    };
    let path = shown(interim.path());
    let said = format!("{path}, as it was found; nothing else: {error}");
    (Some(interim.id()), path, said)
}

/// A failure with all that is needed to run it again.
pub(super) fn record(
    subject: Subject<'_>,
    explored: &Explored,
    failure: &FirstFailure,
    way: Way,
    known: Option<&Understanding>,
) -> Record {
    let config = subject.options.config().unwrap_or_else(|_| Config::new());
    // Those of the regression, if that led to it.
    let settings = subject.drive.settings;
    let config = config
        .steps(settings.steps_max)
        .patience(settings.patience)
        .fail_on_limit(settings.fail_on_limit)
        .spurious_wakes(settings.spurious_wakes_max)
        .weak_failures(settings.weak_failures_max)
        .max_delay(settings.max_delay_ns.map(Duration::from_nanos))
        .misuse(settings.misuse)
        .memory(settings.memory);
    let name = format!("{PREFIX}{}", key_of(subject.name, subject.command));
    let mut record = unpick::record(&config, &name, failure, known);
    match way {
        Way::Near => record.header.strategy = NEAR.to_string(),
        Way::Free => record.header.strategy = FREE.to_string(),
        Way::Predicted => record.header.strategy = PREDICTED.to_string(),
        Way::Strategy | Way::Directed | Way::Regression => {}
    }
    record.header.settings.push(' ');
    let more = settings_text(subject.command, subject.drive, explored);
    record.header.settings.push_str(&more);
    record
}
