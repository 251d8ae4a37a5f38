//! Park and unpark.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use unpick::sync::atomic::{AtomicBool, Ordering::SeqCst};
use unpick::trace::Outcome;
use unpick::{Config, explore, thread};

fn dfs() -> Config {
    Config::new()
        .strategy("dfs")
        .executions(100_000)
        .keep_going(true)
        .spurious_wakes(0)
}

/// A park with a deadline uses the token up, whether it was woken or its time was over.
#[test]
fn a_timed_park_always_uses_its_token_up() {
    let found = explore(dfs(), || {
        thread::current().unpark();
        thread::park_timeout(Duration::from_millis(1));
        thread::park();
    });
    assert!(found.complete);
    assert_eq!(
        found.failures, found.schedules,
        "the second park blocks for ever"
    );
    assert!(matches!(
        found.first_failure.unwrap().outcome,
        Outcome::Deadlock(_)
    ));
}

/// A token given before the park is not lost, and two are one.
#[test]
fn tokens_are_kept_and_do_not_add_up() {
    let found = explore(dfs(), || {
        let main = thread::current();
        let waker = thread::spawn(move || {
            main.unpark();
            main.unpark();
        });
        thread::park();
        waker.join().unwrap();
    });
    assert!(found.complete && found.is_clean());
    let found = explore(dfs(), || {
        thread::current().unpark();
        thread::current().unpark();
        thread::park();
        thread::park();
    });
    assert_eq!(found.failures, found.schedules);
}

/// A park may return without reason, if that is allowed.
#[test]
fn parks_return_spuriously() {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let noted = Arc::clone(&seen);
    let found = explore(dfs().spurious_wakes(1), move || {
        let flag = Arc::new(AtomicBool::new(false));
        let (main, other) = (thread::current(), Arc::clone(&flag));
        let waker = thread::spawn(move || {
            other.store(true, SeqCst);
            main.unpark();
        });
        thread::park();
        noted.lock().unwrap().insert(flag.load(SeqCst));
        waker.join().unwrap();
    });
    assert!(found.complete && found.is_clean());
    assert_eq!(*seen.lock().unwrap(), BTreeSet::from([false, true]));
}
