//! One seed, one exploration: in every process, for every number of workers, for ever.

use std::process::Command;
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};
use unpick::{Config, Exploration, explore, thread};

/// A program with locks, a condition variable, atomics and data.
fn program() {
    let shared = Arc::new((Mutex::new(false), Condvar::new(), AtomicUsize::new(0)));
    let other = Arc::clone(&shared);
    let waiter = thread::spawn(move || {
        let mut ready = other.0.lock().unwrap();
        while !*ready {
            ready = other.1.wait(ready).unwrap();
        }
        other.2.fetch_add(unpick::choose(3) as usize, SeqCst);
    });
    let others: Vec<_> = (0..2)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                let value = shared.2.load(SeqCst);
                shared.2.store(value + 1, SeqCst);
            })
        })
        .collect();
    *shared.0.lock().unwrap() = true;
    shared.1.notify_one();
    others.into_iter().for_each(|task| task.join().unwrap());
    waiter.join().unwrap();
    assert!(
        shared.2.load(SeqCst) != 1 || unpick::choose(5) != 4,
        "lost update"
    );
}

const EXHAUSTIVE: &[&str] = &["dfs", "ipb", "idb", "round-robin"];

const RANDOMISED: &[&str] = &[
    "portfolio",
    "random",
    "random:linger=4",
    "pct",
    "pct:d=2,k=20",
    "ppct",
    "ppct:d=2,n=4,k=20",
    "pos",
    "surw",
    "surw:all=1",
    "preempt-always",
    "preempt-bound",
    "random-sleep",
    "atom-fuzzer",
    "actor-random",
    "actor-pct",
];

fn run(strategy: &str, jobs: usize, keep_going: bool) -> Exploration {
    explore(config(strategy, keep_going).jobs(jobs), program)
}

fn config(strategy: &str, keep_going: bool) -> Config {
    Config::new()
        .strategy(strategy)
        .seed(42)
        .executions(3_000)
        .fingerprint(true)
        .keep_going(keep_going)
}

/// The fingerprints of all strategies, one a line.
fn fingerprints() -> String {
    let all = RANDOMISED.iter().chain(EXHAUSTIVE);
    all.map(|strategy| format!("{strategy} {:016x}\n", run(strategy, 1, true).hash))
        .collect()
}

#[test]
fn two_processes_see_the_same() {
    const CHILD: &str = "UNPICK_DETERMINISM_CHILD";
    if std::env::var_os(CHILD).is_some() {
        println!("FINGERPRINTS\n{}END", fingerprints());
        return;
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "two_processes_see_the_same", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let text = String::from_utf8(child.stdout).unwrap();
    let start = text.find("FINGERPRINTS\n").expect("the child reports") + "FINGERPRINTS\n".len();
    let end = text.find("END").expect("the child reports to the end");
    assert_eq!(text[start..end], fingerprints());
}

/// Fails when a change alters what a seed means. Then old reports cannot be reproduced by seed, so
/// there must be a very good reason.
#[test]
fn seeds_mean_what_they_always_meant() {
    let pinned = include_str!("determinism/pinned.txt");
    assert_eq!(fingerprints(), pinned);
}

#[test]
fn any_number_of_workers_finds_the_same() {
    for strategy in RANDOMISED.iter().chain(EXHAUSTIVE) {
        for keep_going in [true, false] {
            let alone = run(strategy, 1, keep_going);
            let fails = alone.first_failure.is_some();
            assert!(fails || EXHAUSTIVE.contains(strategy), "{strategy}");
            for jobs in [2, 3, 5] {
                let shared = run(strategy, jobs, keep_going);
                assert_eq!(shared.hash, alone.hash, "{strategy}, {jobs} workers");
                assert_eq!(shared, alone, "{strategy}, {jobs} workers");
            }
        }
    }
}

/// One that is seldom long: what is learned of it changes late.
fn seldom_long() {
    let number = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&number);
    let rounds = if unpick::choose(600) == 0 { 40 } else { 2 };
    let task = thread::spawn(move || {
        (0..rounds).for_each(|_| {
            other.fetch_add(1, SeqCst);
        });
    });
    (0..rounds).for_each(|_| {
        number.fetch_add(1, SeqCst);
    });
    task.join().unwrap();
}

/// A slice that begins within an epoch runs the rest of it with what was known at its beginning.
#[test]
fn a_slice_learns_when_the_whole_does() {
    for strategy in ["pct", "portfolio"] {
        for seed in 0..8 {
            let config = config(strategy, true).seed(seed);
            let whole = explore(config.clone(), seldom_long);
            let shards: Vec<Exploration> = (1..=2)
                .map(|index| explore(config.clone().shard(index, 2), seldom_long))
                .collect();
            let merged = unpick::merge(&config, &shards).unwrap();
            assert_eq!(merged.hash, whole.hash, "{strategy}, seed {seed}");
        }
    }
}

/// What was learned before a slice is found out again, up to the last execution that teaches.
#[test]
fn the_slices_of_any_number_of_shards_are_the_whole() {
    for strategy in RANDOMISED {
        for (executions, keep_going) in [(3_000, true), (3_000, false), (9_000, true)] {
            let config = config(strategy, keep_going).executions(executions);
            let whole = explore(config.clone(), program);
            for count in [1, 2, 5] {
                let shards: Vec<Exploration> = (1..=count)
                    .map(|index| explore(config.clone().shard(index, count).jobs(2), program))
                    .collect();
                let merged = unpick::merge(&config, &shards).unwrap();
                assert_eq!(merged, whole, "{strategy}, {count} shards");
            }
        }
    }
}
