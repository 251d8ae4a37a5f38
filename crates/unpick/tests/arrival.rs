//! A task can be held up before it comes to wait, where others can notice whether it waits.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{answers, answers_with, every_schedule};
use std::collections::BTreeSet;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Arc, Barrier, RwLock};
use unpick::trace::Outcome;
use unpick::{Config, explore, thread};

/// The kinds of failure that a strategy finds.
fn failures(strategy: &str, program: fn()) -> BTreeSet<String> {
    let config = Config::new().strategy(strategy).spurious_wakes(0);
    let config = config.executions(20_000).keep_going(true);
    let kinds = std::sync::Mutex::new(BTreeSet::new());
    unpick::explore_visited(&config, &program, &mut |execution| {
        let kind = match execution.outcome() {
            Some(Outcome::Deadlock(_)) => "deadlock".to_owned(),
            Some(Outcome::Fail(failure)) => failure.message.clone(),
            _ => return,
        };
        kinds.lock().unwrap().insert(kind);
    });
    kinds.into_inner().unwrap()
}

const STRATEGIES: &[&str] = &[
    "dfs",
    "dpor",
    "odpor",
    "lazy-odpor",
    "lazy-dpor",
    "hbr-cache",
    "ipb:beyond=1",
    "mcr",
    "portfolio",
];

#[track_caller]
fn assert_failures(program: fn(), expected: &[&str]) {
    for strategy in STRATEGIES {
        let found = failures(strategy, program);
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{strategy}");
    }
}

/// Main can be held up between `unpark` and `wait`, so that the two others pass the barrier together.
fn three_at_a_barrier_for_two() {
    let shared = Arc::new((Barrier::new(2), AtomicUsize::new(0)));
    let (a, b) = (shared.clone(), shared.clone());
    let _one = thread::spawn(move || {
        a.0.wait();
        a.1.store(1, SeqCst);
    });
    let two = thread::spawn(move || {
        thread::park();
        b.0.wait();
        if b.1.load(SeqCst) == 1 {
            panic!("passed with task 1");
        }
    });
    two.thread().unpark();
    shared.0.wait();
}

#[test]
fn any_two_of_three_tasks_pass_a_barrier_for_two() {
    assert_failures(
        three_at_a_barrier_for_two,
        &["deadlock", "passed with task 1"],
    );
}

#[test]
fn whoever_comes_last_leads_whatever_came_before() {
    let seen = answers(|| {
        let barrier = Arc::new(Barrier::new(2));
        let other = barrier.clone();
        let second = thread::spawn(move || {
            thread::park();
            other.wait().is_leader()
        });
        second.thread().unpark();
        let leads = barrier.wait().is_leader();
        assert_ne!(leads, second.join().unwrap());
        leads
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
}

#[test]
fn a_barrier_for_one_is_passed_in_one_operation() {
    let found = explore(Config::new().strategy("dfs"), || {
        let barrier = Barrier::new(1);
        assert!(barrier.wait().is_leader());
    });
    assert!(found.complete);
    assert_eq!(found.schedules, 1);
}

/// A reader that reads again waits behind a writer, which waits for the reader.
fn reads_again() {
    let lock = Arc::new(RwLock::new(0));
    let other = lock.clone();
    let writer = thread::spawn(move || *other.write().unwrap() = 1);
    {
        let first = lock.read().unwrap();
        let second = lock.read().unwrap();
        assert_eq!(*first, *second);
    }
    writer.join().unwrap();
}

#[test]
fn a_reader_that_reads_again_waits_behind_a_writer() {
    assert_failures(reads_again, &["deadlock"]);
    let config = Config::new().strategy("dfs").writers_first(false);
    let found = explore(config, reads_again);
    assert!(found.complete && found.first_failure.is_none());
}

/// Whether an attempt to read is refused while another task reads, and whether the writer has come before.
fn attempt() -> (bool, usize) {
    let lock = Arc::new((RwLock::new(0), AtomicUsize::new(0)));
    let other = lock.clone();
    let reading = lock.0.read().unwrap();
    let writer = thread::spawn(move || {
        other.1.store(1, SeqCst);
        drop(other.0.write().unwrap());
    });
    let has_come = lock.1.load(SeqCst);
    let is_refused = lock.0.try_read().is_err();
    drop(reading);
    writer.join().unwrap();
    (is_refused, has_come)
}

/// The writer can be held up between its store and its wait.
#[test]
fn an_attempt_to_read_sees_a_writer_that_waits_and_no_other() {
    let expected = BTreeSet::from([(false, 0), (true, 0), (false, 1), (true, 1)]);
    assert_eq!(answers(attempt), expected);
    let config = every_schedule().writers_first(false);
    let (seen, _) = answers_with(config, attempt);
    assert_eq!(seen, BTreeSet::from([(false, 0), (false, 1)]));
}

#[test]
fn a_writer_that_finds_the_lock_free_takes_it_in_one_operation() {
    let found = explore(Config::new().strategy("dfs"), || {
        let lock = Arc::new(RwLock::new(0));
        let other = lock.clone();
        let writer = thread::spawn(move || *other.write().unwrap() = 1);
        writer.join().unwrap();
        assert_eq!(*lock.read().unwrap(), 1);
    });
    assert!(found.complete);
    assert_eq!(found.schedules, 1);
}
