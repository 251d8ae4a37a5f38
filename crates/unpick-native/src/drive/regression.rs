//! Tries the schedule that failed last time, and looks near it if it no longer fits the program.

use std::time::Instant;

use unpick_analysis::{Near, near};
use unpick_engine::FirstFailure;
use unpick_trace::{Outcome, Plan, Trace};

use super::exploration::{Explored, Launched, Options, choose, first_launch, replay, survey};
use super::named;
use super::process::{Command, DriveError};
use super::understanding::{Follower, TIME_MAX};

/// What became of a recorded schedule.
pub enum Tried {
    /// It still fails.
    Fails,
    /// It runs to its end and passes.
    Passes,
    /// It no longer fits the program.
    Changed {
        /// Where.
        diverged: Outcome,
        /// What was found near it.
        near: Box<Near>,
    },
}

/// Runs a recorded schedule, and others near it if it no longer fits. Gives how that fails, if it does.
/// `shared` are the plain accesses that were points when it was recorded; `goes_on` is asked before every
/// execution near it.
pub fn try_recorded(
    command: &Command,
    options: &Options,
    recorded: &Trace,
    shared: &[u64],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(Tried, Option<Explored>), DriveError> {
    let named = named::find(command, options, first_launch(options))?;
    let (launch, reason) = choose(command, options, &named)?;
    let way = (launch.backend, launch.reexecution);
    let (end, answer) = replay(command, options, way, recorded, shared, None)?;
    let mut explored = Explored {
        exploration: answer.exploration,
        modules: answer.modules,
        addresses: answer.addresses,
        backend: launch.backend,
        reexecution: launch.reexecution,
        reason,
        shared: shared.to_vec(),
        deadline: None,
    };
    match end.outcome {
        Outcome::Pass => return Ok((Tried::Passes, None)),
        Outcome::Diverged(_) => {}
        _ => return Ok((Tried::Fails, Some(explored))),
    }
    let mut launched = Launched {
        command,
        options,
        launch,
        named: &named,
    };
    // The program has changed, and its code has moved.
    explored.shared = survey(&mut launched, &mut |_| true)?;
    let mut follower = Follower::start(command, options, &explored, recorded.tasks.len())?;
    let deadline = Instant::now() + TIME_MAX;
    let mut near = near(recorded, &mut |plan| {
        let has_time = Instant::now() < deadline && goes_on();
        has_time.then(|| follower.run(plan).ok()).flatten()
    });
    let again = match &near.failing {
        Some(failing) => Some(follower.follow(&Plan::of(&failing.trace))?),
        None => None,
    };
    drop(follower);
    let again = again.and_then(|answer| {
        let first = answer.exploration.first_failure.clone()?;
        Some((first, answer))
    });
    let explored = again.map(|(first, answer)| {
        explored.addresses = answer.addresses;
        explored.exploration = answer.exploration;
        explored.exploration.executions = near.executions;
        explored.exploration.first_failure = Some(Box::new(FirstFailure {
            execution: near.executions,
            ..*first
        }));
        explored
    });
    if explored.is_none() {
        near.failing = None;
    }
    let changed = Tried::Changed {
        diverged: end.outcome,
        near: Box::new(near),
    };
    Ok((changed, explored))
}
