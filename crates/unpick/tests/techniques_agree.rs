//! Programs in which techniques once reached different ends, each with the answers that there are.
//!
//! Whatever a technique calls complete must reach all of them, under every memory model.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc as StdArc, Mutex as StdMutex};
use unpick::sync::atomic::{AtomicI32, Ordering::*};
use unpick::sync::{Arc, Condvar, Mutex, Once, OnceLock, PoisonError, RwLock, RwLockWriteGuard};
use unpick::thread::spawn;
use unpick::{Config, Memory, Proviso, Provisos, explore};

/// Techniques that come to an end of their own.
const TECHNIQUES: &[&str] = &[
    "dfs",
    "ipb:beyond=1",
    "idb:beyond=1",
    "hbr-cache",
    "lazy-hbr-cache",
    "dpor",
    "odpor",
    "lazy-odpor",
    "mcr",
    "se-mcr",
];

/// More than any technique needs here.
const EXECUTIONS_MAX: u64 = 200_000;

/// Provisos that depth-first search has too.
const SHARED: &[Proviso] = &[
    Proviso::SpuriousWakes,
    Proviso::WeakFailures,
    Proviso::WeakOrderings,
    Proviso::Timeouts,
    Proviso::Unwinding,
];

fn hides(provided: Provisos) -> bool {
    provided.iter().any(|proviso| !SHARED.contains(&proviso))
}

/// What the executions of a program answer, under each technique.
fn assert_agree<A>(config: &Config, program: fn() -> A, expected: &[A])
where
    A: Ord + Clone + Debug + Send + 'static,
{
    let expected: BTreeSet<A> = expected.iter().cloned().collect();
    for memory in Memory::ALL {
        for technique in TECHNIQUES {
            let seen = StdArc::new(StdMutex::new(BTreeSet::new()));
            let answers = StdArc::clone(&seen);
            let config = config.clone().strategy(technique).memory(memory);
            let config = config.executions(EXECUTIONS_MAX);
            let found = explore(config.keep_going(true).shrink(0).confirm(0), move || {
                let answer = program();
                answers.lock().unwrap().insert(answer);
            });
            let seen = seen.lock().unwrap();
            let about = format!("{technique} under {}: {}", memory.name(), found.claim());
            assert_eq!(found.failures, 0, "{about}");
            assert!(found.claim().is_exhausted, "{about}");
            assert!(seen.is_subset(&expected), "{about}: {seen:?}");
            if !hides(found.claim().provided) {
                assert_eq!(*seen, expected, "{about}");
            }
        }
    }
}

fn zero() -> Arc<AtomicI32> {
    Arc::new(AtomicI32::new(0))
}

fn fails() {
    resume_unwind(Box::new("on purpose"));
}

fn catch(act: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(act)).is_err()
}

/// A loop around a weak exchange, which may fail or not: what it touches depends on the answer.
#[test]
fn a_weak_exchange_in_a_loop() {
    let program = || {
        let x = zero();
        let (adds, looks) = (Arc::clone(&x), Arc::clone(&x));
        let adder = spawn(move || _ = adds.fetch_update(SeqCst, SeqCst, |value| Some(value + 1)));
        let looker = spawn(move || looks.load(SeqCst));
        let own = x.load(SeqCst);
        adder.join().unwrap();
        (own, looker.join().unwrap())
    };
    assert_agree(&Config::new(), program, &[(0, 0), (0, 1), (1, 0), (1, 1)]);
}

/// All weak exchanges share one ration of failures: one that fails takes the question from another one.
#[test]
fn weak_exchanges_that_share_a_ration() {
    let program = || {
        let (x, y) = (zero(), zero());
        let (x1, y1, y2) = (Arc::clone(&x), Arc::clone(&y), Arc::clone(&y));
        let looker = spawn(move || y2.load(SeqCst));
        let adder = spawn(move || {
            y1.fetch_update(SeqCst, SeqCst, |value| Some(value + 1))
                .unwrap()
        });
        let first = x1.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok();
        let greatest = y.fetch_max(1, SeqCst);
        (
            first,
            greatest,
            adder.join().unwrap(),
            looker.join().unwrap(),
        )
    };
    let mut expected = Vec::new();
    for first in [true, false] {
        for (greatest, added) in [(0, 1), (1, 0)] {
            let looks = if added == 1 {
                vec![0, 1, 2]
            } else {
                vec![0, 1]
            };
            expected.extend(looks.iter().map(|&seen| (first, greatest, added, seen)));
        }
    }
    assert_agree(&Config::new(), program, &expected);
}

/// What is planned behind one answer to a question says nothing of what comes behind another one.
#[test]
fn what_follows_another_answer_is_explored_too() {
    let program = || {
        let (x, y) = (zero(), zero());
        let (x1, y1) = (Arc::clone(&x), Arc::clone(&y));
        let (x2, y2) = (Arc::clone(&x), Arc::clone(&y));
        let exchanger = spawn(move || {
            let is_done = y1.compare_exchange_weak(0, 1, SeqCst, SeqCst).is_ok();
            (is_done, y1.load(SeqCst))
        });
        let adder = spawn(move || (y2.fetch_add(1, SeqCst), x2.load(SeqCst)));
        x1.store(1, SeqCst);
        (exchanger.join().unwrap(), adder.join().unwrap())
    };
    let mut expected = Vec::new();
    for seen in [0, 1] {
        // The exchange before the addition, and behind it.
        expected.extend([1, 2].map(|own| ((true, own), (1, seen))));
        expected.extend([0, 1].map(|own| ((false, own), (0, seen))));
    }
    assert_agree(&Config::new(), program, &expected);
}

/// The same where the exchanges meet on one variable. What there is to see is left to depth-first search.
#[test]
fn what_follows_another_answer_on_one_variable_is_explored_too() {
    let answers_of = |technique: &str| {
        let seen = StdArc::new(StdMutex::new(BTreeSet::new()));
        let answers = StdArc::clone(&seen);
        let config = Config::new().strategy(technique).executions(EXECUTIONS_MAX);
        let found = explore(config.keep_going(true), move || {
            let x = zero();
            let [looks, first, second] = [(); 3].map(|()| Arc::clone(&x));
            let looks = spawn(move || looks.load(SeqCst));
            let first = spawn(move || first.compare_exchange_weak(0, 1, SeqCst, SeqCst));
            let second = spawn(move || {
                let own = second.compare_exchange_weak(0, 2, SeqCst, SeqCst);
                (
                    own,
                    second.fetch_update(SeqCst, SeqCst, |value| (value < 2).then_some(value + 1)),
                )
            });
            let answer = (
                looks.join().unwrap(),
                first.join().unwrap(),
                second.join().unwrap(),
                x.load(SeqCst),
            );
            answers.lock().unwrap().insert(answer);
        });
        assert!(found.claim().is_exhausted, "{technique}");
        let seen = seen.lock().unwrap();
        seen.clone()
    };
    let expected = answers_of("dfs");
    for technique in ["dpor", "odpor", "lazy-odpor"] {
        assert_eq!(answers_of(technique), expected, "{technique}");
    }
}

/// A task poisons and releases within the transition that began with the lock.
#[test]
fn a_panic_that_is_caught_releases_its_lock() {
    let program = || {
        let number = Arc::new(Mutex::new(0));
        let (fails_first, adds) = (Arc::clone(&number), Arc::clone(&number));
        let first = spawn(move || {
            catch(|| {
                let mut number = fails_first.lock().unwrap_or_else(PoisonError::into_inner);
                *number += 10;
                fails();
            });
            let mut number = fails_first.lock().unwrap_or_else(PoisonError::into_inner);
            *number += 1;
            *number
        });
        let second = spawn(move || {
            let mut number = adds.lock().unwrap_or_else(PoisonError::into_inner);
            *number += 1;
            *number
        });
        (first.join().unwrap(), second.join().unwrap())
    };
    assert_agree(&Config::new(), program, &[(11, 12), (12, 11), (12, 1)]);
}

#[test]
fn poison_is_seen_by_who_comes_later() {
    let program = || {
        let mutex = Arc::new(Mutex::new(()));
        let (poisons, looks) = (Arc::clone(&mutex), Arc::clone(&mutex));
        let poisoner = spawn(move || {
            catch(|| {
                let _guard = poisons.lock();
                fails();
            });
        });
        let looker = spawn(move || looks.lock().is_err());
        poisoner.join().unwrap();
        looker.join().unwrap()
    };
    assert_agree(&Config::new(), program, &[false, true]);
}

#[test]
fn an_initialisation_that_fails_makes_way() {
    let program = || {
        let cell = Arc::new(OnceLock::new());
        let [first, second, third] = [(); 3].map(|()| Arc::clone(&cell));
        let first = spawn(move || *first.get_or_init(|| 1));
        let second = spawn(move || {
            catch(|| {
                second.get_or_init(|| {
                    fails();
                    0
                });
            })
        });
        let third = spawn(move || third.set(2).is_ok());
        (
            first.join().unwrap(),
            second.join().unwrap(),
            third.join().unwrap(),
        )
    };
    let expected = [
        (1, false, false),
        (1, true, false),
        (2, false, true),
        (2, true, true),
    ];
    assert_agree(&Config::new(), program, &expected);
}

#[test]
fn a_write_lock_that_becomes_a_read_lock() {
    let program = || {
        let lock = Arc::new(RwLock::new(0));
        let (writes, looks) = (Arc::clone(&lock), Arc::clone(&lock));
        let writer = spawn(move || {
            let mut guard = writes.write().unwrap();
            *guard = 1;
            *RwLockWriteGuard::downgrade(guard)
        });
        let looker = spawn(move || *looks.write().unwrap());
        (writer.join().unwrap(), looker.join().unwrap())
    };
    for is_first in [true, false] {
        let config = Config::new().writers_first(is_first);
        assert_agree(&config, program, &[(1, 0), (1, 1)]);
    }
}

/// Nothing unwinds there.
#[test]
fn a_downgrade_is_no_unwinding() {
    let found = explore(Config::new().strategy("dfs"), || {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let looker = spawn(move || *other.read().unwrap());
        drop(RwLockWriteGuard::downgrade(lock.write().unwrap()));
        looker.join().unwrap();
    });
    assert!(found.claim().is_proof(), "{}", found.claim());
}

/// A task whose store still waits in a buffer waits for an initialisation.
#[test]
fn who_waits_for_an_initialisation_behind_a_store_is_woken() {
    let program = || {
        let shared = Arc::new((OnceLock::new(), AtomicI32::new(0)));
        let other = Arc::clone(&shared);
        let setter = spawn(move || {
            other.0.set(7).unwrap();
            other.1.load(Relaxed)
        });
        shared.1.store(1, Relaxed);
        let value = *shared.0.wait();
        (value, setter.join().unwrap())
    };
    assert_agree(&Config::new(), program, &[(7, 0), (7, 1)]);
    let program = || {
        let shared = Arc::new((Once::new(), AtomicI32::new(0)));
        let other = Arc::clone(&shared);
        let caller = spawn(move || {
            other.0.call_once(|| ());
            other.1.load(Relaxed)
        });
        shared.1.store(1, Relaxed);
        shared.0.wait();
        (0, caller.join().unwrap())
    };
    assert_agree(&Config::new(), program, &[(0, 0), (0, 1)]);
}

/// Two waits share one ration of spurious wake-ups.
#[test]
fn waits_that_share_a_ration() {
    let program = || {
        let pair = Arc::new((Mutex::new(0), Condvar::new(), AtomicI32::new(0)));
        let waiters = [(); 2].map(|()| {
            let pair = Arc::clone(&pair);
            spawn(move || {
                let mut number = pair.0.lock().unwrap();
                let mut turns = 0;
                while *number == 0 {
                    number = pair.1.wait(number).unwrap();
                    turns += 1;
                }
                turns
            })
        });
        *pair.0.lock().unwrap() = 1;
        pair.1.notify_all();
        waiters.map(|waiter| waiter.join().unwrap())
    };
    let expected: Vec<[i32; 2]> = (0..3)
        .flat_map(|one| (0..3).map(move |other| [one, other]))
        .filter(|turns| turns.iter().filter(|turns| **turns == 2).count() < 2)
        .collect();
    assert_agree(&Config::new(), program, &expected);
}
