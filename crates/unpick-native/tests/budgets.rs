//! Long executions: the time that the user allows bounds all of the work, and nothing is too long to be handed
//! over. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use std::time::{Duration, Instant};
use support::{Place, options};
use unpick_engine::StopReason;
use unpick_native::drive::{Options, Verification, explore, verify};

fn long(strategy: &str, executions: u64) -> Options {
    let mut options = options(strategy, executions);
    options.settings.steps_max = 10_000_000;
    options
}

/// An execution takes longer than the time allows. It is cut short, and so is the comparison of back-ends.
#[test]
fn the_time_ends_an_execution_that_takes_longer() {
    let place = Place::new("budgets-time");
    // So long that no machine comes to its end before the time is over.
    let turns = ["-DFIXED", "-DTURNS=1000000000"];
    let command = place.build_with("long/counter.c", &turns);
    let mut options = long("random", 1_000);
    options.time = Some(Duration::from_millis(600));
    let start = Instant::now();
    let found = explore(&command, &options, &mut |_| true).unwrap();
    let time = start.elapsed();
    let found = found.exploration;
    assert_eq!((found.failures, found.schedules), (0, 0));
    assert_eq!(found.stopped_because, StopReason::Time);
    // Six executions only to compare back-ends take some ten times as long.
    assert!(time < Duration::from_secs(3), "took {time:?}");
}

/// The failure of an execution of more than a million steps reaches the driver, and is replayed.
#[test]
fn a_failure_behind_a_million_steps_is_not_lost() {
    let place = Place::new("budgets-steps");
    let command = place.build_with("long/counter.c", &["-DTURNS=600000"]);
    // One task after the other: few switches of threads.
    let options = long("dfs", 1);
    let found = explore(&command, &options, &mut |_| true).unwrap();
    let failure = found.exploration.first_failure.as_ref().expect("it fails");
    assert!(failure.trace.steps.len() > 1_200_000);
    let verified = verify(&command, &options, &found, failure).unwrap();
    assert!(
        matches!(verified, Verification::Confirmed { .. }),
        "{verified:?}"
    );
}
