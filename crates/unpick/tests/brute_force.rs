//! The engine against independent truth: random small programs, enumerated by brute force.
//!
//! The enumerator below knows nothing of the engine: it is a state machine over the same programs,
//! written from the definitions (one transition an operation, enabledness, order of branches). The
//! depth-first search must run exactly its schedules, in its order, and see the same values.

#[path = "brute_force/enumerator.rs"]
mod enumerator;
#[path = "brute_force/program.rs"]
mod program;

use enumerator::{End, enumerate};
use program::{Program, programs, run};
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use std::sync::{Arc, Mutex};
use unpick::Config;
use unpick::trace::{Header, Outcome, Record, decode, encode};

/// Programs with more schedules than this are not enumerated.
const SCHEDULES_MAX: usize = 4_000;

fn config(strategy: &str) -> Config {
    Config::new()
        .strategy(strategy)
        .executions(10_000_000)
        .keep_going(true)
        .spurious_wakes(0)
        .weak_failures(0)
}

/// A runner with a fixed seed: the same programs on every machine.
fn runner(cases: u32) -> TestRunner {
    let cases = Cases {
        cases,
        failure_persistence: None,
        max_global_rejects: 1_000_000,
        ..Cases::default()
    };
    TestRunner::new_with_rng(cases, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn dfs_runs_exactly_the_schedules_of_the_enumerator() {
    let counted = Mutex::new((0usize, 0usize));
    runner(1_500)
        .run(&programs(), |program| {
            let Some(expected) = enumerate(&program, SCHEDULES_MAX) else {
                return Err(TestCaseError::reject("too many schedules"));
            };
            let log = Arc::new(Mutex::new(Vec::new()));
            let found = {
                let (program, log) = (program.clone(), Arc::clone(&log));
                unpick::explore(config("dfs"), move || run(&program, &log))
            };
            let seen = log.lock().unwrap();
            let wanted: Vec<_> = expected.iter().map(|schedule| &schedule.events).collect();
            prop_assert_eq!(seen.iter().collect::<Vec<_>>(), wanted, "{}", program);
            let deadlocks = expected
                .iter()
                .filter(|schedule| schedule.end == End::Deadlock);
            prop_assert_eq!(found.failures as usize, deadlocks.count(), "{}", program);
            prop_assert_eq!(found.schedules as usize, expected.len());
            prop_assert!(found.complete);
            let mut counted = counted.lock().unwrap();
            counted.0 += 1;
            counted.1 += expected.len();
            Ok(())
        })
        .unwrap();
    let (programs, schedules) = *counted.lock().unwrap();
    assert!(programs >= 1_000, "only {programs} programs");
    assert!(schedules >= 20_000, "only {schedules} schedules");
}

/// The schedules of a bound are those of the enumerator with that cost, each run once.
#[test]
fn bounded_searches_count_schedules_by_their_cost() {
    runner(300)
        .run(&programs(), |program| {
            let Some(expected) = enumerate(&program, 1_000) else {
                return Err(TestCaseError::reject("too many schedules"));
            };
            for (strategy, cost) in [
                (
                    "ipb:beyond=1",
                    (|schedule| schedule.preemptions) as fn(&enumerator::Schedule) -> u32,
                ),
                ("idb:beyond=1", |schedule| schedule.delays),
            ] {
                let log = Arc::new(Mutex::new(Vec::new()));
                let found = {
                    let (program, log) = (program.clone(), Arc::clone(&log));
                    unpick::explore(config(strategy), move || run(&program, &log))
                };
                prop_assert!(found.complete);
                // A stable sort by cost: depth-first order within a bound.
                let mut ordered: Vec<_> = expected.iter().collect();
                ordered.sort_by_key(|schedule| cost(schedule));
                let wanted: Vec<_> = ordered.iter().map(|schedule| &schedule.events).collect();
                let seen = log.lock().unwrap();
                prop_assert_eq!(
                    seen.iter().collect::<Vec<_>>(),
                    wanted,
                    "{} {}",
                    strategy,
                    program
                );
                for bound in &found.bounds {
                    let of_bound = ordered.iter().filter(|one| cost(one) == bound.bound);
                    prop_assert_eq!(bound.schedules as usize, of_bound.count());
                }
            }
            Ok(())
        })
        .unwrap();
}

/// Record, save, load, replay: the same trace, for every strategy.
#[test]
fn every_strategy_is_replayed_step_by_step() {
    let strategies: Vec<&str> = unpick::techniques().iter().map(|one| one.name).collect();
    runner(60)
        .run(&(programs(), any::<u64>()), |(program, seed)| {
            for strategy in &strategies {
                round_trip(&program, strategy, seed)?;
            }
            Ok(())
        })
        .unwrap();
}

fn round_trip(program: &Program, strategy: &str, seed: u64) -> Result<(), TestCaseError> {
    // Every execution fails, at its end if not before, so that its trace is kept.
    let body = {
        let program = program.clone();
        move || {
            run(&program, &Arc::default());
            panic!("the end");
        }
    };
    let config = Config::new().strategy(strategy).seed(seed).executions(1);
    let found = unpick::explore(config.clone(), body.clone());
    let failure = found.first_failure.expect("every execution fails");
    let record = Record {
        header: Header::default(),
        trace: failure.trace,
        outcome: failure.outcome,
        passing: None,
    };
    let loaded = decode(&encode(&record)).expect("what was encoded can be decoded");
    prop_assert_eq!(&loaded, &record);
    let replayed = unpick::replay(&config, &body, loaded.trace);
    let again = replayed.first_failure.expect("the replay fails too");
    prop_assert_eq!(&again.trace, &record.trace);
    prop_assert_eq!(again.trace.hash(), record.trace.hash());
    prop_assert_eq!(again.outcome, record.outcome);
    Ok(())
}

#[test]
fn a_trace_of_another_program_diverges_at_the_first_difference() {
    let stores = |count: u32| {
        move || {
            let x = unpick::sync::atomic::AtomicU32::new(0);
            for value in 0..count {
                x.store(value, unpick::sync::atomic::Ordering::SeqCst);
            }
            panic!("the end");
        }
    };
    let recorded = unpick::explore(Config::new(), stores(3))
        .first_failure
        .unwrap();
    let step_of = |count: u32| {
        let found = unpick::replay(&Config::new(), &stores(count), recorded.trace.clone());
        match found.diverged.expect("it diverges").outcome {
            Outcome::Diverged(divergence) => divergence.step,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(step_of(2), 2);
    assert_eq!(step_of(4), 3);
}
