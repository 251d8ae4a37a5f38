//! One-time initialisations under every schedule.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{answers, assert_deadlocks, assert_fails, outlives_failures};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::mpsc::channel;
use unpick::sync::{Arc, LazyLock, Mutex, Once, OnceLock};
use unpick::thread;
use unpick::trace::FailureKind;

#[test]
fn once_runs_once_and_everybody_sees_it_done() {
    let seen = answers(|| {
        let shared = Arc::new((Once::new(), AtomicUsize::new(0)));
        let body = |shared: Arc<(Once, AtomicUsize)>, who: usize| {
            let before = shared.0.is_completed();
            shared.0.call_once(|| {
                shared.1.fetch_add(who, SeqCst);
            });
            assert!(shared.0.is_completed());
            let value = shared.1.load(SeqCst);
            assert!(value == 1 || value == 2);
            (before, value)
        };
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || body(shared, 2))
        };
        let here = body(shared, 1);
        let there = other.join().unwrap();
        assert_eq!(here.1, there.1);
        (here.0, there.0, here.1)
    });
    let expected = BTreeSet::from([
        (false, false, 1),
        (false, false, 2),
        (false, true, 1),
        (true, false, 2),
    ]);
    assert_eq!(seen, expected);
}

#[test]
fn a_once_whose_closure_panics_is_poisoned() {
    let seen = answers(|| {
        let once = Once::new();
        let mut log = Vec::new();
        let first = catch_unwind(AssertUnwindSafe(|| once.call_once(|| panic!("first"))));
        log.push(first.is_err() && !once.is_completed());
        let second = catch_unwind(AssertUnwindSafe(|| once.call_once(|| ())));
        log.push(second.is_err());
        let waits = catch_unwind(AssertUnwindSafe(|| once.wait()));
        log.push(waits.is_err());
        once.call_once_force(|state| log.push(state.is_poisoned()));
        once.call_once_force(|_| panic!("it is done"));
        once.call_once(|| panic!("it is done"));
        once.wait();
        once.wait_force();
        log.push(once.is_completed());
        log
    });
    assert_eq!(seen, BTreeSet::from([vec![true; 5]]));
}

#[test]
fn waiting_for_a_once_ends_when_it_is_done() {
    let seen = answers(|| {
        let shared = Arc::new((Once::new(), AtomicUsize::new(0)));
        let waiters: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    shared.0.wait_force();
                    shared.1.load(SeqCst)
                })
            })
            .collect();
        shared.0.call_once(|| shared.1.store(1, SeqCst));
        waiters
            .into_iter()
            .map(|waiter| waiter.join().unwrap())
            .collect::<Vec<_>>()
    });
    assert_eq!(seen, BTreeSet::from([vec![1, 1]]));
}

#[test]
fn waiting_for_a_once_that_is_never_run_deadlocks() {
    assert_deadlocks(|| Once::new().wait());
    assert_deadlocks(|| {
        OnceLock::<u32>::new().wait();
    });
}

#[test]
fn an_initialisation_within_itself_is_misuse() {
    assert_fails(FailureKind::Misuse, "initialises again", || {
        let once = Once::new();
        once.call_once(|| once.call_once(|| ()));
    });
}

#[test]
fn a_once_lock_has_one_value() {
    let seen = answers(|| {
        let cell = Arc::new(OnceLock::new());
        let other = {
            let cell = Arc::clone(&cell);
            thread::spawn(move || *cell.get_or_init(|| 1))
        };
        let early = cell.get().copied();
        let set = cell.set(2);
        let there = other.join().unwrap();
        assert_eq!(cell.get(), Some(&there));
        assert_eq!(cell.wait(), &there);
        (early, set, there)
    });
    let expected = BTreeSet::from([(None, Ok(()), 2), (None, Err(2), 1), (Some(1), Err(2), 1)]);
    assert_eq!(seen, expected);
}

#[test]
fn a_once_lock_whose_closure_panics_stays_unset() {
    let seen = answers(|| {
        let cell = Arc::new(OnceLock::new());
        let other = {
            let cell = Arc::clone(&cell);
            thread::spawn(move || *cell.wait())
        };
        let failed = catch_unwind(AssertUnwindSafe(|| cell.get_or_init(|| panic!("failed"))));
        assert!(failed.is_err() && cell.get().is_none());
        (*cell.get_or_init(|| 3), other.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(3, 3)]));
}

#[test]
fn a_once_lock_that_was_emptied_can_be_set_again() {
    let seen = answers(|| {
        let mut cell = OnceLock::from(1);
        let taken = cell.take();
        let empty = cell.get().is_none();
        cell.set(2).unwrap();
        *cell.get_mut().unwrap() += 1;
        let copy = cell.clone();
        (taken, empty, copy == cell, cell.into_inner())
    });
    assert_eq!(seen, BTreeSet::from([(Some(1), true, true, Some(3))]));
}

#[test]
fn who_waits_does_not_mind_that_it_was_poisoned_while_a_forced_call_runs() {
    let seen = answers(|| {
        let shared = Arc::new((Once::new(), AtomicUsize::new(0)));
        let fails = || shared.0.call_once(|| resume_unwind(Box::new("failed")));
        assert!(catch_unwind(AssertUnwindSafe(fails)).is_err());
        let (sender, begun) = channel();
        let other = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.0.call_once_force(|state| {
                    assert!(state.is_poisoned());
                    sender.send(()).unwrap();
                    shared.1.store(1, SeqCst);
                });
            })
        };
        begun.recv().unwrap();
        shared.0.wait();
        other.join().unwrap();
        shared.1.load(SeqCst)
    });
    assert_eq!(seen, BTreeSet::from([1]));
}

#[test]
fn a_lazy_lock_is_made_once() {
    let seen = answers(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let lazy = Arc::new(LazyLock::new({
            let count = Arc::clone(&count);
            move || count.fetch_add(1, SeqCst) + 1
        }));
        let early = LazyLock::get(&lazy).is_some();
        let other = {
            let lazy = Arc::clone(&lazy);
            thread::spawn(move || **lazy)
        };
        let values = (**lazy, other.join().unwrap(), count.load(SeqCst));
        (early, values)
    });
    assert_eq!(seen, BTreeSet::from([(false, (1, 1, 1))]));
}

#[test]
fn a_lazy_lock_whose_closure_panics_is_poisoned() {
    let seen = answers(|| {
        let lazy: LazyLock<u32> = LazyLock::new(|| panic!("failed"));
        let attempts = [(); 2].map(|()| catch_unwind(AssertUnwindSafe(|| *lazy)).is_err());
        let mut other = LazyLock::new(|| 1);
        assert!(LazyLock::get(&other).is_none());
        *LazyLock::force_mut(&mut other) += 1;
        (attempts, *other)
    });
    assert_eq!(seen, BTreeSet::from([([true, true], 2)]));
}

#[test]
fn executions_that_end_in_the_middle_of_an_initialisation_leave_nothing_behind() {
    static PLACE: OnceLock<Vec<u32>> = OnceLock::new();
    static ONCE: Once = Once::new();
    static LAZY: LazyLock<Mutex<Vec<u32>>> = LazyLock::new(|| Mutex::new(vec![1]));
    let (failures, schedules) = outlives_failures(|| {
        assert!(!ONCE.is_completed() && PLACE.get().is_none());
        let locks = Arc::new((Mutex::new(()), Mutex::new(())));
        let other = {
            let locks = Arc::clone(&locks);
            thread::spawn(move || {
                let _first = locks.0.lock().unwrap();
                ONCE.call_once(|| drop(locks.1.lock().unwrap()));
                LAZY.lock().unwrap().push(2);
            })
        };
        let _second = locks.1.lock().unwrap();
        PLACE.get_or_init(|| {
            let _first = locks.0.lock().unwrap();
            vec![1, 2, 3]
        });
        drop(_second);
        other.join().unwrap();
        assert_eq!(*LAZY.lock().unwrap(), [1, 2]);
    });
    assert!(failures < schedules, "{failures} of {schedules}");
}
