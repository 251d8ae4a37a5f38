//! What a program answers, and how it fails, under every schedule there is.

// Every test program uses its own share of this.
#![allow(dead_code)]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use unpick::trace::{FailureKind, Outcome};
use unpick::{Config, Exploration};

/// Every schedule, and nothing but schedules: no spurious wake-ups, no weak failures.
pub fn every_schedule() -> Config {
    Config::new()
        .strategy("dfs")
        .executions(1_000_000)
        .spurious_wakes(0)
        .weak_failures(0)
}

/// The answers of a program that must not fail under any schedule.
#[track_caller]
pub fn answers<A, F>(program: F) -> BTreeSet<A>
where
    A: Ord + Send + 'static,
    F: Fn() -> A + Send + Sync + 'static,
{
    answers_with(every_schedule(), program).0
}

/// The answers of a program that must not fail, and what else was found.
#[track_caller]
pub fn answers_with<A, F>(config: Config, program: F) -> (BTreeSet<A>, Exploration)
where
    A: Ord + Send + 'static,
    F: Fn() -> A + Send + Sync + 'static,
{
    let given = Arc::new(Mutex::new(BTreeSet::new()));
    let gather = Arc::clone(&given);
    let exploration = unpick::explore(config, move || {
        let answer = program();
        gather.lock().unwrap().insert(answer);
    });
    if let Some(failure) = &exploration.first_failure {
        panic!("it fails: {:?}", failure.outcome);
    }
    assert!(exploration.diverged.is_none(), "{:?}", exploration.diverged);
    assert!(exploration.complete, "not all schedules were explored");
    let given = std::mem::take(&mut *given.lock().unwrap());
    (given, exploration)
}

/// The outcome of the first schedule under which a program fails.
#[track_caller]
pub fn failure<F: Fn() + Send + Sync + 'static>(program: F) -> Outcome {
    let exploration = unpick::explore(every_schedule(), program);
    let failure = exploration.first_failure.expect("it fails");
    failure.outcome
}

/// Asserts that a program fails in this way.
#[track_caller]
pub fn assert_fails<F>(kind: FailureKind, message: &str, program: F)
where
    F: Fn() + Send + Sync + 'static,
{
    match failure(program) {
        Outcome::Fail(failure) => {
            assert_eq!(failure.kind, kind, "{failure:?}");
            assert!(failure.message.contains(message), "{failure:?}");
        }
        other => panic!("{other:?}"),
    }
}

/// Asserts that a program can deadlock.
#[track_caller]
pub fn assert_deadlocks<F: Fn() + Send + Sync + 'static>(program: F) {
    let outcome = failure(program);
    assert!(matches!(outcome, Outcome::Deadlock(_)), "{outcome:?}");
}

/// Explores all schedules of a program of which some fail, and asserts that all were seen and that
/// nothing of one execution reached the next. Returns the number of failing schedules and of all.
#[track_caller]
pub fn outlives_failures<F: Fn() + Send + Sync + 'static>(program: F) -> (u64, u64) {
    let exploration = unpick::explore(every_schedule().keep_going(true), program);
    assert!(exploration.diverged.is_none(), "{:?}", exploration.diverged);
    assert!(exploration.complete, "not all schedules were explored");
    assert!(exploration.failures > 0, "no schedule fails");
    assert!(!std::thread::panicking(), "the count of panics is spoilt");
    (exploration.failures, exploration.schedules)
}
