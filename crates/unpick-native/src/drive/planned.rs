//! Techniques that plan between executions: the plans are made here, and each execution is an order.

use std::time::Instant;

use unpick_causality::Mcr;
use unpick_engine::{Begin, Exploration, StopReason, Strategy};
use unpick_protocol::{Answer, Lead, Order, Work};
use unpick_strategies::Spec;
use unpick_trace::Outcome;

use super::exploration::{Launched, Options};
use super::parallel::add_seen;
use super::process::{DriveError, Process, Progress, Watch};

/// The technique of these options, if it is such a one.
pub(super) fn technique(options: &Options) -> Option<Mcr> {
    let spec = Spec::parse(&options.strategy).ok()?;
    let end = |limit| Instant::now().checked_add(limit);
    Some(Mcr::of(&spec)?.until(options.time.and_then(end)))
}

/// Explores with a technique. `order` tells everything else.
pub(super) fn explore(
    launched: &Launched<'_>,
    mut technique: Mcr,
    order: &Order,
    watch: &mut Watch<'_>,
) -> Result<Answer, DriveError> {
    let hang_after = launched.options.hang_after;
    let mut process = Process::start(launched.command, launched.launch, hang_after, None)?;
    let mut whole = process.answer_to_nothing()?;
    let limits = order.limits;
    let found = loop {
        let found = &whole.exploration;
        if found.failures > 0 && !limits.keep_going {
            break StopReason::Failure;
        }
        if found.executions == limits.executions_max {
            break StopReason::Executions;
        }
        if !watch(progress_of(found)) {
            break StopReason::Interrupted;
        }
        if technique.begin(found.executions) != Begin::Ready {
            break StopReason::Exhausted;
        }
        let mut one = order.clone();
        one.work = Work::Watch(Lead::Along(technique.route()));
        one.limits.executions_max = 1;
        let mut answer = match process.perform(&one, &mut |_| true) {
            Ok(answer) => answer,
            Err(error) => return Err(with_all(error, whole)),
        };
        let (outcome, _) = answer.followed.take().ok_or(DriveError::Garbled)?;
        if let Outcome::Diverged(_) = outcome {
            join(&mut whole, answer);
            break StopReason::Diverged;
        }
        let transcript = answer.transcript.take().ok_or(DriveError::Garbled)?;
        if !technique.take_in(transcript, &outcome) {
            answer.exploration.schedules = 0;
        }
        join(&mut whole, answer);
    };
    let exploration = &mut whole.exploration;
    exploration.stopped_because = found;
    exploration.complete = found == StopReason::Exhausted;
    exploration.warn(technique.warnings());
    exploration.provided.merge(technique.provisos());
    exploration.add_planning(technique.take_planning());
    Ok(whole)
}

fn progress_of(found: &Exploration) -> Progress {
    Progress {
        executions: found.executions,
        failures: found.failures,
        tasks_max: found.tasks_max,
        covered: found.covered(),
        found: None,
        taken: Vec::new(),
    }
}

/// The error of one execution, with what those before have found.
fn with_all(mut error: DriveError, mut whole: Answer) -> DriveError {
    if let Some(one) = error.take_answer() {
        join(&mut whole, *one);
    }
    error.with_answer(Some(whole))
}

/// Adds what one execution has shown.
fn join(whole: &mut Answer, mut one: Answer) {
    let before = whole.exploration.executions;
    let found = &mut one.exploration;
    let firsts = [&mut found.first_failure, &mut found.diverged];
    for first in firsts.into_iter().flatten() {
        first.execution += before;
    }
    let is_first = whole.exploration.failures == 0;
    whole.exploration.append(one.exploration);
    if is_first {
        whole.addresses = one.addresses;
    }
    whole.modules = one.modules;
    if whole.entered.is_empty() {
        whole.entered.clone_from(&one.entered);
    }
    add_seen(whole, &one.shared, &one.entered);
}
