//! Plans followed by a closure, and its failing schedules shrunk and explained.

use crate::explore::{on_own_thread, runtime};
use crate::{Config, FirstFailure};
use std::time::{Duration, Instant};
use unpick_analysis::{Ended, Explanation, Shrunk};
use unpick_engine::{Control, Limits, Runtime};
use unpick_strategies::Follow;
use unpick_trace::{Outcome, Plan};

/// How long shrinking may take.
const TIME_MAX: Duration = Duration::from_secs(5);

/// The smallest failure of `program` found that is the same as `failure`: fewest preemptions first, then
/// fewest steps, then fewest tasks. Runs [`Config::shrink`] executions at most.
pub fn shrink(
    config: &Config,
    program: &(dyn Fn() + Send + Sync),
    failure: &FirstFailure,
) -> FirstFailure {
    let Ended { outcome, trace } = shrink_measured(config, program, failure).least;
    FirstFailure {
        outcome,
        trace,
        ..failure.clone()
    }
}

/// The same, with what it took.
pub fn shrink_measured(
    config: &Config,
    program: &(dyn Fn() + Send + Sync),
    failure: &FirstFailure,
) -> Shrunk {
    let failing = Ended {
        outcome: failure.outcome.clone(),
        trace: failure.trace.clone(),
    };
    let limits = limits(config);
    let deadline = Instant::now() + TIME_MAX;
    on_own_thread(|| {
        let mut runtime = runtime(config, program);
        unpick_analysis::shrink(failing, config.shrink, &mut |plan| {
            (Instant::now() < deadline).then(|| run(&mut *runtime, plan, &limits))
        })
    })
}

/// Which orderings make a failure of `program` happen, and what that is called. Nothing with
/// [`Config::shrink`] at 0: it is small schedules that can be explained.
pub fn explain(
    config: &Config,
    program: &(dyn Fn() + Send + Sync),
    failure: &FirstFailure,
) -> Option<Explanation> {
    if config.shrink == 0 {
        return None;
    }
    let failing = Ended {
        outcome: failure.outcome.clone(),
        trace: failure.trace.clone(),
    };
    let limits = limits(config);
    let deadline = Instant::now() + TIME_MAX;
    Some(on_own_thread(|| {
        let mut runtime = runtime(config, program);
        unpick_analysis::explain(&failing, config.shrink, &mut |plan| {
            (Instant::now() < deadline).then(|| run(&mut *runtime, plan, &limits))
        })
    }))
}

/// Runs `program` once along a plan, as far as it lets itself be led.
pub fn follow(config: &Config, program: &(dyn Fn() + Send + Sync), plan: &Plan) -> Ended {
    on_own_thread(|| run(&mut *runtime(config, program), plan, &limits(config)))
}

/// One execution.
fn limits(config: &Config) -> Limits {
    Limits {
        executions_max: 1,
        fingerprint: false,
        classes: false,
        ..config.limits()
    }
}

fn run(runtime: &mut dyn Runtime, plan: &Plan, limits: &Limits) -> Ended {
    let mut strategy = Follow::new(plan.clone());
    let go_on = &mut |_: &_| Control::Continue;
    let found = unpick_engine::explore(runtime, &mut strategy, limits, go_on);
    match found.first_failure {
        Some(failure) => Ended {
            outcome: failure.outcome,
            trace: failure.trace,
        },
        None => {
            let execution = runtime.execution();
            Ended {
                outcome: execution.outcome().cloned().unwrap_or(Outcome::Pass),
                trace: execution.trace().detached(),
            }
        }
    }
}
