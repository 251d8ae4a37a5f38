//! Statics begin every execution as they began the first.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{answers, outlives_failures};
use std::collections::BTreeSet;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use unpick::thread;

static LIST: Mutex<Vec<String>> = Mutex::new(Vec::new());
static COUNT: AtomicUsize = AtomicUsize::new(1);
static LOCK: RwLock<Option<Box<u32>>> = RwLock::new(None);
static CELL: OnceLock<String> = OnceLock::new();
static ONCE: Once = Once::new();
static LAZY: LazyLock<Mutex<Vec<usize>>> = LazyLock::new(|| Mutex::new(vec![COUNT.load(SeqCst)]));
static BARRIER: Barrier = Barrier::new(2);
static CONDVAR: Condvar = Condvar::new();

fn changes_everything() -> (usize, usize, bool) {
    assert_eq!(LIST.lock().unwrap().len(), 0);
    assert_eq!(COUNT.load(SeqCst), 1);
    assert!(LOCK.read().unwrap().is_none());
    assert!(CELL.get().is_none() && !ONCE.is_completed());
    assert!(LazyLock::get(&LAZY).is_none());
    let body = || {
        LIST.lock().unwrap().push("text".repeat(3));
        let count = COUNT.fetch_add(1, SeqCst);
        *LOCK.write().unwrap() = Some(Box::new(1));
        CELL.get_or_init(|| "set".repeat(3));
        ONCE.call_once(|| ());
        LAZY.lock().unwrap().push(count);
        CONDVAR.notify_all();
        BARRIER.wait().is_leader()
    };
    let other = thread::spawn(body);
    let leads = body() ^ other.join().unwrap();
    let lazy = LAZY.lock().unwrap().len();
    let length = LIST.lock().unwrap().len();
    (length, lazy, leads)
}

#[test]
fn every_execution_finds_statics_as_they_were_declared() {
    let exploration = unpick::explore(
        unpick::Config::new().strategy("random").executions(300),
        || assert_eq!(changes_everything(), (2, 3, true)),
    );
    assert!(exploration.is_clean(), "{:?}", exploration.first_failure);
    assert_eq!(exploration.executions, 300);
}

#[test]
fn failing_executions_leave_statics_as_they_were_declared() {
    static FIRST: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    static SECOND: RwLock<Vec<u32>> = RwLock::new(Vec::new());
    let (failures, schedules) = outlives_failures(|| {
        let other = thread::spawn(|| {
            let mut first = FIRST.lock().unwrap();
            first.push(1);
            SECOND.write().unwrap().push(1);
        });
        let mut second = SECOND.write().unwrap();
        second.push(2);
        FIRST.lock().unwrap().push(2);
        drop(second);
        other.join().unwrap();
        assert_eq!(FIRST.lock().unwrap().len(), 2);
        assert_eq!(SECOND.read().unwrap().len(), 2);
    });
    assert!(failures < schedules, "{failures} of {schedules}");
}

#[test]
fn a_cell_that_was_set_outside_stays_set() {
    static OUTSIDE: OnceLock<String> = OnceLock::new();
    static LAZY_OUTSIDE: LazyLock<String> = LazyLock::new(|| "lazy".repeat(2));
    static ONCE_OUTSIDE: Once = Once::new();
    OUTSIDE.set("outside".repeat(2)).unwrap();
    assert_eq!(*LAZY_OUTSIDE, "lazylazy");
    ONCE_OUTSIDE.call_once(|| ());
    for _ in 0..2 {
        let seen = answers(|| {
            ONCE_OUTSIDE.call_once(|| panic!("it is done"));
            (
                OUTSIDE.get_or_init(String::new).clone(),
                LAZY_OUTSIDE.clone(),
            )
        });
        let expected = ("outsideoutside".to_string(), "lazylazy".to_string());
        assert_eq!(seen, BTreeSet::from([expected]));
    }
    assert_eq!(OUTSIDE.get().unwrap(), "outsideoutside");
}

#[test]
fn a_value_inside_a_static_is_put_back_with_the_static() {
    type Task = Box<dyn Fn() -> usize + Send + Sync>;
    static LAZY_TASK: LazyLock<Mutex<Task>> = LazyLock::new(|| Mutex::new(Box::new(|| 1)));
    static MAYBE_TASK: Mutex<Option<Mutex<Task>>> = Mutex::new(None);
    static CELL_TASK: OnceLock<RwLock<Task>> = OnceLock::new();
    let (failures, schedules) = outlives_failures(|| {
        let other = thread::spawn(|| {
            let text = "text".repeat(3);
            *LAZY_TASK.lock().unwrap() = Box::new(move || text.len());
        });
        let mut task = MAYBE_TASK.lock().unwrap();
        assert!(task.is_none() && CELL_TASK.get().is_none());
        let kept = "x".repeat(5);
        let task = task.insert(Mutex::new(Box::new(move || kept.len())));
        assert_eq!((task.lock().unwrap())(), 5);
        let cell = CELL_TASK.get_or_init(|| RwLock::new(Box::new(|| 2)));
        let kept = "x".repeat(6);
        *cell.write().unwrap() = Box::new(move || kept.len());
        assert_eq!((LAZY_TASK.lock().unwrap())(), 1, "the other was faster");
        other.join().unwrap();
        assert_eq!((LAZY_TASK.lock().unwrap())(), 12);
    });
    assert!(failures < schedules, "{failures} of {schedules}");
}

#[test]
fn a_value_inside_a_cell_that_was_set_outside_keeps_its_changes() {
    static OUTSIDE: OnceLock<Mutex<Vec<usize>>> = OnceLock::new();
    OUTSIDE.get_or_init(|| Mutex::new(vec![0; 3]));
    let config = unpick::Config::new().strategy("random").executions(10);
    let exploration = unpick::explore(config, || {
        let mut list = OUTSIDE.get().unwrap().lock().unwrap();
        let length = list.len();
        list.push(length);
    });
    assert!(exploration.is_clean());
    assert_eq!(OUTSIDE.get().unwrap().lock().unwrap().len(), 13);
}

/// A static that owns memory and was changed before cannot be put back byte by byte: it keeps its
/// value instead, and nothing dangles.
#[test]
fn a_static_changed_outside_keeps_what_it_owns() {
    static NAMES: unpick::sync::Mutex<Vec<String>> = unpick::sync::Mutex::new(Vec::new());
    static TITLES: unpick::sync::RwLock<Vec<String>> = unpick::sync::RwLock::new(Vec::new());
    NAMES.lock().unwrap().push("outside".to_string());
    TITLES.write().unwrap().push("outside".to_string());
    let config = unpick::Config::new().strategy("random").executions(50);
    let found = unpick::explore(config, || {
        NAMES.lock().unwrap().push("inside".to_string());
        TITLES.write().unwrap().push("inside".to_string());
        assert_eq!(NAMES.lock().unwrap()[0], "outside");
    });
    assert!(found.is_clean());
    assert_eq!(NAMES.lock().unwrap().len(), 51);
    assert_eq!(TITLES.read().unwrap().len(), 51);
}

/// References to the inside of a static may be kept beyond the execution: they stay valid.
#[test]
fn what_a_static_lends_stays_valid() {
    static NAME: unpick::sync::OnceLock<String> = unpick::sync::OnceLock::new();
    static KEPT: std::sync::Mutex<Vec<&'static str>> = std::sync::Mutex::new(Vec::new());
    let config = unpick::Config::new().strategy("random").executions(20);
    let found = unpick::explore(config, || {
        let number = KEPT.lock().unwrap().len();
        let name = NAME.get_or_init(|| format!("the name of execution {number}"));
        KEPT.lock().unwrap().push(name);
    });
    assert!(found.is_clean());
    let kept = KEPT.lock().unwrap();
    for (number, name) in kept.iter().enumerate() {
        assert_eq!(*name, format!("the name of execution {number}"));
    }
    assert_eq!(kept.len(), 20);
}
