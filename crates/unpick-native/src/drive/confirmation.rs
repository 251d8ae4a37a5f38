//! Directs searches at the possible deadlocks that an exploration has shown.

use unpick_engine::Limits;
use unpick_protocol::{Answer, Work};
use unpick_strategies::{Confirm, Spec};

use super::exploration::{Launched, Options, order, with_failures};
use super::process::{DriveError, Progress, Watch};

/// How the options want possible deadlocks to be confirmed.
pub(super) fn wish(options: &Options) -> Confirm {
    let spec = Spec::parse(&options.strategy);
    Confirm {
        executions_max: options.confirm,
        seed: options.seed,
        is_exhaustive: spec.is_ok_and(|spec| spec.is_exhaustive()),
    }
}

/// Runs the directed executions in a process of their own and adds what they find.
pub(super) fn run(
    launched: &mut Launched<'_>,
    limits: Limits,
    shared: &[u64],
    found: Answer,
    watch: &mut Watch<'_>,
) -> Result<Answer, DriveError> {
    let options = launched.options;
    let before = found.exploration.executions;
    let work = Work::Confirm {
        found: Box::new(found.exploration.clone()),
        executions_max: options.confirm,
        seed: options.seed,
    };
    let order = order(options, work, limits, shared, launched.named);
    let mut watch_all = |seen: Progress| {
        watch(Progress {
            executions: before.saturating_add(seen.executions),
            ..seen
        })
    };
    let mut answer = match launched.perform(&order, &mut watch_all) {
        Ok(answer) => answer,
        Err(error) => return with_failures(error.with_answer(Some(found))),
    };
    for (one, other) in answer.entered.iter_mut().zip(found.entered) {
        *one |= other;
    }
    Ok(answer)
}
