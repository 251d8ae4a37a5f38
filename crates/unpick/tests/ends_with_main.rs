//! With `Config::ends_with_main` an execution ends with its first task, as a process ends with `main`: whatever
//! the others have done by then. When that is, every technique tries out.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering as StdOrdering};
use unpick::sync::atomic::{AtomicBool, Ordering};
use unpick::sync::{Mutex, mpsc};
use unpick::trace::{OpKind, Outcome};
use unpick::{Config, Exploration, explore, thread};

/// Techniques that get through all there is.
const EXHAUSTIVE: &[&str] = &[
    "dfs",
    "ipb:beyond=1",
    "idb:beyond=1",
    "hbr-cache",
    "lazy-hbr-cache",
    "dpor",
    "lazy-dpor",
    "odpor",
    "lazy-odpor",
    "mcr",
    "se-mcr",
];

fn config(strategy: &str) -> Config {
    Config::new()
        .strategy(strategy)
        .keep_going(true)
        .ends_with_main(true)
}

/// Nothing that the first task does has anything to do with what the other one does.
fn fails_if_it_gets_there() {
    thread::spawn(|| {
        drop(Mutex::new(0).lock());
        panic!("got there");
    });
    let mutex = Mutex::new(0);
    for _ in 0..3 {
        drop(mutex.lock());
    }
}

#[test]
fn the_end_comes_before_and_after_everything_that_others_do() {
    for technique in EXHAUSTIVE {
        let found = explore(config(technique), fails_if_it_gets_there);
        assert!(found.complete, "{technique}");
        assert!(found.failures > 0, "{technique} finds no failure");
        assert!(found.failures < found.schedules, "{technique} finds no end");
    }
    for technique in ["portfolio", "random", "pct", "pos", "surw", "round-robin"] {
        let found = explore(config(technique).executions(100), fails_if_it_gets_there);
        assert!(found.failures > 0, "{technique} finds no failure");
    }
}

#[test]
fn by_default_all_tasks_are_waited_for() {
    let config = Config::new().strategy("dfs").keep_going(true);
    let found = explore(config, fails_if_it_gets_there);
    assert_eq!(found.failures, found.schedules);
}

fn waits_for_ever() {
    let (sender, receiver) = mpsc::channel::<()>();
    thread::spawn(move || receiver.recv());
    thread::spawn(thread::park);
    std::mem::forget(sender);
}

#[test]
fn what_others_wait_for_is_no_deadlock_at_the_end() {
    for technique in EXHAUSTIVE {
        let found = explore(config(technique), waits_for_ever);
        assert!(found.complete, "{technique}");
        assert_eq!(found.failures, 0, "{technique}");
    }
    let found = explore(config("dfs").ends_with_main(false), waits_for_ever);
    assert_eq!(found.failures, found.schedules);
}

#[test]
fn a_deadlock_that_the_first_task_is_part_of_is_one() {
    let found = explore(config("odpor"), || {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let main = thread::current();
        thread::spawn(move || {
            if other.load(Ordering::SeqCst) {
                main.unpark();
            }
        });
        flag.store(true, Ordering::SeqCst);
        thread::park();
    });
    let failure = found.first_failure.expect("the flag can come too late");
    assert!(matches!(failure.outcome, Outcome::Deadlock(_)));
}

/// Counts how often it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, StdOrdering::Relaxed);
    }
}

#[test]
fn what_torn_down_tasks_own_is_dropped_once() {
    let made = Arc::new(AtomicUsize::new(0));
    let dropped = Arc::new(AtomicUsize::new(0));
    let (made_here, dropped_here) = (Arc::clone(&made), Arc::clone(&dropped));
    let program = move || {
        made_here.fetch_add(1, StdOrdering::Relaxed);
        let counted = Counted(Arc::clone(&dropped_here));
        let mutex = Arc::new(Mutex::new(counted));
        let other = Arc::clone(&mutex);
        thread::spawn(move || {
            let _guard = other.lock();
            thread::park();
        });
        drop(mutex.lock());
    };
    // One side of it ends in a deadlock: the first task waits for the mutex.
    let found = explore(config("dfs"), program);
    assert!(found.complete);
    assert_eq!(
        made.load(StdOrdering::Relaxed),
        dropped.load(StdOrdering::Relaxed)
    );
}

#[test]
fn without_other_tasks_the_end_is_no_operation() {
    let ends = |found: Exploration| {
        let trace = found.first_failure.expect("it fails").trace;
        let mut steps = trace.steps.iter();
        steps.any(|step| step.op.kind == OpKind::End)
    };
    assert!(!ends(explore(config("dfs"), || panic!("alone"))));
}

#[test]
fn a_trace_says_so() {
    let config = Config::new().settings_from("steps=10 ends_with_main=1");
    assert!(config.settings().ends_with_main);
    let config = config.settings_from("steps=10");
    assert!(!config.settings().ends_with_main);
}
