//! Any number of workers, and any number of shards put together, find the same as one: counts,
//! bounds, first failure with its rank and trace, fingerprint, and why it ended.

#[path = "brute_force/program.rs"]
mod program;

use program::{Program, programs, run};
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use std::sync::{Arc, Mutex};
use unpick::{Config, Exploration, StopReason, explore, merge};

const SEARCHES: &[&str] = &[
    "dfs",
    "ipb",
    "idb",
    "ipb:beyond=1",
    "idb:bound=2",
    "idb:beyond=1",
];

/// Reductions whose workers find what one finds; of shards only the states are the same.
const REDUCTIONS: &[&str] = &["dpor:part=2", "odpor:part=1", "odpor:part=3"];

/// Programs with more schedules than this are left out.
const SCHEDULES_MAX: u64 = 1_500;

fn runner(cases: u32) -> TestRunner {
    let cases = Cases {
        cases,
        failure_persistence: None,
        max_global_rejects: 1_000_000,
        ..Cases::default()
    };
    TestRunner::new_with_rng(cases, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

fn config(strategy: &str) -> Config {
    Config::new()
        .strategy(strategy)
        .executions(10_000_000)
        .fingerprint(true)
        .spurious_wakes(0)
        .weak_failures(0)
}

/// To find out how many schedules a program has.
fn size_config() -> Config {
    config("dfs").executions(SCHEDULES_MAX).keep_going(true)
}

fn body(program: &Program) -> impl Fn() + Send + Sync + Clone + 'static {
    let program = program.clone();
    move || run(&program, &Arc::default())
}

fn merged<F: Fn() + Send + Sync + Clone + 'static>(
    config: &Config,
    count: u32,
    program: &F,
) -> Exploration {
    let shards: Vec<_> = (1..=count)
        .map(|index| explore(config.clone().shard(index, count), program.clone()))
        .collect();
    merge(config, &shards).unwrap()
}

#[test]
fn workers_and_shards_find_what_one_finds() {
    let seen = Mutex::new((0, 0, 0));
    runner(120)
        .run(&(programs(), any::<bool>()), |(program, keep_going)| {
            let body = body(&program);
            let size = explore(size_config(), body.clone());
            let is_large = size.stopped_because == StopReason::Executions;
            if is_large || size.executions < 10 && size.failures == 0 {
                return Err(TestCaseError::reject("too many schedules, or too few"));
            }
            for strategy in SEARCHES.iter().chain(REDUCTIONS) {
                let config = config(strategy).keep_going(keep_going);
                let alone = explore(config.clone(), body.clone());
                for jobs in [2, 3, 5] {
                    let shared = explore(config.clone().jobs(jobs), body.clone());
                    prop_assert_eq!(
                        &shared,
                        &alone,
                        "{} workers: {} {}",
                        jobs,
                        strategy,
                        program
                    );
                }
                let shards = if SEARCHES.contains(strategy) {
                    1..=5
                } else {
                    0..=0
                };
                for count in shards.filter(|&count| count > 0) {
                    let whole = merged(&config, count, &body);
                    prop_assert_eq!(&whole, &alone, "{} shards: {} {}", count, strategy, program);
                }
            }
            let mut seen = seen.lock().unwrap();
            seen.0 += 1;
            seen.1 += usize::from(size.failures > 0);
            seen.2 += size.executions;
            Ok(())
        })
        .unwrap();
    let (programs, failing, executions) = *seen.lock().unwrap();
    assert!(
        programs - failing >= 20 && failing >= 20,
        "{failing} of {programs} fail"
    );
    assert!(executions >= 5_000, "only {executions} schedules");
}

/// A budget ends the search after exactly so many executions, the first ones in its order.
#[test]
fn workers_keep_to_the_budget() {
    runner(60)
        .run(
            &(programs(), any::<bool>(), 0.0..1.1f64),
            |(program, keep_going, share)| {
                let body = body(&program);
                let size = explore(size_config(), body.clone());
                if size.executions < 20 {
                    return Err(TestCaseError::reject("too few schedules"));
                }
                for strategy in SEARCHES.iter().chain(REDUCTIONS) {
                    let budget = ((size.executions as f64 * share) as u64).max(1);
                    for budget in [budget, size.executions] {
                        let config = config(strategy).keep_going(keep_going).executions(budget);
                        let alone = explore(config.clone(), body.clone());
                        for jobs in [2, 3, 5] {
                            let shared = explore(config.clone().jobs(jobs), body.clone());
                            let about = format!("{jobs} workers, {budget}: {strategy} {program}");
                            prop_assert_eq!(&shared, &alone, "{}", about);
                        }
                    }
                }
                Ok(())
            },
        )
        .unwrap();
}

/// Many schedules: long chunks, many splits, and a budget that ends within one.
#[test]
fn a_larger_search_is_cut_exactly() {
    use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
    let program = || {
        let shared = Arc::new(AtomicU32::new(0));
        let tasks = [0, 1, 2].map(|_| {
            let shared = Arc::clone(&shared);
            unpick::thread::spawn(move || {
                (0..3).for_each(|_| {
                    shared.fetch_add(1, SeqCst);
                });
            })
        });
        tasks.into_iter().for_each(|task| task.join().unwrap());
    };
    for strategy in ["dfs", "idb"] {
        for budget in [5_000, 9_999, 1_000_000] {
            let config = config(strategy).executions(budget);
            let alone = explore(config.clone(), program);
            let shared = explore(config.clone().jobs(3), program);
            assert_eq!(shared, alone, "{strategy}, {budget}");
        }
    }
}

/// When time is over, all workers end, and what they have run counts.
#[test]
fn time_ends_all_workers() {
    let program = || {
        let tasks = [0, 1, 2, 3]
            .map(|_| unpick::thread::spawn(|| (0..50).for_each(|_| unpick::thread::yield_now())));
        tasks.into_iter().for_each(|task| task.join().unwrap());
    };
    for strategy in ["dfs", "ipb", "idb"] {
        let config = config(strategy)
            .executions(u64::MAX)
            .time(std::time::Duration::from_millis(50));
        for config in [config.clone().jobs(3), config.shard(1, 2).jobs(2)] {
            let found = explore(config, program);
            assert_eq!(found.stopped_because, StopReason::Time, "{strategy}");
            assert!(found.executions > 0 && !found.complete);
        }
    }
}
