//! The portfolio: complete only if every schedule was run, the same for all workers and shards, and it
//! says who found a failure.

#[path = "brute_force/program.rs"]
mod program;

use program::{Program, programs, run};
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::{
    Config, Exploration, FailureGroups, GROUPS_MAX, StopReason, explore, explore_visited, merge,
    thread,
};

fn config(strategy: &str) -> Config {
    Config::new()
        .strategy(strategy)
        .executions(2_000)
        .fingerprint(true)
        .keep_going(true)
}

fn body(program: &Program) -> impl Fn() + Send + Sync + Clone + 'static {
    let program = program.clone();
    move || run(&program, &Arc::default())
}

/// What was found, and the schedules that were run.
fn schedules(strategy: &str, program: &(dyn Fn() + Send + Sync)) -> (Exploration, BTreeSet<u64>) {
    let mut seen = BTreeSet::new();
    let found = explore_visited(&config(strategy), program, &mut |execution| {
        seen.insert(execution.trace().hash());
    });
    (found, seen)
}

fn for_random_programs(cases: u32, check: impl Fn(&Program) -> Result<(), TestCaseError>) {
    let cases = Cases {
        cases,
        failure_persistence: None,
        max_global_rejects: 1_000_000,
        ..Cases::default()
    };
    let mut runner =
        TestRunner::new_with_rng(cases, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    runner.run(&programs(), |program| check(&program)).unwrap();
}

#[test]
fn it_is_complete_when_every_schedule_was_run_and_only_then() {
    let counts = Mutex::new([0; 2]);
    for_random_programs(200, |program| {
        let body = body(program);
        let (all, every) = schedules("dfs", &body);
        let (found, seen) = schedules("portfolio", &body);
        if found.complete {
            prop_assert!(all.complete && every.is_subset(&seen), "{program}");
            prop_assert_eq!(found.stopped_because, StopReason::Exhausted);
            prop_assert_eq!(found.failures > 0, all.failures > 0, "{}", program);
        } else {
            prop_assert_eq!(found.executions, 2_000);
            prop_assert!(every.len() > 40, "{} schedules: {program}", every.len());
        }
        counts.lock().unwrap()[usize::from(found.complete)] += 1;
        Ok(())
    });
    let [open, complete] = *counts.lock().unwrap();
    assert!(
        open >= 20 && complete >= 20,
        "{complete} of {}",
        open + complete
    );
}

/// An exploration keeps the first few kinds of failures, and so does each shard of it: where there are more
/// kinds, which ones a shard keeps depends on where it begins.
fn comparable(mut found: Exploration) -> Exploration {
    if found.groups.list().len() == GROUPS_MAX {
        found.groups = FailureGroups::default();
    }
    found
}

#[test]
fn workers_and_shards_come_to_the_same_end() {
    for_random_programs(60, |program| {
        let body = body(program);
        for executions in [50, 100, 300] {
            for keep_going in [false, true] {
                let config = config("portfolio")
                    .executions(executions)
                    .keep_going(keep_going);
                let alone = comparable(explore(config.clone(), body.clone()));
                for jobs in [2, 4] {
                    let shared = comparable(explore(config.clone().jobs(jobs), body.clone()));
                    prop_assert_eq!(&shared, &alone, "{} workers: {}", jobs, program);
                }
                for count in [2, 4] {
                    let shards: Vec<_> = (1..=count)
                        .map(|index| explore(config.clone().shard(index, count), body.clone()))
                        .collect();
                    let whole = comparable(merge(&config, &shards).unwrap());
                    prop_assert_eq!(&whole, &alone, "{} shards: {}", count, program);
                }
            }
        }
        Ok(())
    });
}

/// A program that fails in a single order of many operations.
fn lost_update() {
    let total = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&total);
    let task = thread::spawn(move || {
        let seen = other.load(SeqCst);
        other.store(seen + 1, SeqCst);
    });
    let seen = total.load(SeqCst);
    total.store(seen + 1, SeqCst);
    task.join().unwrap();
    assert_eq!(total.load(SeqCst), 2);
}

#[test]
fn a_failure_names_the_member_that_led_to_it() {
    let failure = explore(Config::new().strategy("portfolio"), lost_update);
    let failure = failure.first_failure.unwrap();
    // One operation a turn is enough for it.
    assert_eq!(failure.execution, 2);
    assert_eq!(failure.member.as_deref(), Some("round-robin"));
    let failure = explore(Config::new().strategy("pct"), lost_update);
    assert_eq!(failure.first_failure.unwrap().member, None);
}
