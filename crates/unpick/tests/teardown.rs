//! The end of a failed execution: nothing hangs, nothing crashes, nothing leaks into the next one.

use std::sync::Arc;
use unpick::sync::atomic::{AtomicBool, Ordering::SeqCst};
use unpick::sync::{Mutex, mpsc};
use unpick::trace::{FailureKind, Outcome};
use unpick::{Config, Exploration, explore, thread};

fn all_schedules(program: impl Fn() + Send + Sync + 'static) -> Exploration {
    let config = Config::new()
        .strategy("dfs")
        .executions(20_000)
        .keep_going(true);
    explore(config, program)
}

/// Two locks in opposite order: a deadlock in some schedules.
fn crossed_locks() -> impl FnOnce() {
    let locks = Arc::new((Mutex::new(()), Mutex::new(())));
    let other = Arc::clone(&locks);
    let task = thread::spawn(move || {
        let _b = other.1.lock().unwrap();
        let _a = other.0.lock().unwrap();
    });
    let _a = locks.0.lock().unwrap();
    let _b = locks.1.lock().unwrap();
    move || task.join().unwrap()
}

/// A destructor that joins, and insists.
struct Pool(Option<thread::JoinHandle<()>>);

impl Drop for Pool {
    fn drop(&mut self) {
        if let Some(task) = self.0.take() {
            task.join().unwrap();
        }
    }
}

#[test]
fn a_destructor_that_blocks_for_ever_spoils_nothing() {
    let found = all_schedules(|| {
        let (sender, receiver) = mpsc::channel::<()>();
        let _pool = Pool(Some(thread::spawn(move || {
            let _ = receiver.recv();
        })));
        let end = crossed_locks();
        end();
        drop(sender);
    });
    assert!(found.complete, "{found:?}");
    assert!(found.failures > 0 && found.failures < found.schedules);
    let clean = all_schedules(|| {
        let end = {
            let lock = Arc::new(Mutex::new(0));
            let other = Arc::clone(&lock);
            let task = thread::spawn(move || *other.lock().unwrap() += 1);
            *lock.lock().unwrap() += 1;
            task
        };
        end.join().unwrap();
    });
    assert!(clean.complete && clean.is_clean());
    assert!(
        !std::thread::panicking(),
        "the caller's thread is as it was"
    );
}

/// A task panics, and its destructor needs a lock that another holds while it spins.
#[test]
fn a_panic_whose_destructor_needs_a_taken_lock_ends() {
    struct TakesLock(Arc<Mutex<()>>);
    impl Drop for TakesLock {
        fn drop(&mut self) {
            drop(self.0.lock());
        }
    }
    let found = all_schedules(|| {
        let lock = Arc::new(Mutex::new(()));
        let go = Arc::new(AtomicBool::new(false));
        let spinner = {
            let (lock, go) = (Arc::clone(&lock), Arc::clone(&go));
            thread::spawn(move || {
                let _guard = lock.lock().unwrap();
                while !go.load(SeqCst) {
                    thread::yield_now();
                }
            })
        };
        let panicker = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let _taker = TakesLock(lock);
                thread::yield_now();
                panic!("on purpose");
            })
        };
        let _ = (spinner, panicker);
    });
    assert!(found.failures > 0, "{found:?}");
    let outcome = found.first_failure.unwrap().outcome;
    let Outcome::Fail(failure) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(failure.kind, FailureKind::Panic);
    assert_eq!(failure.message, "on purpose");
}

/// A task that swallows every panic, the end of its execution included.
#[test]
fn a_task_that_catches_everything_is_given_up() {
    let found = all_schedules(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        thread::spawn(move || {
            loop {
                let result = std::panic::catch_unwind(|| {
                    if other.load(SeqCst) {
                        panic!("caught");
                    }
                    thread::yield_now();
                });
                if result.is_err() && std::thread::panicking() {
                    return;
                }
            }
        });
        flag.store(true, SeqCst);
        panic!("the end");
    });
    assert_eq!(found.failures, found.schedules);
}

#[test]
fn a_stack_overflow_is_an_outcome() {
    fn dig(depth: u64) -> u64 {
        let room = std::hint::black_box([depth; 64]);
        if depth == u64::MAX {
            0
        } else {
            dig(depth + 1) + room[(depth % 64) as usize]
        }
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("skipped: stack overflows are caught on Linux on x86-64 only");
        return;
    }
    for _ in 0..3 {
        let config = Config::new()
            .strategy("random")
            .executions(4)
            .keep_going(true);
        let found = explore(config.stack_size(64 * 1024), || {
            let task = thread::spawn(|| {
                thread::yield_now();
                std::hint::black_box(dig(0));
            });
            task.join().unwrap();
        });
        assert_eq!(found.failures, 4);
        let outcome = found.first_failure.unwrap().outcome;
        let Outcome::Fail(failure) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(failure.kind, FailureKind::StackOverflow);
        assert!(
            failure.message.contains("65536 bytes"),
            "{}",
            failure.message
        );
    }
}

#[test]
fn the_first_panic_is_reported_with_its_message_and_place() {
    let found = all_schedules(|| {
        let task = thread::spawn(|| {
            thread::yield_now();
            panic!("number {}", 7);
        });
        let _ = task.join();
    });
    let failure = found.first_failure.unwrap();
    let Outcome::Fail(failure) = failure.outcome else {
        panic!("not a failure");
    };
    assert_eq!(failure.message, "number 7");
    assert!(failure.site.unwrap().file.ends_with("teardown.rs"));
    assert_eq!(failure.task.0, 1);
}
