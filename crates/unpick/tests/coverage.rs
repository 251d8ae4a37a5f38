//! How much of a program an exploration says to have seen, against programs whose numbers are known.

use std::sync::Arc;
use std::sync::Mutex;
use unpick::sync::atomic::{AtomicU64, Ordering};
use unpick::{Config, Control, Covered, Exploration, explore, explore_observed, thread};

/// `tasks` tasks with `steps` writes each to one variable: as many histories as schedules.
fn writers(tasks: u64, steps: u64) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let shared = Arc::new(AtomicU64::new(0));
        let all: Vec<_> = (0..tasks)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    for _ in 0..steps {
                        shared.fetch_add(1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        for task in all {
            task.join().unwrap();
        }
    }
}

fn config(strategy: &str) -> Config {
    Config::new()
        .strategy(strategy)
        .executions(100_000)
        .coverage(true)
}

fn covered(found: &Exploration) -> Covered {
    found.covered().unwrap()
}

#[test]
fn nothing_is_counted_unless_asked_for() {
    let found = explore(Config::new().executions(10), writers(2, 2));
    assert_eq!(found.coverage, None);
}

#[test]
fn random_strategies_see_every_history_in_the_end() {
    // Every order in which two tasks write three times, and one history of the main task each.
    let all = explore(config("dfs"), writers(2, 3));
    assert!(all.complete);
    let right = covered(&all).histories;
    let few = covered(&explore(config("random").executions(10), writers(2, 3)));
    let many = covered(&explore(config("random").executions(5_000), writers(2, 3)));
    assert_eq!(many.histories, right);
    assert_eq!(few.schedules, 10);
    assert!(few.histories < right && few.unseen() > Some(0.2), "{few:?}");
    assert!(many.unseen() < Some(0.001), "{many:?}");
    assert_eq!(many.tree_done(), None);
}

#[test]
fn workers_and_shards_cover_what_one_covers() {
    for strategy in ["random", "portfolio", "dfs", "ipb", "idb"] {
        let config = config(strategy).executions(3_000);
        let one = explore(config.clone(), writers(3, 3)).coverage;
        for jobs in [2, 3] {
            let many = explore(config.clone().jobs(jobs), writers(3, 3)).coverage;
            assert_eq!(many, one, "{strategy} with {jobs} workers");
        }
        if strategy == "random" {
            let shard = |index| explore(config.clone().shard(index, 2), writers(3, 3));
            let whole = unpick::merge(&config, &[shard(1), shard(2)]).unwrap();
            assert_eq!(whole.coverage, one);
        }
    }
}

/// Searches with the part of the tree that they tell at their end, at least, and how far off the estimate of
/// the whole is after half of the executions, at most. Branches that a cache leaves out after the last
/// execution are not told.
const SEARCHES: &[(&str, f64, f64)] = &[
    ("dfs", 1.0 - 1e-9, 3.0),
    ("ipb", 1.0 - 1e-9, 3.0),
    ("idb", 1.0 - 1e-9, 3.0),
    ("hbr-cache", 0.5, 8.0),
    ("lazy-hbr-cache", 0.5, 8.0),
];

#[test]
fn the_tree_is_walked_forwards_to_its_end() {
    for (strategy, end, factor) in SEARCHES {
        for (tasks, steps) in [(2, 2), (2, 4), (3, 2), (3, 3)] {
            let told = Mutex::new(vec![0.0]);
            let program = writers(tasks, steps);
            let found = explore_observed(&config(strategy), &program, &|found| {
                told.lock().unwrap().extend(covered(found).tree_done());
                Control::Continue
            });
            assert!(found.complete);
            let mut told = told.into_inner().unwrap();
            told.extend(covered(&found).tree_done());
            assert!(told.is_sorted(), "{strategy}: {told:?}");
            assert!(
                (*end..=1.0).contains(&told[told.len() - 1]),
                "{strategy}: {told:?}"
            );
            let half = found.executions / 2;
            let part = explore(config(strategy).executions(half), program);
            let estimate = covered(&part).tree_estimate(part.executions).unwrap();
            let off = estimate / found.executions as f64;
            assert!(
                (1.0 / factor..=*factor).contains(&off),
                "{strategy}, {tasks} times {steps}: {estimate} for {}",
                found.executions
            );
        }
    }
}
