//! A failure that was found is kept at once, before anything else is run: executions that shrink or explain it, or
//! that go on after it, may end the process.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use unpick::Config;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Fails where the task has stored once, and does what `ends` does where it has stored twice.
fn ends_badly(ends: fn()) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        let stores = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&stores);
        let task = unpick::thread::spawn(move || {
            other.store(1, SeqCst);
            other.store(2, SeqCst);
        });
        match stores.load(SeqCst) {
            1 => panic!("one store is seen"),
            2 => ends(),
            _ => task.join().unwrap(),
        }
    }
}

fn aborts() {
    std::process::abort();
}

/// Waits for a lock of std that another task holds across an operation: nothing can go on.
fn waits_for_ever() {
    let lock = Arc::new(Mutex::new(AtomicU32::new(0)));
    let other = Arc::clone(&lock);
    let task = unpick::thread::spawn(move || {
        let guard = other.lock().unwrap();
        guard.store(1, SeqCst);
        guard.store(2, SeqCst);
    });
    lock.lock().unwrap().store(3, SeqCst);
    task.join().unwrap();
}

/// What the tests below run in a separate process. Without the variable it does nothing.
#[test]
fn found() {
    let Ok(case) = std::env::var("UNPICK_TEST_FOUND") else {
        return;
    };
    let config = Config::new().name("tests::found").strategy("random");
    let config = config.watchdog(Duration::from_millis(300)).seed(1);
    match case.as_str() {
        "explained" => unpick::check_with(config, ends_badly(aborts)),
        "watched" => unpick::check_with(config, ends_badly(waits_for_ever)),
        "later" => unpick::check_with(config.keep_going(true), ends_badly(aborts)),
        "workers" => {
            let config = config.keep_going(true).jobs(2);
            unpick::check_with(config, ends_badly(aborts));
        }
        _ => unreachable!("internal error: an unknown case"),
    }
}

/// Runs a case; gives the exit code, what it says, and the traces that are kept.
fn run(case: &str) -> (Option<i32>, String, Vec<String>) {
    let place = std::env::temp_dir().join(format!("unpick-found-{}-{case}", std::process::id()));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "found"])
        .current_dir(&place)
        .env("CARGO_MANIFEST_DIR", &place)
        .env("UNPICK_TEST_FOUND", case)
        .output()
        .unwrap();
    let traces: Vec<PathBuf> = match fs::read_dir(place.join(".unpick/traces")) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        Err(_) => Vec::new(),
    };
    let traces = traces.iter().map(|path| fs::read_to_string(path).unwrap());
    let traces = traces.collect();
    let _ = fs::remove_dir_all(&place);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said, traces)
}

#[test]
fn a_failure_is_kept_before_anything_else_is_run() {
    for case in ["explained", "later", "workers"] {
        let (code, said, traces) = run(case);
        assert_eq!(code, None, "{case}: it aborts: {said}");
        assert_eq!(traces.len(), 1, "{case}: {traces:?}");
        assert!(
            traces[0].contains("one store is seen"),
            "{case}: {}",
            traces[0]
        );
    }
}

#[test]
fn the_watchdog_reports_a_failure_that_was_about_to_be_explained() {
    let (code, said, traces) = run("watched");
    assert_eq!(code, Some(1), "{said}");
    assert_eq!(traces.len(), 1, "{traces:?}");
    for words in [
        "FAILED  tests::found  panicked",
        "as it was found",
        "nothing has happened for",
    ] {
        assert!(said.contains(words), "{words} is not in: {said}");
    }
}
