//! The reader-writer lock under every schedule.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{answers, assert_deadlocks, assert_fails, outlives_failures};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Arc, Mutex, RwLock, RwLockWriteGuard, TryLockError};
use unpick::thread;
use unpick::trace::FailureKind;

#[test]
fn readers_do_not_exclude_each_other() {
    let seen = answers(|| {
        let lock = Arc::new(RwLock::new(7));
        let inside = Arc::new(AtomicUsize::new(0));
        let reader = {
            let (lock, inside) = (Arc::clone(&lock), Arc::clone(&inside));
            thread::spawn(move || {
                let value = lock.read().unwrap();
                inside.fetch_add(1, SeqCst);
                let both = inside.load(SeqCst);
                inside.fetch_sub(1, SeqCst);
                (*value, both)
            })
        };
        let value = lock.read().unwrap();
        inside.fetch_add(1, SeqCst);
        let both = inside.load(SeqCst);
        inside.fetch_sub(1, SeqCst);
        drop(value);
        let (value, other) = reader.join().unwrap();
        assert_eq!(value, 7);
        both.max(other)
    });
    assert_eq!(seen, BTreeSet::from([1, 2]));
}

#[test]
fn a_writer_excludes_everybody() {
    let seen = answers(|| {
        let lock = Arc::new(RwLock::new(0));
        let writer = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let mut value = lock.write().unwrap();
                *value += 1;
                thread::yield_now();
                *value += 1;
            })
        };
        let first = *lock.read().unwrap();
        *lock.write().unwrap() += 10;
        writer.join().unwrap();
        (first, *lock.read().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(0, 12), (2, 12)]));
}

#[test]
fn try_read_and_try_write_never_wait() {
    let seen = answers(|| {
        let lock = Arc::new(RwLock::new(0));
        let writer = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || *lock.write().unwrap() = 1)
        };
        let read = match lock.try_read() {
            Ok(value) => Some(*value),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Poisoned(_)) => panic!("poisoned"),
        };
        let wrote = lock.try_write().map(|mut value| *value += 10).is_ok();
        writer.join().unwrap();
        (read, wrote, *lock.read().unwrap())
    });
    let expected = BTreeSet::from([
        (Some(0), true, 1),
        (Some(0), false, 1),
        (Some(0), true, 11),
        (None, false, 1),
        (None, true, 11),
        (Some(1), true, 11),
    ]);
    assert_eq!(seen, expected);
}

#[test]
fn a_reader_that_wants_to_write_is_told_so() {
    assert_fails(FailureKind::Misuse, "holds already", || {
        let lock = RwLock::new(0);
        let _reader = lock.read().unwrap();
        let _writer = lock.write().unwrap();
    });
}

#[test]
fn two_readers_that_wait_for_each_other_deadlock() {
    assert_deadlocks(|| {
        let locks = Arc::new((RwLock::new(0), RwLock::new(0)));
        let other = {
            let locks = Arc::clone(&locks);
            thread::spawn(move || {
                let _second = locks.1.read().unwrap();
                let _first = locks.0.write().unwrap();
            })
        };
        let _first = locks.0.read().unwrap();
        let _second = locks.1.write().unwrap();
        other.join().unwrap();
    });
}

#[test]
fn nobody_writes_during_a_downgrade() {
    let seen = answers(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || *lock.write().unwrap() += 10)
        };
        let mut writer = lock.write().unwrap();
        *writer += 1;
        let before = *writer;
        let reader = RwLockWriteGuard::downgrade(writer);
        assert_eq!(before, *reader, "a writer came in between");
        let with_reader = lock.try_read().is_ok();
        drop(reader);
        other.join().unwrap();
        (before, with_reader, *lock.read().unwrap())
    });
    // The other one may wait already, and an attempt to read is then refused.
    let expected = [(1, false, 11), (1, true, 11), (11, true, 11)];
    assert_eq!(seen, BTreeSet::from(expected));
}

#[test]
fn a_downgraded_lock_lets_readers_in_and_keeps_writers_out() {
    let seen = answers(|| {
        let lock = Arc::new(RwLock::new(0));
        let reader = RwLockWriteGuard::downgrade(lock.write().unwrap());
        let other = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || (lock.try_read().is_ok(), lock.try_write().is_ok()))
        };
        let found = other.join().unwrap();
        drop(reader);
        (found, lock.try_write().is_ok())
    });
    assert_eq!(seen, BTreeSet::from([((true, false), true)]));
}

#[test]
fn a_panic_of_a_writer_poisons_and_one_of_a_reader_does_not() {
    let seen = answers(|| {
        let lock = RwLock::new(1);
        let reader = catch_unwind(AssertUnwindSafe(|| {
            let _reader = lock.read().unwrap();
            panic!("while reading");
        }));
        assert!(reader.is_err() && !lock.is_poisoned());
        let writer = catch_unwind(AssertUnwindSafe(|| {
            let mut value = lock.write().unwrap();
            *value = 2;
            panic!("while writing");
        }));
        assert!(writer.is_err() && lock.is_poisoned());
        let read = *lock.read().unwrap_err().into_inner();
        assert!(matches!(lock.try_write(), Err(TryLockError::Poisoned(_))));
        lock.clear_poison();
        let cleared = *lock.read().unwrap();
        (read, cleared, lock.into_inner().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(2, 2, 2)]));
}

#[test]
fn executions_that_deadlock_with_guards_held_leave_nothing_behind() {
    let (failures, schedules) = outlives_failures(|| {
        let locks = Arc::new((RwLock::new(vec![1]), Mutex::new(vec![2])));
        let other = {
            let locks = Arc::clone(&locks);
            thread::spawn(move || {
                let _first = locks.0.write().unwrap();
                locks.1.lock().unwrap().push(3);
            })
        };
        let mutex = locks.1.lock().unwrap();
        let lock = locks.0.read().unwrap();
        assert_eq!(
            lock.len() + mutex.len(),
            if mutex.len() == 2 { 3 } else { 2 }
        );
        drop((lock, mutex));
        other.join().unwrap();
    });
    assert!(failures < schedules, "{failures} of {schedules}");
}
