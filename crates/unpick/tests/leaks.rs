//! What executions leave behind: tasks that nobody waits for, and locks that nobody releases.

use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Mutex, RwLock};
use unpick::{Config, Exploration, Warning, WarningKind, thread};

fn explore<F: Fn() + Send + Sync + 'static>(program: F) -> Exploration {
    let found = unpick::explore(Config::new().strategy("dfs"), program);
    assert!(found.complete);
    found
}

#[track_caller]
fn only_warning(found: &Exploration) -> &Warning {
    let [warning] = &found.warnings[..] else {
        panic!("{:?}", found.warnings);
    };
    warning
}

#[test]
fn a_task_that_nobody_waits_for_is_told_once() {
    let line = line!() + 5;
    let found = explore(|| {
        let counter = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let counter = Arc::clone(&counter);
            thread::spawn(move || counter.fetch_add(1, SeqCst));
        }
        counter.load(SeqCst);
    });
    assert!(found.is_clean() && found.schedules > 1);
    let warning = only_warning(&found);
    assert_eq!(warning.kind, WarningKind::LeakedTask);
    assert_eq!(warning.site.as_ref().map(|site| site.line), Some(line));
    assert!(warning.text.contains("leaks.rs:"), "{}", warning.text);
    assert!(warning.text.contains("had not ended"), "{}", warning.text);
}

/// There are schedules in which it ends before, and they are no leak.
#[test]
fn only_what_has_happened_is_told() {
    let program = || {
        let counter = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&counter);
        thread::spawn(move || other.fetch_add(1, SeqCst));
        while counter.load(SeqCst) == 0 {
            thread::yield_now();
        }
    };
    assert!(explore(program).warnings.is_empty());
}

#[test]
fn tasks_that_are_waited_for_or_have_nothing_to_do_are_no_leak() {
    let found = explore(|| {
        let counter = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&counter);
        let task = thread::spawn(move || other.fetch_add(1, SeqCst));
        thread::scope(|scope| {
            scope.spawn(|| counter.load(SeqCst));
        });
        thread::spawn(|| {});
        task.join().unwrap();
    });
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}

/// Nobody could wait for tasks without a handle.
#[test]
fn tasks_created_together_may_outlive_the_first_one() {
    let found = explore(|| {
        let counter = Arc::new(AtomicUsize::new(0));
        let task = || -> Box<dyn FnOnce() + Send> {
            let counter = Arc::clone(&counter);
            Box::new(move || assert!(counter.fetch_add(1, SeqCst) < 2))
        };
        thread::spawn_all(vec![task(), task()]);
    });
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}

#[test]
fn a_lock_that_is_never_released_is_told_once() {
    let line = line!() + 4;
    let found = explore(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let task = thread::spawn(move || std::mem::forget(other.lock()));
        assert!(lock.try_lock().is_ok() || lock.try_lock().is_err());
        task.join().unwrap();
    });
    assert!(found.is_clean() && found.schedules > 1);
    let warning = only_warning(&found);
    assert_eq!(warning.kind, WarningKind::LeakedLock);
    assert_eq!(warning.site.as_ref().map(|site| site.line), Some(line));
    assert!(
        warning.text.contains("task 1 ended and held mutex"),
        "{}",
        warning.text
    );
}

#[test]
fn guards_of_readers_and_of_the_first_task_count_too() {
    let found = explore(|| std::mem::forget(RwLock::new(0).read()));
    assert_eq!(only_warning(&found).kind, WarningKind::LeakedLock);
    let found = explore(|| drop(RwLock::new(0).read()));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}

/// The failure says what is wrong.
#[test]
fn nothing_is_told_of_executions_that_fail() {
    let found = unpick::explore(Config::new().strategy("dfs"), || {
        std::mem::forget(Mutex::new(0).lock());
        let counter = Arc::new(AtomicUsize::new(0));
        thread::spawn(move || {
            counter.fetch_add(1, SeqCst);
            panic!("anyway");
        });
    });
    assert_eq!(found.failures, 1);
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}
