//! Virtual time: a task that could run is held up for a bounded time, and no longer.

use std::collections::BTreeSet;
use std::sync::Mutex as StdMutex;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Arc, Condvar, Mutex, mpsc};
use unpick::thread;
use unpick::time::{Duration, Instant};
use unpick::{Config, Exploration, Proviso, explore};

const SEARCHES: &[&str] = &[
    "dfs",
    "ipb",
    "hbr-cache",
    "lazy-hbr-cache",
    "dpor",
    "lazy-dpor",
    "odpor",
    "lazy-odpor",
    "mcr",
    "se-mcr",
];
const SAMPLERS: &[&str] = &["random", "pct", "pos", "surw", "portfolio"];

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn config(strategy: &str) -> Config {
    Config::new()
        .strategy(strategy)
        .executions(400)
        .keep_going(true)
        .spurious_wakes(0)
}

fn all() -> impl Iterator<Item = &'static str> {
    SEARCHES.iter().chain(SAMPLERS).copied()
}

/// What a program answers over all executions.
fn answers(config: Config, program: fn() -> u64) -> (BTreeSet<u64>, Exploration) {
    let seen = std::sync::Arc::new(StdMutex::new(BTreeSet::new()));
    let kept = std::sync::Arc::clone(&seen);
    let found = explore(config, move || {
        let answer = program();
        kept.lock().unwrap().insert(answer);
    });
    assert_eq!(found.failures, 0, "{:?}", found.first_failure);
    let seen = seen.lock().unwrap().clone();
    (seen, found)
}

fn seen(config: Config, program: fn() -> u64) -> Vec<u64> {
    answers(config, program).0.into_iter().collect()
}

/// 1 if a message comes in time.
fn message_within(limit: Duration) -> u64 {
    let (sender, receiver) = mpsc::channel();
    let task = thread::spawn(move || sender.send(1).unwrap_or(()));
    let received = receiver.recv_timeout(limit).unwrap_or(0);
    task.join().unwrap();
    received
}

/// Which of two sleepers comes first, as a number of two digits.
fn order_of(first: Duration, second: Duration) -> u64 {
    let order = Arc::new(AtomicUsize::new(0));
    let sleepers = [first, second].into_iter().zip(1..);
    let sleepers: Vec<_> = sleepers
        .map(|(duration, number)| {
            let order = Arc::clone(&order);
            thread::spawn(move || {
                thread::sleep(duration);
                let before = order.load(SeqCst);
                order.store(before * 10 + number, SeqCst);
            })
        })
        .collect();
    for sleeper in sleepers {
        sleeper.join().unwrap();
    }
    order.load(SeqCst) as u64
}

#[test]
fn a_long_time_out_does_not_strike_while_a_message_can_come() {
    for strategy in all() {
        let (seen, found) = answers(config(strategy), || message_within(ms(10_000)));
        assert_eq!(seen, [1].into(), "{strategy}");
        if found.complete {
            assert!(found.provided.contains(Proviso::Timeouts), "{strategy}");
        }
    }
}

#[test]
fn a_short_time_out_strikes_at_any_moment() {
    for strategy in SAMPLERS {
        let seen = seen(config(strategy), || message_within(ms(90)));
        assert_eq!(seen, [0, 1], "{strategy}");
    }
}

#[test]
fn a_limit_of_none_lets_every_time_out_strike() {
    let config = |strategy| config(strategy).max_delay(None);
    for strategy in SAMPLERS {
        let seen = seen(config(strategy), || message_within(ms(10_000)));
        assert_eq!(seen, [0, 1], "{strategy}");
    }
    let (_, found) = answers(config("dfs"), || message_within(ms(10_000)));
    assert!(!found.provided.contains(Proviso::Timeouts));
}

#[test]
fn a_limit_of_zero_is_strict_virtual_time() {
    for strategy in all() {
        let config = || config(strategy).max_delay(Duration::ZERO);
        assert_eq!(seen(config(), || message_within(ms(1))), [1], "{strategy}");
        let seen = seen(config(), || order_of(ms(1), ms(2)));
        assert_eq!(seen, [12], "{strategy}");
    }
}

#[test]
fn sleeps_that_are_further_apart_keep_their_order() {
    for strategy in all() {
        let seen = seen(config(strategy), || order_of(ms(3_000), ms(1_000)));
        assert_eq!(seen, [21], "{strategy}");
    }
}

/// Neither is near, but they are near to each other.
#[test]
fn sleeps_that_are_close_end_in_every_order() {
    for strategy in all().filter(|strategy| *strategy != "ipb") {
        let seen = seen(config(strategy), || order_of(ms(1_000), ms(1_090)));
        assert!(seen.contains(&12) && seen.contains(&21), "{strategy}");
    }
}

#[test]
fn a_short_sleep_is_no_synchronisation() {
    let found = explore(Config::new(), || {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&flag);
        let setter = thread::spawn(move || other.store(1, SeqCst));
        thread::sleep(ms(50));
        assert_eq!(flag.load(SeqCst), 1);
        setter.join().unwrap();
    });
    assert_eq!(found.failures, 1);
}

/// A wait for a condition variable, and a park, which end because of the time only.
fn waits_in_turn() -> u64 {
    let task = thread::spawn(|| {
        thread::park_timeout(ms(5_000));
        Instant::now()
    });
    let start = Instant::now();
    let pair = (Mutex::new(()), Condvar::new());
    let guard = pair.0.lock().unwrap();
    let (guard, end) = pair.1.wait_timeout(guard, ms(2_000)).unwrap();
    assert!(end.timed_out());
    drop(guard);
    let first = start.elapsed();
    let second = task.join().unwrap().duration_since(start);
    assert!(ms(2_000) <= first && first < ms(2_001), "{first:?}");
    assert!(ms(4_999) <= second && second < ms(5_001), "{second:?}");
    0
}

#[test]
fn every_kind_of_wait_ends_at_its_time() {
    for strategy in all() {
        assert_eq!(seen(config(strategy), waits_in_turn), [0], "{strategy}");
    }
}

/// Polls every 10 ms, for 5 s at most, for what another task does in a few steps.
fn poll() -> u64 {
    let done = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&done);
    let worker = thread::spawn(move || {
        for _ in 0..5 {
            other.fetch_add(1, SeqCst);
        }
    });
    let deadline = Instant::now() + ms(5_000);
    let mut is_done = false;
    while !is_done && Instant::now() < deadline {
        thread::sleep(ms(10));
        is_done = done.load(SeqCst) == 5;
    }
    worker.join().unwrap();
    u64::from(is_done)
}

#[test]
fn a_poller_sees_what_comes_in_time() {
    for strategy in ["random", "pos", "dfs", "odpor"] {
        assert_eq!(seen(config(strategy), poll), [1], "{strategy}");
    }
}

#[test]
fn a_poller_for_nothing_comes_to_its_end() {
    let found = explore(Config::new(), || {
        let deadline = Instant::now() + ms(5_000);
        while Instant::now() < deadline {
            thread::sleep(ms(10));
        }
    });
    assert_eq!((found.failures, found.complete), (0, true));
}

/// Whether a task that sleeps 150 ms can be ahead of one that sleeps this long.
fn is_overtaken_after(sleep: Duration) -> u64 {
    let flag = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&flag);
    let sleeper = thread::spawn(move || {
        thread::sleep(ms(150));
        other.store(1, SeqCst);
    });
    thread::sleep(sleep);
    let seen = flag.load(SeqCst) as u64;
    sleeper.join().unwrap();
    seen
}

/// A timer that is far away comes near by others that fire.
#[test]
fn timers_that_fire_bring_later_ones_near() {
    let seen = |program| seen(config("random"), program);
    assert_eq!(seen(|| is_overtaken_after(ms(40))), [0]);
    assert_eq!(seen(|| is_overtaken_after(ms(60))), [0, 1]);
}

/// Tasks that yield a few times each, in total more often than a loop that waits is let go round.
fn many_yield() {
    let count = Arc::new(AtomicUsize::new(0));
    for _ in 0..50 {
        let count = count.clone();
        thread::spawn(move || {
            (0..10).for_each(|_| thread::yield_now());
            count.fetch_add(1, SeqCst);
        });
    }
    thread::sleep(Duration::from_secs(10));
    assert_eq!(count.load(SeqCst), 50);
}

#[test]
fn tasks_that_yield_and_go_on_do_not_let_time_pass() {
    for strategy in ["portfolio", "random", "dfs"] {
        let found = explore(config(strategy).executions(20), many_yield);
        assert_eq!(found.failures, 0, "{strategy}");
    }
}

/// Waits in a loop for what comes after a sleep, in an execution long enough for fair scheduling.
fn polls_for_long() {
    let flag = Arc::new(AtomicUsize::new(0));
    let setter = flag.clone();
    thread::spawn(move || {
        for _ in 0..20 {
            thread::sleep(Duration::from_secs(1));
            setter.fetch_add(1, SeqCst);
        }
    });
    while flag.load(SeqCst) < 20 {
        thread::yield_now();
    }
    assert_ne!(flag.load(SeqCst), 20);
}

/// Whether time passes beside tasks that wait in loops follows from the schedule, whoever leads.
#[test]
fn a_replay_lets_time_pass_where_the_strategy_did() {
    for strategy in SAMPLERS.iter().chain(&["dfs", "round-robin"]) {
        let config = config(strategy).executions(3).keep_going(false);
        let found = explore(config.clone(), polls_for_long);
        let failure = found.first_failure.expect("it always fails");
        assert!(failure.trace.steps.len() > 2_048, "{strategy}");
        let again = unpick::replay(&config, &polls_for_long, failure.trace.clone());
        let again = again.first_failure.expect("the replay fails");
        assert_eq!(again.outcome, failure.outcome, "{strategy}");
        assert_eq!(again.trace.hash(), failure.trace.hash(), "{strategy}");
    }
}
