//! Plans followed by a closure: its failing schedules shrunk and explained, or looked for near one that no
//! longer fits.

use crate::explore::runtime;
use crate::rt::on_fit_thread;
use crate::{Config, FirstFailure};
use std::time::{Duration, Instant};
use unpick_analysis::{Ended, Meaning, Near, Understanding};
use unpick_engine::{Control, Limits, Runtime};
use unpick_strategies::Follow;
use unpick_trace::{Outcome, Plan, Trace};

/// How long each of these may take.
const TIME_MAX: Duration = Duration::from_secs(5);

/// The smallest failure of `program` found that is the same as `failure`, with fewest preemptions first, then
/// fewest steps, then fewest tasks; which orderings make it happen, and what that is called. Each takes
/// [`Config::shrink`] executions at most; nothing is done if that is 0.
pub fn understand(
    config: &Config,
    program: &(dyn Fn() + Send + Sync),
    failure: &FirstFailure,
) -> Option<(FirstFailure, Understanding)> {
    if config.shrink == 0 {
        return None;
    }
    let failing = Ended {
        outcome: failure.outcome.clone(),
        trace: failure.trace.clone(),
    };
    let limits = limits(config);
    let (shrunk, explanation) = on_fit_thread(|| {
        let mut runtime = runtime(config, program);
        let mut deadline = Instant::now() + TIME_MAX;
        let mut timely = |plan: &Plan, deadline| {
            (Instant::now() < deadline).then(|| run(&mut *runtime, plan, &limits))
        };
        let shrunk =
            unpick_analysis::shrink(failing, config.shrink, &mut |plan| timely(plan, deadline));
        deadline = Instant::now() + TIME_MAX;
        let run = &mut |plan: &Plan| timely(plan, deadline);
        // Drop-in types tell the places of those who use them.
        let explanation =
            unpick_analysis::explain(&shrunk.least, config.shrink, &|_| Meaning::Own, run);
        (shrunk, explanation)
    });
    let known = Understanding::new(&failure.trace, &shrunk, explanation);
    let least = FirstFailure {
        outcome: shrunk.least.outcome,
        trace: shrunk.least.trace,
        ..failure.clone()
    };
    Some((least, known))
}

/// Looks for a failure of `program` near a schedule that was recorded when it was another one.
pub fn near(config: &Config, program: &(dyn Fn() + Send + Sync), recorded: &Trace) -> Near {
    let limits = limits(config);
    let deadline = Instant::now() + TIME_MAX;
    on_fit_thread(|| {
        let mut runtime = runtime(config, program);
        unpick_analysis::near(recorded, &mut |plan| {
            (Instant::now() < deadline).then(|| run(&mut *runtime, plan, &limits))
        })
    })
}

/// Runs `program` once along a plan, as far as it lets itself be led.
pub fn follow(config: &Config, program: &(dyn Fn() + Send + Sync), plan: &Plan) -> Ended {
    on_fit_thread(|| run(&mut *runtime(config, program), plan, &limits(config)))
}

/// One execution.
pub(crate) fn limits(config: &Config) -> Limits {
    Limits {
        executions_max: 1,
        fingerprint: false,
        classes: false,
        coverage: false,
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
