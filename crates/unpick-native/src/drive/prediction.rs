//! What a recorded execution of a native program foretells: one process runs it again, watched, and then along
//! everything that it makes possible.
//!
//! What tasks read and wrote between two scheduling points is not in a trace, and the causal model rests on it. So
//! the execution is run again in the order in which it was recorded, with plain accesses to shared memory as points.

use unpick_causality::{Found, ModelError, Predicted, Prediction, foretell};
use unpick_engine::{FirstFailure, Limits, Memory};
use unpick_protocol::{Answer, Lead, Points};
use unpick_trace::{FailureKind, Outcome, Trace};

use super::exploration::{Explored, Launched, Options, choose, first_launch, survey};
use super::named;
use super::process::{Command, DriveError};
use super::understanding::Follower;

/// A recorded execution.
#[derive(Clone, Copy)]
pub struct Recorded<'a> {
    /// What happened.
    pub trace: &'a Trace,
    /// The plain accesses that were points.
    pub shared: &'a [u64],
    /// Events that are looked at together, at most.
    pub window: usize,
}

/// What a recorded execution foretells.
pub struct Foreseen {
    /// What was asked, and how it was answered. Its failures are the first ones of `failing`.
    pub predicted: Predicted,
    /// The failures that were found, each as an exploration that has found it.
    pub failing: Vec<Explored>,
    /// The same for the recorded execution itself, if it fails.
    pub recorded: Option<Explored>,
    /// The options with which they fail: plain accesses may be points that were none in the recorded execution.
    pub options: Options,
}

/// Why nothing can be foretold.
#[derive(Debug, thiserror::Error)]
pub enum PredictError {
    /// The program cannot be run under control.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// The program does not follow the trace.
    #[error("the program does not follow the trace")]
    Diverged(Box<Explored>),
    /// What the tasks have read does not come of what they have done.
    #[error(
        "the trace cannot be analysed: {0}; something changes what the program reads that is not seen: \
         instrument all of its code (unpick cc, cargo unpick)"
    )]
    Model(#[from] ModelError),
}

/// Runs a program along a recorded trace and asks what other orders of its events would show; runs each, and keeps
/// what fails. `goes_on` is asked before every question.
///
/// # Errors
/// If the program cannot be run, does not follow the trace, or the trace cannot be analysed.
pub fn predict(
    command: &Command,
    options: &Options,
    given: Recorded<'_>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Foreseen, PredictError> {
    let (options, base, lead) = prepare(command, options, given)?;
    let mut follower = Follower::start(command, &options, &base, given.trace.tasks.len())?;
    let (answer, ended) = follower.watch(lead)?;
    if answer.exploration.diverged.is_some() {
        return Err(PredictError::Diverged(Box::new(base.with(answer))));
    }
    let transcript = answer.transcript.clone().ok_or(DriveError::Garbled)?;
    let mut prediction = Prediction::new(transcript, options.races, given.window)?;
    let first = found(&answer, ended.outcome);
    let recorded = first.is_some().then(|| base.with(answer));
    // By number of the execution, from 1: the failures as they are to be replayed.
    let mut failing: Vec<Option<Explored>> = vec![None];
    let run = &mut |route| {
        let (answer, ended) = follower.watch(Lead::Along(route))?;
        let found = found(&answer, ended.outcome);
        failing.push(found.is_some().then(|| base.with(answer)));
        Ok::<_, DriveError>(found)
    };
    let mut predicted = foretell(&mut prediction, first, run, goes_on)?;
    drop(follower);
    let mut kept = Vec::new();
    for failure in &mut predicted.failures {
        let explored = failing[failure.execution as usize].take();
        let mut explored = explored.expect("internal error: a failure that is none");
        if let Some(first) = &mut explored.exploration.first_failure {
            first.execution = failure.execution;
        }
        kept.push(explored);
    }
    Ok(Foreseen {
        predicted,
        failing: kept,
        recorded,
        options,
    })
}

/// How to run the program, and what leads it along the recorded execution.
fn prepare(
    command: &Command,
    options: &Options,
    given: Recorded<'_>,
) -> Result<(Options, Explored, Lead), DriveError> {
    let mut options = options.clone();
    let named = named::find(command, &options, first_launch(&options))?;
    let (launch, reason) = choose(command, &options, &named)?;
    let mut base = Explored::nothing(launch, reason, given.shared);
    let trace = given.trace.clone();
    // Under store buffers a plain write that is a point waits, which it did not do when it was none.
    if options.points != Points::Sync || options.settings.memory != Memory::Sc {
        return Ok((options, base, Lead::Replay(trace)));
    }
    let surveyed = Options {
        points: Points::Shared,
        // Executions go on behind a data race, which is not what is looked for here.
        races: false,
        // However few were to be explored when the trace was recorded.
        limits: Limits {
            executions_max: u64::MAX,
            ..options.limits
        },
        ..options.clone()
    };
    let mut launched = Launched {
        command,
        options: &surveyed,
        launch,
        named: &named,
    };
    base.shared = survey(&mut launched, &mut |_| true)?;
    if base.shared.is_empty() {
        return Ok((options, base, Lead::Replay(trace)));
    }
    options.points = Points::Shared;
    Ok((options, base, Lead::Retrace(trace)))
}

/// How an execution failed, if it did. Failures that are the same have the same `outcome`.
fn found(answer: &Answer, outcome: Outcome) -> Option<Found> {
    let failure = answer.exploration.first_failure.as_ref()?;
    Some(Found {
        race: race_places(&failure.outcome),
        failure: FirstFailure {
            outcome,
            ..(**failure).clone()
        },
    })
}

/// The two places of a data race, as `MODULE:OFFSET`: the first one that the words of the failure tell as
/// `@MODULE:OFFSET@`, and that of the failure without its callers.
fn race_places(outcome: &Outcome) -> Option<[String; 2]> {
    let Outcome::Fail(failure) = outcome else {
        return None;
    };
    let is_race = failure.kind == FailureKind::DataRace;
    let (earlier, _) = failure.message.split_once("@, and nothing orders")?;
    let (_, earlier) = earlier.rsplit_once('@')?;
    let later = failure.site.as_ref()?.file.split(' ').next()?;
    is_race.then(|| [earlier.to_string(), later.to_string()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_trace::{Failure, Site, TaskId};

    fn race(earlier: &str, later: &str) -> Outcome {
        Outcome::Fail(Failure {
            kind: FailureKind::DataRace,
            task: TaskId(2),
            message: format!(
                "data race: task 1 wrote &0:40& at @{earlier}@, and nothing orders that before the read by task 2"
            ),
            site: Some(Site::new(format!("{later} 0:aa 3:bb"), 0, 0)),
        })
    }

    #[test]
    fn a_race_has_the_same_two_places_whichever_comes_first() {
        let places = |outcome: &Outcome| {
            let mut places = race_places(outcome).unwrap();
            places.sort();
            places
        };
        let one = places(&race("0:11a9", "0:11c0"));
        assert_eq!(one, ["0:11a9", "0:11c0"]);
        assert_eq!(places(&race("0:11c0", "0:11a9")), one);
    }
}
