//! Explores a native program and says what came of it.

use super::keep::{PREFIX, common_text, settings_text};
use crate::json::{Line, failure_to_json};
use crate::options::ExplorationOptions;
use crate::progress::{Progress, is_interrupted};
use crate::{Status, suite};
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use unpick::analysis::Understanding;
use unpick::report::{FailureReport, headline};
use unpick::store::Store;
use unpick::{Config, FirstFailure};
use unpick_native::drive::{
    self, Command, DriveError, Explored, Naming, Options, Verification, explain_by_output, verify,
};
use unpick_native::protocol::{Module, Trouble, TroubleKind};
use unpick_native::symbols::Symbols;

/// What an exploration came to, in words and as data.
pub(crate) struct Presented {
    pub(crate) status: Status,
    pub(crate) executions: u64,
    pub(crate) elapsed: Duration,
    /// The failure, the divergence, warnings. May be empty.
    pub(crate) details: String,
    /// One line about the whole.
    pub(crate) summary: String,
    pub(crate) json: Value,
}

/// Explores a program under a name.
pub(crate) fn explore(
    name: &str,
    command: &Command,
    drive: &Options,
    options: &ExplorationOptions,
) -> Result<Presented> {
    let progress = Progress::new(name, options.executions, options.quiet || options.json);
    let start = Instant::now();
    let mut watch = |seen: drive::Progress| progress.watch(seen.executions, seen.failures);
    let found = drive::explore(command, drive, &mut watch);
    progress.finish();
    let mut explored = match found {
        Ok(explored) => explored,
        Err(error) => return refused(name, command, error, start.elapsed()),
    };
    let elapsed = start.elapsed();
    let mut verification = match &explored.exploration.first_failure {
        Some(failure) => Some(verify(command, drive, &explored, failure)?),
        None => None,
    };
    let mut known = None;
    if let Some(Verification::Confirmed { output }) = &verification
        && let Some((more, again)) = understand(command, drive, &mut explored, output)?
    {
        known = Some(more);
        verification = Some(again);
    }
    name_all(command, &mut explored, verification.as_ref());
    let failing = Failing {
        known,
        verification,
    };
    Ok(present(
        name, command, drive, options, explored, failing, elapsed,
    ))
}

/// What running the failure again has shown.
struct Failing {
    known: Option<Understanding>,
    verification: Option<Verification>,
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
    let Some(smaller) = drive::understand(command, drive, explored, output, goes_on)? else {
        return Ok(None);
    };
    let again = verify(command, drive, explored, &smaller.failure)?;
    if !matches!(again, Verification::Confirmed { .. }) {
        return Ok(None);
    }
    explored.addresses = smaller.addresses;
    explored.exploration.first_failure = Some(Box::new(smaller.failure));
    Ok(Some((smaller.known, again)))
}

/// Puts words for addresses.
fn name_all(command: &Command, explored: &mut Explored, verification: Option<&Verification>) {
    let mut symbols = Symbols::default();
    let mut naming = Naming {
        program: &command.program,
        modules: &explored.modules,
        addresses: &explored.addresses,
        symbols: &mut symbols,
    };
    if let Some(failure) = &mut explored.exploration.first_failure {
        naming.name(failure);
        if let Some(Verification::Confirmed { output }) = verification {
            explain_by_output(&mut failure.outcome, output);
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

#[allow(clippy::too_many_arguments)]
fn present(
    name: &str,
    command: &Command,
    drive: &Options,
    options: &ExplorationOptions,
    explored: Explored,
    failing: Failing,
    elapsed: Duration,
) -> Presented {
    let found = &explored.exploration;
    let mut details = String::new();
    let mut status = suite::status_of(found);
    let (mut trace, mut told) = (None, Value::Null);
    if let (Some(failure), Some(verification)) = (&found.first_failure, &failing.verification) {
        match verification {
            Verification::Confirmed { .. } => {
                let origin = (command, drive, &explored);
                let (text, id) = report(name, origin, options, failure, failing.known.as_ref());
                details.push_str(&text);
                trace = id;
                told = failure_to_json(failure, failing.known.as_ref());
            }
            Verification::Leak { what } => {
                status = Status::Diverged;
                details.push_str(&leak(name, failure, what));
            }
        }
    }
    if let Some(diverged) = &found.diverged {
        let line = headline(&diverged.outcome, &diverged.trace);
        details.push_str(&format!("DIVERGED  {name}  {line}"));
    }
    for warning in &found.warnings {
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
        shard: options.shard,
        options: common_text(drive, options),
        outcome: (status == Status::Diverged).then(|| "diverged".to_string()),
    };
    let mut json = line.to_json(found);
    json["backend"] = json!(explored.backend.word());
    json["reexec"] = json!(explored.reexecution.word());
    let mut summary = suite::summary(name, found, options.shard, elapsed);
    summary.push_str(&format!(
        "\n  {} and {}: {}",
        explored.backend.word(),
        explored.reexecution.word(),
        explored.reason
    ));
    Presented {
        status,
        executions: found.executions,
        elapsed,
        details,
        summary,
        json,
    }
}

fn leak(name: &str, failure: &FirstFailure, what: &str) -> String {
    format!(
        "DIVERGED  {name}  a failure does not come back: {}\n  differs {what}\n  \
         The program depends on something that is not controlled: see docs/limits.md.",
        headline(&failure.outcome, &failure.trace)
    )
}

/// Keeps a failure; gives the five lines and its id.
fn report(
    name: &str,
    (command, drive, explored): (&Command, &Options, &Explored),
    options: &ExplorationOptions,
    failure: &FirstFailure,
    known: Option<&Understanding>,
) -> (String, Option<String>) {
    let (id, saved) = match options.no_save {
        true => (None, "nothing (--no-save)".to_string()),
        false => {
            let config = options.config().unwrap_or_else(|_| Config::new());
            let mut record = unpick::record(&config, &format!("{PREFIX}{name}"), failure);
            record.header.settings.push(' ');
            let more = settings_text(command, drive, explored);
            record.header.settings.push_str(&more);
            match Store::new("").save(&record) {
                Ok(saved) => (Some(saved.id), saved.regression.display().to_string()),
                Err(error) => (None, format!("nothing: {error}")),
            }
        }
    };
    let replay = match &id {
        Some(id) => format!("unpick replay {id}"),
        None => "not possible, since the trace was not saved".to_string(),
    };
    let report = FailureReport {
        name,
        outcome: &failure.outcome,
        trace: &failure.trace,
        known,
        execution: failure.execution,
        executions_max: options.executions,
        is_directed: failure.is_directed,
        strategy: &options.strategy,
        seed: options.seed,
        replay: &replay,
        saved: &saved,
    };
    (report.to_string(), id)
}

/// The program cannot be explored to the end. Some of these are findings, others are mistakes.
fn refused(
    name: &str,
    command: &Command,
    error: DriveError,
    elapsed: Duration,
) -> Result<Presented> {
    let text = match &error {
        DriveError::Trouble { trouble, answer } => {
            format!(
                "UNCONTROLLED  {name}  {}",
                words(command, trouble, &answer.modules)
            )
        }
        DriveError::Hangs {
            place,
            modules,
            executions,
            ..
        } => format!(
            "UNCONTROLLED  {name}  {error}\n  where   {}, after {executions} executions\n  \
             remedy  instrument that code (unpick cc, cargo unpick); if it blocks, --backend threads can \
             leave it and go on with others; if it only takes long, raise --watchdog",
            stack(command, place.as_ref(), modules)
        ),
        DriveError::Died { executions, .. } => format!(
            "UNCONTROLLED  {name}  {error}\n  where   after {executions} executions\n  remedy  try \
             --reexec fork; see docs/limits.md"
        ),
        _ => bail!(error),
    };
    let executions = match &error {
        DriveError::Hangs { executions, .. } | DriveError::Died { executions, .. } => *executions,
        DriveError::Trouble { answer, .. } => answer.exploration.executions,
        _ => 0,
    };
    let json = json!({
        "name": name,
        "outcome": "uncontrolled",
        "executions": executions,
        "error": error.to_string(),
        "elapsed_ms": elapsed.as_millis() as u64,
    });
    Ok(Presented {
        status: Status::Diverged,
        executions,
        elapsed,
        details: text,
        summary: format!("{name}: not explored to the end"),
        json,
    })
}

/// Where a task is that never comes back.
fn stack(command: &Command, place: Option<&(u64, Vec<u64>)>, modules: &[Module]) -> String {
    let Some((task, frames)) = place else {
        return "unknown, because the process does not answer".into();
    };
    let mut symbols = Symbols::default();
    let mut naming = Naming {
        program: &command.program,
        modules,
        addresses: &[],
        symbols: &mut symbols,
    };
    let mut places: Vec<String> = frames
        .iter()
        .map(|&frame| naming.place(frame.saturating_sub(1)))
        .collect();
    places.dedup();
    format!("task {task} at {}", places.join(", called from "))
}

fn words(command: &Command, trouble: &Trouble, modules: &[Module]) -> String {
    let mut symbols = Symbols::default();
    let mut naming = Naming {
        program: &command.program,
        modules,
        addresses: &[],
        symbols: &mut symbols,
    };
    let place = match trouble.pc {
        0 => String::new(),
        pc => format!(" at {}", naming.place(pc.saturating_sub(1))),
    };
    match trouble.kind {
        TroubleKind::Unmodelled => format!(
            "the program calls {}{place}, which is not modelled; see docs/limits.md",
            trouble.what
        ),
        TroubleKind::TooManyTasks => format!(
            "the program has more than {} tasks at once, which is the limit",
            trouble.what
        ),
        TroubleKind::BadOrder | TroubleKind::Unsupported => trouble.what.clone(),
    }
}
