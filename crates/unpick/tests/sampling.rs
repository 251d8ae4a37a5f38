//! Randomised strategies against what their papers promise.
//!
//! Seeds are fixed, so these tests give the same numbers every time; the bounds are wide enough to
//! hold for nearly every other seed as well.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::{Config, Exploration, explore, thread};

/// Tasks that all begin at once, each with as many operations; the order in which they act.
fn order_of(lengths: &[usize]) -> Vec<usize> {
    let order = Arc::new(Mutex::new(Vec::new()));
    let bodies = lengths
        .iter()
        .enumerate()
        .map(|(task, &length)| {
            let order = Arc::clone(&order);
            Box::new(move || {
                let own = AtomicUsize::new(0);
                for _ in 0..length {
                    own.fetch_add(1, SeqCst);
                    order.lock().unwrap().push(task);
                }
            }) as Box<dyn FnOnce() + Send>
        })
        .collect();
    thread::spawn_all(bodies);
    // Parked until the last task has acted, so that the order is complete.
    let total = lengths.iter().sum();
    while order.lock().unwrap().len() < total {
        thread::yield_now();
    }
    let order = order.lock().unwrap();
    order.clone()
}

/// How often each order of actions came up.
fn histogram(
    strategy: &str,
    executions: u64,
    lengths: &'static [usize],
) -> BTreeMap<Vec<usize>, u64> {
    let seen = Arc::new(Mutex::new(BTreeMap::new()));
    let counted = Arc::clone(&seen);
    let config = Config::new()
        .strategy(strategy)
        .executions(executions)
        .seed(3);
    let found = explore(config, move || {
        let order = order_of(lengths);
        *counted.lock().unwrap().entry(order).or_insert(0) += 1;
    });
    assert!(found.is_clean());
    let mut seen = seen.lock().unwrap();
    std::mem::take(&mut *seen)
}

/// Pearson's statistic against equal shares.
fn chi_square(counts: &BTreeMap<Vec<usize>, u64>, classes: usize) -> f64 {
    let total: u64 = counts.values().sum();
    let expected = total as f64 / classes as f64;
    let seen: f64 = counts
        .values()
        .map(|&count| (count as f64 - expected).powi(2) / expected)
        .sum();
    seen + expected * (classes - counts.len()) as f64
}

/// URW: all interleavings are equally likely, also of tasks of different length.
#[test]
fn the_uniform_random_walk_is_uniform() {
    for (lengths, classes) in [(&[4, 4][..], 70), (&[1, 9], 10), (&[2, 2, 2], 90)] {
        let lengths: &'static [usize] = lengths.to_vec().leak();
        let counts = histogram("surw:all=1", 20_000, lengths);
        let statistic = chi_square(&counts, classes);
        // The mean is classes - 1, the deviation sqrt(2 (classes - 1)).
        let degrees = (classes - 1) as f64;
        assert!(
            statistic < degrees + 6.0 * (2.0 * degrees).sqrt(),
            "{lengths:?}: {statistic} for {degrees} degrees"
        );
    }
}

/// Plain random scheduling is not uniform: a short task comes early.
#[test]
fn plain_random_scheduling_favours_early_short_tasks() {
    let counts = histogram("random", 20_000, &[1, 9]);
    let first = counts[&[vec![0], vec![1; 9]].concat()] as f64 / 20_000.0;
    let last = counts
        .get(&[vec![1; 9], vec![0]].concat())
        .copied()
        .unwrap_or(0);
    assert!(first > 0.25, "{first}");
    assert!((last as f64) < 0.02 * 20_000.0, "{last}");
}

/// Setters write a pair one half after the other, and the last task to be created looks at it.
fn half_a_pair() {
    const SETTERS: usize = 9;
    let pair = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let mut tasks: Vec<_> = (0..SETTERS)
        .map(|_| {
            let pair = Arc::clone(&pair);
            thread::spawn(move || pair.iter().for_each(|half| half.store(1, SeqCst)))
        })
        .collect();
    tasks.push(thread::spawn(move || {
        let first = pair[0].load(SeqCst);
        let second = pair[1].load(SeqCst);
        assert!(first == 0 || second == 1, "half a pair");
    }));
    tasks.into_iter().for_each(|task| task.join().unwrap());
}

/// SURW: when the second half is what is interesting, one execution in two, the reader is as likely as each
/// of the nine writers to be the first one there; it has then most likely seen a first half, which is free.
/// That is so only if the second half is known again whichever tasks were created before its first use.
#[test]
fn surw_knows_a_variable_whatever_was_created_before() {
    let executions = 10_000;
    let found = failures("surw", executions, half_a_pair);
    // A half of a tenth, less what is lost where the reader is too early.
    let least = executions / 26;
    assert!(found.failures >= least, "{} of {least}", found.failures);
}

/// SURW: of the three orders of two operations of a task and one of the task that it creates, each comes up in
/// a third of the executions. Before there is a second task, the first one is drawn for both.
#[test]
fn surw_lets_a_new_task_come_before_the_one_that_created_it() {
    let executions = 3_000;
    let seen = Arc::new(Mutex::new([0; 3]));
    let counted = Arc::clone(&seen);
    let config = Config::new().strategy("surw").executions(executions);
    let found = explore(config, move || {
        let x = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&x);
        let task = thread::spawn(move || other.fetch_add(1, SeqCst));
        x.fetch_add(10, SeqCst);
        x.fetch_add(10, SeqCst);
        let before = task.join().unwrap() / 10;
        counted.lock().unwrap()[before] += 1;
    });
    assert!(found.is_clean());
    let seen = *seen.lock().unwrap();
    let is_a_third = |count: &u64| (900..1_100).contains(count);
    assert!(seen.iter().all(is_a_third), "{seen:?}");
}

/// How often a task that updates a variable at once comes after four stores of another one.
fn updates_that_come_last(strategy: &str) -> f64 {
    let lasts = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&lasts);
    let config = Config::new().strategy(strategy).executions(20_000);
    let found = explore(config, move || {
        let numbers = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        // Not the program's: nothing comes between an operation and its note.
        let stored = Arc::new(Mutex::new(0));
        let (numbers_stored, noted) = (Arc::clone(&numbers), Arc::clone(&stored));
        let stores = move || {
            for turn in 1..=4 {
                numbers_stored[1].store(turn, SeqCst);
                *noted.lock().unwrap() = turn;
            }
        };
        let counted = Arc::clone(&counted);
        let update = move || {
            numbers[0].fetch_add(1, SeqCst);
            *counted.lock().unwrap() += u32::from(*stored.lock().unwrap() == 4);
        };
        thread::spawn_all(vec![Box::new(stores), Box::new(update)]);
    });
    assert!(found.is_clean());
    f64::from(*lasts.lock().unwrap()) / 20_000.0
}

/// `linger=N` holds the odds that its page tells, and changes nothing where nothing is updated.
#[test]
fn lingering_has_the_odds_it_says() {
    for (strategy, odds) in [
        ("random", 1.0 / 2.0),
        ("random:linger=1", 1.0 / 2.0),
        ("random:linger=4", 4.0 / 5.0),
        ("random:linger=9", 9.0 / 10.0),
    ] {
        let expected = f64::powi(odds, 4);
        let measured = updates_that_come_last(strategy);
        let deviation = (expected * (1.0 - expected) / 20_000.0).sqrt();
        assert!(
            (measured - expected).abs() < 5.0 * deviation,
            "{strategy}: {measured}, not {expected}"
        );
    }
    let without_updates = |strategy: &str| {
        let config = Config::new().strategy(strategy).fingerprint(true);
        explore(config.executions(500).keep_going(true), lost_update)
    };
    assert_eq!(
        without_updates("random").hash,
        without_updates("random:linger=4").hash
    );
}

fn failures(strategy: &str, executions: u64, program: fn()) -> Exploration {
    let config = Config::new()
        .strategy(strategy)
        .executions(executions)
        .keep_going(true);
    explore(config, program)
}

/// An order violation: depth 1.
fn used_before_made() {
    let made = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&made);
    let user = thread::spawn(move || assert_eq!(other.load(SeqCst), 1, "used before made"));
    made.store(1, SeqCst);
    user.join().unwrap();
}

/// An atomicity violation: depth 2.
fn lost_update() {
    let x = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let x = Arc::clone(&x);
            thread::spawn(move || {
                let value = x.load(SeqCst);
                x.store(value + 1, SeqCst);
            })
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    assert_eq!(x.load(SeqCst), 3, "lost update");
}

/// A lock order inversion: depth 2.
fn crossed_locks() {
    let locks = Arc::new([unpick::sync::Mutex::new(0), unpick::sync::Mutex::new(0)]);
    let other = Arc::clone(&locks);
    let task = thread::spawn(move || {
        let _second = other[1].lock().unwrap();
        let _first = other[0].lock().unwrap();
    });
    {
        let _first = locks[0].lock().unwrap();
        let _second = locks[1].lock().unwrap();
    }
    task.join().unwrap();
}

/// Depth 2: a task waits for the one that it has created, and the first task for that, right behind the creation.
fn chain() {
    let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let middle = Arc::clone(&counts);
    let middle = thread::spawn(move || {
        middle[0].fetch_add(1, SeqCst);
        let last = Arc::clone(&middle);
        let last = thread::spawn(move || {
            for _ in 0..20 {
                last[0].fetch_add(1, SeqCst);
            }
        });
        let seen = middle[0].load(SeqCst);
        middle[1].store(seen, SeqCst);
        last.join().unwrap();
    });
    let seen = counts[1].load(SeqCst);
    middle.join().unwrap();
    assert_ne!(seen, 21, "both waited");
}

/// How often a bug is found that is found at least as often as promised.
fn rate_as_promised(strategy: &str, executions: u64, program: fn()) -> f64 {
    let found = failures(strategy, executions, program);
    let promised = Config::new()
        .strategy(strategy)
        .guarantee(&found)
        .expect("pct and ppct give a guarantee");
    let measured = found.failures as f64 / executions as f64;
    // Five standard deviations below the bound would already be a broken promise.
    let deviation = (promised * (1.0 - promised) / executions as f64).sqrt();
    assert!(
        measured >= promised - 5.0 * deviation,
        "{strategy}: {measured} measured, {promised} promised"
    );
    assert!(
        measured < 1.0,
        "it is a concurrency bug: some schedules pass"
    );
    measured
}

/// PCT and PPCT: a bug of depth d is found with probability at least 1 / (n k^(d-1)), and PPCT finds it
/// no less often than PCT does.
#[test]
fn pct_and_ppct_keep_their_guarantee() {
    let programs: [(fn(), u32); 3] = [(used_before_made, 1), (lost_update, 2), (crossed_locks, 2)];
    for (program, depth) in programs {
        let executions = 4_000;
        let [pct, ppct] = ["pct", "ppct"].map(|technique| {
            let strategy = format!("{technique}:d={depth}");
            rate_as_promised(&strategy, executions, program)
        });
        let deviation = (2.0 * pct * (1.0 - pct) / executions as f64).sqrt();
        assert!(
            ppct >= pct - 5.0 * deviation,
            "depth {depth}: pct {pct}, ppct {ppct}"
        );
    }
}

/// The guarantee needs that who creates the second task can be held back by that.
#[test]
fn pct_and_ppct_hold_the_first_task_back_behind_the_first_creation() {
    for strategy in ["pct:d=2", "ppct:d=2"] {
        rate_as_promised(strategy, 20_000, chain);
    }
}

/// PPCT with one low task and no change: the low one goes when nobody else can.
#[test]
fn ppct_of_depth_one_holds_one_task_back() {
    let counts = histogram("ppct:d=1,n=3", 2_000, &[3, 3]);
    let (mut held_back, mut mixed) = (0, 0);
    for (order, count) in &counts {
        let runs = order.chunk_by(|a, b| a == b).count();
        *(if runs == 2 {
            &mut held_back
        } else {
            &mut mixed
        }) += count;
    }
    // Two executions in three hold back one of the two tasks, one holds back the main task.
    assert!(
        (1_200..1_550).contains(&held_back),
        "{held_back} of 2,000: {counts:?}"
    );
    assert_eq!(held_back + mixed, 2_000);
}

/// Without sleeps tasks go on in step, give or take the length of theirs; a sleep lets one fall behind.
#[test]
fn random_sleep_lets_tasks_fall_behind_now_and_then() {
    let apart = |strategy| {
        let counts = histogram(strategy, 2_000, &[6, 6]);
        let is_apart = |order: &Vec<usize>| order.chunk_by(|a, b| a == b).any(|run| run.len() >= 5);
        let orders = counts.iter().filter(|(order, _)| is_apart(order));
        orders.map(|(_, count)| count).sum::<u64>()
    };
    let rarely = apart("random-sleep:odds=4294967295");
    let now_and_then = apart("random-sleep");
    let often = apart("random-sleep:odds=2");
    assert_eq!(rarely, 0);
    assert!(now_and_then > 100 && now_and_then < 1_000, "{now_and_then}");
    assert!(often > 2 * now_and_then, "{often} after {now_and_then}");
}

/// Without change points PCT is a random order of priorities, each task running as far as it can.
#[test]
fn pct_of_depth_one_never_preempts_independent_tasks() {
    let counts = histogram("pct:d=1", 2_000, &[3, 3]);
    let orders: Vec<_> = counts.keys().cloned().collect();
    assert_eq!(orders, [vec![0, 0, 0, 1, 1, 1], vec![1, 1, 1, 0, 0, 0]]);
    assert!(counts.values().all(|&count| count > 850), "{counts:?}");
}

/// POS: operations that race with nothing hardly influence the order of those that do.
#[test]
fn pos_samples_the_order_of_a_race_in_spite_of_a_long_way_to_it() {
    let seen = Arc::new(Mutex::new([0u64; 2]));
    let counted = Arc::clone(&seen);
    let config = Config::new().strategy("pos").executions(10_000);
    let found = explore(config, move || {
        let shared = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&shared);
        // The long task has eight operations of its own before its only racing one.
        let long = thread::spawn(move || {
            let own = AtomicUsize::new(0);
            for _ in 0..8 {
                own.fetch_add(1, SeqCst);
            }
            other.swap(1, SeqCst)
        });
        let short = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.swap(2, SeqCst))
        };
        let long_was_second = long.join().unwrap() == 2;
        short.join().unwrap();
        counted.lock().unwrap()[usize::from(long_was_second)] += 1;
    });
    assert!(found.is_clean());
    let [first, second] = *seen.lock().unwrap();
    // The racing operation must also win against eight others, so it is later more often than not,
    // but far from the 1 in 2^9 of plain random scheduling.
    assert!(first > 700, "{first} against {second}");
}
