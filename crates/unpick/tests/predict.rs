//! From one execution that passes, the failures of other orders of its events are foretold, and each has been
//! run before it is told.

use std::sync::Arc;
use std::time::Duration;
use unpick::cell::UnsafeCell;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering};
use unpick::thread;
use unpick::trace::{FailureKind, Outcome};
use unpick::{
    Config, Memory, PredictError, Predicted, explore, first_execution, predict, predicted_words,
    replay,
};

type Program = fn();

/// One task after the other, each as far as it gets.
fn config() -> Config {
    Config::new().strategy("round-robin:quantum=0").confirm(0)
}

/// Of the first execution of that strategy, which passes.
fn predict_passing(config: &Config, program: Program) -> Predicted {
    let execution = first_execution(config, &program);
    assert_eq!(execution.outcome, Outcome::Pass);
    let predicted = predict(config, &program, execution.trace).unwrap();
    assert!(predicted.recorded.is_none());
    for failure in &predicted.failures {
        let again = replay(config, &program, failure.trace.clone());
        assert_eq!(again.first_failure.unwrap().outcome, failure.outcome);
    }
    predicted
}

/// A cell without a lock of its own.
struct Cell(UnsafeCell<u32>);

// SAFETY: only unpick's tasks access it, of which one runs at a time.
unsafe impl Sync for Cell {}

impl Cell {
    fn set(&self) {
        // SAFETY: the reference does not outlive the call.
        self.0.with_mut(|value| unsafe { *value += 1 });
    }
}

fn crossed_locks() {
    let locks = Arc::new((Mutex::new(()), Mutex::new(())));
    let other = Arc::clone(&locks);
    let task = thread::spawn(move || {
        let _second = other.1.lock().unwrap();
        let _first = other.0.lock().unwrap();
    });
    {
        let _first = locks.0.lock().unwrap();
        let _second = locks.1.lock().unwrap();
    }
    task.join().unwrap();
}

/// The lock orders the two accesses if this task comes first.
fn hidden_race() {
    let shared = Arc::new((Mutex::new(()), Cell(UnsafeCell::new(0))));
    let other = Arc::clone(&shared);
    let task = thread::spawn(move || {
        drop(other.0.lock().unwrap());
        other.1.set();
    });
    shared.1.set();
    drop(shared.0.lock().unwrap());
    task.join().unwrap();
}

fn guarded() {
    let shared = Arc::new((Mutex::new(()), Cell(UnsafeCell::new(0))));
    let other = Arc::clone(&shared);
    let task = thread::spawn(move || {
        let _guard = other.0.lock().unwrap();
        other.1.set();
    });
    {
        let _guard = shared.0.lock().unwrap();
        shared.1.set();
    }
    task.join().unwrap();
}

fn other_value() {
    let flag = Arc::new(AtomicU32::new(0));
    let other = Arc::clone(&flag);
    let task = thread::spawn(move || other.store(1, Ordering::SeqCst));
    assert_eq!(flag.load(Ordering::SeqCst), 0, "it was set before");
    task.join().unwrap();
}

/// Locks in different orders, behind thousands of operations on few values.
fn crossed_locks_late() {
    let shared = Arc::new((Mutex::new(()), Mutex::new(()), AtomicU32::new(0)));
    let other = Arc::clone(&shared);
    let count = |flag: &AtomicU32| {
        for _ in 0..500 {
            let seen = flag.load(Ordering::SeqCst);
            flag.store((seen + 1) % 3, Ordering::SeqCst);
        }
    };
    let task = thread::spawn(move || {
        count(&other.2);
        let _second = other.1.lock().unwrap();
        let _first = other.0.lock().unwrap();
    });
    count(&shared.2);
    {
        let _first = shared.0.lock().unwrap();
        let _second = shared.1.lock().unwrap();
    }
    task.join().unwrap();
}

fn store_buffering() {
    let flags = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let tasks = [0, 1].map(|own| {
        let flags = Arc::clone(&flags);
        thread::spawn(move || {
            flags[own].store(1, Ordering::Relaxed);
            flags[1 - own].load(Ordering::Relaxed)
        })
    });
    let seen = tasks.map(|task| task.join().unwrap());
    assert_ne!(seen, [0, 0], "both stores were late");
}

#[test]
fn locks_in_different_orders_are_a_deadlock_without_a_read() {
    let predicted = predict_passing(&config(), crossed_locks);
    let [failure] = &predicted.failures[..] else {
        panic!("{predicted:?}");
    };
    assert!(matches!(&failure.outcome, Outcome::Deadlock(it) if it.cycle.len() == 2));
    assert_eq!((predicted.questions, predicted.possible), (1, 1));
    assert_eq!(predicted.unconfirmed_deadlocks, 0);
    assert!(predicted.is_complete());
}

#[test]
fn a_race_that_a_lock_hides_is_found() {
    // Nothing is found in the execution itself.
    let found = explore(config(), hidden_race);
    assert!(found.is_clean());
    let predicted = predict_passing(&config(), hidden_race);
    let [failure] = &predicted.failures[..] else {
        panic!("{predicted:?}");
    };
    assert!(matches!(&failure.outcome, Outcome::Fail(it) if it.kind == FailureKind::DataRace));
    assert_eq!(predicted.unconfirmed_races, 0);
    // Who does not want to know of races is not told of them.
    let predicted = predict_passing(&config().races(false), hidden_race);
    assert!(predicted.failures.is_empty(), "{predicted:?}");
}

#[test]
fn an_assertion_fails_by_another_value() {
    let predicted = predict_passing(&config(), other_value);
    let [failure] = &predicted.failures[..] else {
        panic!("{predicted:?}");
    };
    assert!(
        matches!(&failure.outcome, Outcome::Fail(it) if it.message.contains("it was set before"))
    );
}

#[test]
fn nothing_is_told_of_a_program_that_is_right() {
    let predicted = predict_passing(&config(), guarded);
    assert!(predicted.failures.is_empty(), "{predicted:?}");
    assert!(predicted.questions > 0 && predicted.is_complete());
    assert_eq!(
        predicted.unconfirmed_races + predicted.unconfirmed_deadlocks,
        0
    );
}

#[test]
fn stores_that_are_late_are_foretold_under_weak_memory_only() {
    // Stores take effect at once in its first execution.
    let config = || config().strategy("mcr");
    assert!(
        predict_passing(&config(), store_buffering)
            .failures
            .is_empty()
    );
    for memory in [Memory::Tso, Memory::Pso] {
        let predicted = predict_passing(&config().memory(memory), store_buffering);
        assert_eq!(predicted.failures.len(), 1, "{memory:?}: {predicted:?}");
    }
}

#[test]
fn a_failing_trace_tells_its_own_failure_apart() {
    let program: Program = || {
        let flag = Arc::new(AtomicU32::new(0));
        let other = Arc::clone(&flag);
        let task = thread::spawn(move || other.store(1, Ordering::SeqCst));
        assert_ne!(flag.load(Ordering::SeqCst), 0, "too early");
        panic!("too late {}", task.join().is_ok());
    };
    let found = explore(config(), program);
    let failing = found.first_failure.unwrap();
    let predicted = predict(&config(), &program, failing.trace.clone()).unwrap();
    assert_eq!(predicted.recorded.unwrap().outcome, failing.outcome);
    let [failure] = &predicted.failures[..] else {
        panic!(
            "there is one other failure, not {}",
            predicted.failures.len()
        );
    };
    assert_ne!(failure.outcome, failing.outcome);
}

#[test]
fn what_was_not_asked_is_told() {
    let config = config().time(Duration::ZERO);
    let predicted = predict_passing(&config, other_value);
    assert_eq!((predicted.questions, predicted.unasked), (0, 1));
    assert!(!predicted.is_complete());
    assert!(
        predicted_words(&predicted).contains("1 question not asked"),
        "{predicted:?}"
    );
}

#[test]
fn a_program_that_has_changed_does_not_follow() {
    let program: Program = crossed_locks;
    let trace = first_execution(&config(), &program).trace;
    let changed: Program = other_value;
    let error = predict(&config(), &changed, trace).unwrap_err();
    assert!(matches!(error, PredictError::Diverged(_)), "{error}");
}

#[test]
fn a_long_trace_is_looked_at_in_windows() {
    // The tasks take turns, so that what is near in time is near in the trace.
    let config = Config::new().strategy("round-robin:quantum=7").confirm(0);
    let program: Program = crossed_locks_late;
    let execution = first_execution(&config, &program);
    assert_eq!(execution.outcome, Outcome::Pass);
    assert!(execution.trace.steps.len() > 2_000);
    let config = config.window(100).time(Duration::from_secs(600));
    let predicted = predict(&config, &program, execution.trace).unwrap();
    let [failure] = &predicted.failures[..] else {
        panic!("{predicted:?}");
    };
    assert!(matches!(failure.outcome, Outcome::Deadlock(_)));
    let again = replay(&config, &program, failure.trace.clone());
    assert_eq!(again.first_failure.unwrap().outcome, failure.outcome);
    assert!(predicted.windows > 30, "{predicted:?}");
    assert!(!predicted.is_complete());
    assert!(predicted_words(&predicted).contains("reaches beyond one of"));
}

#[test]
fn windows_that_were_not_looked_at_are_told() {
    let program: Program = crossed_locks_late;
    let execution = first_execution(&config(), &program);
    let config = config().window(100).time(Duration::ZERO);
    let predicted = predict(&config, &program, execution.trace).unwrap();
    assert!(predicted.failures.is_empty());
    assert!(predicted.windows_left > 30, "{predicted:?}");
    assert!(predicted_words(&predicted).contains("windows not looked at when the time was over"));
}
