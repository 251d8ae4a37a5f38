//! Thread-locals of tasks.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{answers, assert_fails, outlives_failures};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Arc, Mutex};
use unpick::thread;
use unpick::trace::FailureKind;

unpick::thread_local! {
    /// Documented, visible, and constant.
    pub(crate) static COUNT: Cell<u32> = const { Cell::new(5) };
    static NAMES: RefCell<Vec<&'static str>> = RefCell::new(vec!["first"]);
    #[allow(dead_code)]
    static PLAIN: u64 = 3
}

#[test]
fn every_task_has_its_own_value() {
    let program = || {
        COUNT.set(COUNT.get() + 1);
        NAMES.with_borrow_mut(|names| names.push("main"));
        let other = thread::spawn(|| {
            COUNT.with(|count| count.set(count.get() + 10));
            NAMES.with_borrow_mut(|names| names.push("other"));
            thread::yield_now();
            (COUNT.replace(0), NAMES.take())
        });
        thread::yield_now();
        let there = other.join().unwrap();
        (COUNT.take(), NAMES.replace(Vec::new()), there)
    };
    let expected = (6, vec!["first", "main"], (15, vec!["first", "other"]));
    assert_eq!(answers(program), BTreeSet::from([expected.clone()]));
    // And as std, in a thread of its own.
    let outside = std::thread::spawn(program).join().unwrap();
    assert_eq!(outside, expected);
}

#[test]
fn setting_a_value_first_does_not_run_the_initialiser() {
    unpick::thread_local! {
        static NEVER: Cell<u32> = panic!("the initialiser ran");
        static NEITHER: RefCell<u32> = panic!("the initialiser ran");
    }
    let program = || {
        NEVER.set(1);
        NEVER.set(NEVER.get() + 1);
        NEITHER.set(3);
        NEITHER.set(NEITHER.take() + 1);
        (NEVER.get(), NEITHER.with_borrow(|value| *value))
    };
    assert_eq!(answers(program), BTreeSet::from([(2, 4)]));
    assert_eq!(std::thread::spawn(program).join().unwrap(), (2, 4));
}

/// Notes its end in a list, and what it can still see then.
struct NotesEnd(&'static str, Arc<Mutex<Vec<String>>>);

impl Drop for NotesEnd {
    fn drop(&mut self) {
        let own = FIRST.try_with(|_| ()).is_ok();
        let plain = PLAIN.with(|value| *value);
        let mut ends = self.1.lock().unwrap();
        ends.push(format!("{} sees {own} {plain}", self.0));
    }
}

unpick::thread_local! {
    static FIRST: RefCell<Option<NotesEnd>> = const { RefCell::new(None) };
    static SECOND: RefCell<Option<NotesEnd>> = const { RefCell::new(None) };
}

#[test]
fn values_are_dropped_at_the_end_of_their_task() {
    let seen = answers(|| {
        let ends = Arc::new(Mutex::new(Vec::new()));
        let worker = thread::spawn({
            let ends = Arc::clone(&ends);
            move || {
                FIRST.set(Some(NotesEnd("first", Arc::clone(&ends))));
                SECOND.set(Some(NotesEnd("second", Arc::clone(&ends))));
                assert!(ends.lock().unwrap().is_empty());
            }
        });
        worker.join().unwrap();
        ends.lock().unwrap().clone()
    });
    let expected = ["second sees true 3", "first sees false 3"];
    assert_eq!(seen, BTreeSet::from([expected.map(String::from).to_vec()]));
}

#[test]
fn a_value_that_is_gone_cannot_be_used() {
    struct UsesItself;
    impl Drop for UsesItself {
        fn drop(&mut self) {
            ITSELF.with(|_| ());
        }
    }
    unpick::thread_local! {
        static ITSELF: UsesItself = const { UsesItself };
    }
    assert_fails(FailureKind::Panic, "during or after destruction", || {
        thread::spawn(|| ITSELF.with(|_| ())).join().unwrap();
    });
}

#[test]
fn values_do_not_reach_the_next_execution() {
    let (failures, schedules) = outlives_failures(|| {
        assert_eq!(COUNT.replace(1), 5);
        assert_eq!(NAMES.replace(vec![]), ["first"]);
        let value = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let value = Arc::clone(&value);
            move || {
                assert_eq!(COUNT.replace(2), 5);
                NAMES.with_borrow_mut(|names| names.push("more"));
                value.store(1, SeqCst);
            }
        });
        assert_eq!(value.load(SeqCst), 0, "the other was faster");
        other.join().unwrap();
    });
    assert!(failures < schedules, "{failures} of {schedules}");
}
