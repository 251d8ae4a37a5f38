//! Mutexes: outside of explorations they are standard ones, poisoning is std's, and so is what the types
//! of guards and handles promise.

use std::fmt;
use std::marker::PhantomPinned;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, TryLockError};
use std::time::Duration;
use unpick::sync::{Condvar, Mutex, MutexGuard};
use unpick::{Config, explore};

fn panic_in(f: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(f)).is_err());
}

#[test]
fn threads_outside_exclude_each_other() {
    const THREADS: u64 = 8;
    const ADDITIONS: u64 = 3_000;
    let shared = (Mutex::new(0), Condvar::new());
    let (count, changed) = &shared;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                for addition in 0..ADDITIONS {
                    match count.try_lock() {
                        Ok(mut count) if (thread + addition) % 7 == 0 => *count += 1,
                        found => {
                            drop(found);
                            *count.lock().unwrap() += 1;
                        }
                    }
                    changed.notify_one();
                }
            });
        }
        let mut found = count.lock().unwrap();
        while *found < THREADS * ADDITIONS {
            found = changed.wait(found).unwrap();
        }
    });
    assert_eq!(*count.lock().unwrap(), THREADS * ADDITIONS);
}

#[test]
fn explorations_on_several_threads_may_share_one() {
    let shared = Arc::new(Mutex::new(0_u32));
    std::thread::scope(|scope| {
        for seed in 0..3 {
            let shared = Arc::clone(&shared);
            scope.spawn(move || {
                let config = Config::new().strategy("random").seed(seed).executions(200);
                explore(config, || {
                    let other = unpick::thread::spawn(|| Mutex::new(1).into_inner().unwrap());
                    let mine = Mutex::new(0);
                    *mine.lock().unwrap() += other.join().unwrap();
                });
                *shared.lock().unwrap() += 1;
            });
        }
    });
    assert_eq!(*shared.lock().unwrap(), 3);
}

#[test]
fn a_panic_poisons_until_that_is_cleared() {
    let mutex = Mutex::new(1);
    panic_in(|| {
        let _held = mutex.lock().unwrap();
        resume_unwind(Box::new(()));
    });
    assert!(mutex.is_poisoned());
    assert!(mutex.lock().is_err_and(|error| **error.get_ref() == 1));
    assert!(matches!(mutex.try_lock(), Err(TryLockError::Poisoned(_))));
    mutex.clear_poison();
    assert!(mutex.lock().is_ok() && mutex.try_lock().is_ok());
}

#[test]
fn a_lock_taken_while_unwinding_does_not_poison() {
    struct Locks<'a>(&'a Mutex<()>);
    impl Drop for Locks<'_> {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    let mutex = Mutex::new(());
    panic_in(|| {
        let _locks = Locks(&mutex);
        resume_unwind(Box::new(()));
    });
    assert!(!mutex.is_poisoned());
    let found = explore(Config::new().executions(1), || {
        let mutex = Mutex::new(());
        panic_in(|| {
            let _locks = Locks(&mutex);
            resume_unwind(Box::new(()));
        });
        assert!(!mutex.is_poisoned());
    });
    assert_eq!((found.executions, found.failures), (1, 0));
}

/// A guard that waits while its thread unwinds.
struct Waits<'a>(Option<MutexGuard<'a, ()>>, &'a Condvar);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        if let Some(guard) = self.0.take() {
            drop(self.1.wait_timeout(guard, Duration::from_millis(1)));
        }
    }
}

fn wait_while_unwinding() {
    let (mutex, changed) = (Mutex::new(()), Condvar::new());
    panic_in(|| {
        let _waits = Waits(Some(mutex.lock().unwrap()), &changed);
        resume_unwind(Box::new(()));
    });
    assert!(mutex.is_poisoned());
}

#[test]
fn a_wait_while_unwinding_poisons() {
    wait_while_unwinding();
    let found = explore(Config::new().executions(1), wait_while_unwinding);
    assert_eq!((found.executions, found.failures), (1, 0));
}

#[test]
fn a_value_that_cannot_be_printed_poisons() {
    struct Panics;
    impl fmt::Debug for Panics {
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            resume_unwind(Box::new(()));
        }
    }
    let mutex = Mutex::new(Panics);
    panic_in(|| drop(format!("{mutex:?}")));
    assert!(mutex.is_poisoned());
}

#[test]
fn guards_and_handles_may_be_moved_whatever_they_are_of() {
    fn may_be_moved<T: Unpin>() {}
    may_be_moved::<MutexGuard<'static, PhantomPinned>>();
    may_be_moved::<unpick::thread::JoinHandle<PhantomPinned>>();
}
