//! A lock of std that is held across an operation stops the thread that all tasks share. The run says so and ends.
#![cfg(target_os = "linux")]

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use unpick::sync::atomic::{AtomicU32, Ordering};
use unpick::{Config, check_with};

/// Two tasks that hold a lock of std across an operation.
fn holds_a_lock_of_std() {
    let shared = Arc::new((Mutex::new(()), AtomicU32::new(0)));
    let other = Arc::clone(&shared);
    let task = unpick::thread::spawn(move || {
        let _guard = other.0.lock().unwrap();
        other.1.store(1, Ordering::SeqCst);
    });
    let guard = shared.0.lock().unwrap();
    shared.1.store(2, Ordering::SeqCst);
    drop(guard);
    task.join().unwrap();
}

/// The other half of the test below, in a process of its own. By itself it is none.
#[test]
fn stuck() {
    if std::env::var_os("UNPICK_TEST_STUCK").is_some() {
        let config = Config::new().strategy("dfs").save(false);
        check_with(
            config.watchdog(Duration::from_millis(300)),
            holds_a_lock_of_std,
        );
    }
}

#[test]
fn a_lock_of_std_across_an_operation_ends_the_run_with_a_message() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "stuck"])
        .env("UNPICK_TEST_STUCK", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    for words in [
        "nothing has happened for 0.3 s: task 0 waits for a lock that is no operation, behind its spawn",
        "tests/watchdog.rs:1",
        "task 1 stands before its store on variable",
        "drop the guard before the operation",
    ] {
        assert!(said.contains(words), "{words} is not in: {said}");
    }
}
