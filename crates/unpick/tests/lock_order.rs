//! Locks taken in orders that may lead to a deadlock: what is warned about, what is not, and what a
//! directed search makes of it.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use unpick::sync::atomic::AtomicBool;
use unpick::sync::{Condvar, Mutex, RwLock, mpsc};
use unpick::trace::Outcome;
use unpick::{Config, Confirmation, Exploration, LockCycle, WarningKind, thread};

/// One schedule, in which every task runs until it has to wait: nothing deadlocks in it.
fn one_schedule() -> Config {
    Config::new().strategy("round-robin:quantum=0")
}

fn cycles(found: &Exploration) -> Vec<&LockCycle> {
    let warnings = found.warnings.iter();
    warnings.filter_map(|one| one.cycle.as_deref()).collect()
}

/// The cycles that one schedule shows, which must pass.
#[track_caller]
fn cycles_of<F: Fn() + Send + Sync + 'static>(program: F) -> Vec<LockCycle> {
    let found = unpick::explore(one_schedule().confirm(0), program);
    assert_eq!((found.executions, found.failures), (1, 0));
    for warning in &found.warnings {
        assert_eq!(warning.kind, WarningKind::PossibleDeadlock, "{warning:?}");
    }
    cycles(&found).into_iter().cloned().collect()
}

/// Whether one schedule, which must pass, shows a possible deadlock.
#[track_caller]
fn warns<F: Fn() + Send + Sync + 'static>(program: F) -> bool {
    !cycles_of(program).is_empty()
}

/// What tasks share.
#[derive(Default)]
struct Locks {
    a: Mutex<()>,
    b: Mutex<()>,
    gate: Mutex<()>,
    shared: RwLock<()>,
    flag: AtomicBool,
}

impl Locks {
    fn a_then_b(&self) {
        let _a = self.a.lock();
        let _b = self.b.lock();
    }

    fn b_then_a(&self) {
        let _b = self.b.lock();
        let _a = self.a.lock();
    }
}

/// Runs two tasks and waits for them.
fn both(one: impl FnOnce(&Locks) + Send, other: impl FnOnce(&Locks) + Send) {
    let locks = Locks::default();
    thread::scope(|scope| {
        scope.spawn(|| one(&locks));
        scope.spawn(|| other(&locks));
    });
}

fn crossed() {
    both(Locks::a_then_b, Locks::b_then_a);
}

#[test]
fn crossed_locks_are_warned_about_although_no_schedule_deadlocked() {
    let found = cycles_of(crossed);
    let [cycle] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(cycle.confirmation, Confirmation::NotTried);
    let [one, other] = &cycle.links[..] else {
        panic!("{cycle:?}");
    };
    assert_eq!((one.task.0, other.task.0), (1, 2));
    assert_eq!((&one.held, &one.wanted), (&other.wanted, &other.held));
    assert_ne!(one.held, one.wanted);
    let sites = [
        &one.held_at,
        &one.wanted_at,
        &other.held_at,
        &other.wanted_at,
    ];
    let lines: Vec<u32> = sites
        .iter()
        .map(|site| site.as_ref().unwrap().line)
        .collect();
    // As the source above has them.
    assert_eq!(lines[1], lines[0] + 1);
    assert_eq!(lines[2], lines[0] + 5);
    assert_eq!(lines[3], lines[0] + 6);
    let text = cycle.text();
    assert_eq!(text.matches("lock_order.rs:").count(), 4, "{text}");
    for part in ["task 1 takes mutex ", "task 2 takes mutex ", "not tried"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_possible_deadlock_is_confirmed_and_replays() {
    for config in [
        one_schedule(),
        Config::new().strategy("dfs").executions(1),
        Config::new().strategy("random").executions(1).seed(3),
    ] {
        let without = unpick::explore(config.clone().confirm(0), crossed);
        assert!(without.is_clean());
        let found = unpick::explore(config.clone(), crossed);
        assert_eq!((found.failures, cycles(&found).len()), (1, 1));
        let failure = found.first_failure.as_ref().expect("it is confirmed");
        assert!(failure.is_directed);
        assert_eq!(
            (failure.rank, failure.execution),
            (found.schedules, found.executions)
        );
        let execution = failure.execution;
        let confirmed = Confirmation::Confirmed { execution };
        assert_eq!(cycles(&found)[0].confirmation, confirmed);
        assert!(found.warnings[0].text.contains("confirmed: execution"));
        let Outcome::Deadlock(deadlock) = &failure.outcome else {
            panic!("{:?}", failure.outcome);
        };
        assert_eq!(deadlock.cycle.len(), 2);
        let again = unpick::replay(&config, &crossed, failure.trace.clone());
        let repeated = again.first_failure.expect("it deadlocks again");
        assert_eq!(repeated.outcome, failure.outcome);
    }
}

/// The failure is enough where the strategy itself has found it.
#[test]
fn a_deadlock_that_was_found_is_not_warned_about() {
    let found = unpick::explore(Config::new().strategy("dfs").keep_going(true), crossed);
    assert!(found.failures > 0);
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    assert!(!found.first_failure.unwrap().is_directed);
}

#[test]
fn a_common_lock_is_a_gate() {
    assert!(!warns(|| both(
        |locks| {
            let _gate = locks.gate.lock();
            locks.a_then_b();
        },
        |locks| {
            let _gate = locks.gate.lock();
            locks.b_then_a();
        },
    )));
    // Held by one of them it is none.
    assert!(warns(|| both(
        |locks| {
            let _gate = locks.gate.lock();
            locks.a_then_b();
        },
        Locks::b_then_a,
    )));
}

#[test]
fn a_gate_that_both_may_read_is_none() {
    assert!(warns(|| both(
        |locks| {
            let _gate = locks.shared.read();
            locks.a_then_b();
        },
        |locks| {
            let _gate = locks.shared.read();
            locks.b_then_a();
        },
    )));
    assert!(!warns(|| both(
        |locks| {
            let _gate = locks.shared.read();
            locks.a_then_b();
        },
        |locks| {
            let _gate = locks.shared.write();
            locks.b_then_a();
        },
    )));
}

#[test]
fn one_task_does_not_wait_for_itself() {
    assert!(!warns(|| both(
        |locks| {
            locks.a_then_b();
            locks.b_then_a();
        },
        |_| {},
    )));
}

#[test]
fn what_joining_and_creating_order_cannot_meet() {
    let joined = || {
        let locks = Arc::new(Locks::default());
        let other = Arc::clone(&locks);
        thread::spawn(move || other.a_then_b()).join().unwrap();
        let other = Arc::clone(&locks);
        thread::spawn(move || other.b_then_a()).join().unwrap();
    };
    assert!(!warns(joined));
    let created = || {
        let locks = Locks::default();
        locks.a_then_b();
        thread::scope(|scope| scope.spawn(|| locks.b_then_a()).join()).unwrap();
    };
    assert!(!warns(created));
    // A task that joins another one follows all that this has joined.
    let joined_by_another = || {
        let locks = Arc::new(Locks::default());
        let (one, other) = (Arc::clone(&locks), Arc::clone(&locks));
        let first = thread::spawn(move || one.a_then_b());
        let second = thread::spawn(move || first.join().unwrap());
        let third = thread::spawn(move || {
            second.join().unwrap();
            other.b_then_a();
        });
        third.join().unwrap();
    };
    assert!(!warns(joined_by_another));
    let at_the_same_time = || {
        let locks = Locks::default();
        thread::scope(|scope| {
            scope.spawn(|| locks.b_then_a());
            locks.a_then_b();
        });
    };
    assert!(warns(at_the_same_time));
}

/// The first time is ordered, the second is not.
#[test]
fn the_same_order_counts_again_after_creating_a_task() {
    assert!(warns(|| {
        let locks = Locks::default();
        let lock_both = || locks.a_then_b();
        lock_both();
        thread::scope(|scope| {
            scope.spawn(|| locks.b_then_a());
            lock_both();
        });
    }));
}

#[test]
fn readers_do_not_wait_for_readers() {
    let program = |first_reads: bool, second_reads: bool| {
        move || {
            both(
                move |locks| {
                    let _a = locks.a.lock();
                    match first_reads {
                        true => drop(locks.shared.read()),
                        false => drop(locks.shared.write()),
                    }
                },
                move |locks| match second_reads {
                    true => {
                        let _shared = locks.shared.read();
                        drop(locks.a.lock());
                    }
                    false => {
                        let _shared = locks.shared.write();
                        drop(locks.a.lock());
                    }
                },
            );
        }
    };
    assert!(!warns(program(true, true)));
    assert!(warns(program(false, true)));
    assert!(warns(program(true, false)));
    assert!(warns(program(false, false)));
}

#[test]
fn attempts_do_not_wait_but_hold() {
    let attempt_inside = |locks: &Locks| {
        let _a = locks.a.lock();
        drop(locks.b.try_lock());
    };
    assert!(!warns(move || both(attempt_inside, Locks::b_then_a)));
    let attempt_outside = |locks: &Locks| {
        let _a = locks.a.try_lock();
        drop(locks.b.lock());
    };
    assert!(warns(move || both(attempt_outside, Locks::b_then_a)));
}

#[test]
fn a_refused_attempt_holds_nothing() {
    assert!(!warns(|| {
        let locks = Locks::default();
        thread::scope(|scope| {
            let guard = locks.a.lock();
            let refused = scope.spawn(|| {
                let attempt = locks.a.try_lock();
                drop(locks.b.lock());
                assert!(attempt.is_err());
            });
            scope.spawn(|| locks.b_then_a());
            refused.join().unwrap();
            drop(guard);
        });
    }));
}

#[test]
fn a_lock_that_was_released_is_not_held() {
    assert!(!warns(|| both(
        |locks| {
            drop(locks.a.lock());
            drop(locks.b.lock());
        },
        Locks::b_then_a,
    )));
    // Also if it was not the last one taken.
    assert!(!warns(|| both(
        |locks| {
            let a = locks.a.lock();
            let gate = locks.gate.lock();
            drop(a);
            drop(locks.b.lock());
            drop(gate);
        },
        Locks::b_then_a,
    )));
}

#[test]
fn waiting_takes_the_mutex_again() {
    assert!(warns(|| {
        let (locks, condvar) = (Locks::default(), Condvar::new());
        thread::scope(|scope| {
            scope.spawn(|| locks.a_then_b());
            scope.spawn(|| {
                let a = locks.a.lock().unwrap();
                let _b = locks.b.lock();
                drop(condvar.wait_timeout(a, std::time::Duration::ZERO));
            });
        });
    }));
}

fn philosophers(count: usize) {
    let forks: Vec<Mutex<()>> = (0..count).map(|_| Mutex::new(())).collect();
    thread::scope(|scope| {
        for seat in 0..count {
            let (left, right) = (&forks[seat], &forks[(seat + 1) % count]);
            scope.spawn(move || {
                let _left = left.lock();
                let _right = right.lock();
            });
        }
    });
}

#[test]
fn rings_of_several_tasks_are_found_and_confirmed() {
    for count in 3..=5 {
        let found = cycles_of(move || philosophers(count));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].links.len(), count);
        for (at, link) in found[0].links.iter().enumerate() {
            let next = &found[0].links[(at + 1) % count];
            assert_eq!(link.wanted, next.held);
        }
        let found = unpick::explore(one_schedule(), move || philosophers(count));
        let failure = found.first_failure.expect("it is confirmed");
        let Outcome::Deadlock(deadlock) = &failure.outcome else {
            panic!("{:?}", failure.outcome);
        };
        assert_eq!(deadlock.cycle.len(), count);
    }
}

/// Nobody can be there at the same time, but that is more than the order of locking tells.
fn handed_over() {
    let (sender, receiver) = mpsc::channel();
    both(
        move |locks| {
            locks.a_then_b();
            sender.send(()).unwrap();
        },
        move |locks| {
            receiver.recv().unwrap();
            locks.b_then_a();
        },
    );
}

#[test]
fn what_is_not_confirmed_stays_a_warning_and_says_so() {
    let found = unpick::explore(one_schedule().confirm(20), handed_over);
    assert!(found.is_clean());
    assert_eq!(found.executions, 21);
    let not_confirmed = Confirmation::NotConfirmed { executions: 20 };
    assert_eq!(cycles(&found)[0].confirmation, not_confirmed);
    let text = &found.warnings[0].text;
    assert!(
        text.ends_with("not confirmed by 20 executions directed at it"),
        "{text}"
    );
}

#[test]
fn a_complete_search_refutes_it() {
    for (strategy, is_refuted) in [
        ("dfs", true),
        ("ipb", true),
        ("odpor", true),
        ("lazy-odpor", true),
        ("round-robin", false),
        ("hbr-cache:preemptions=0", false),
    ] {
        let config = Config::new().strategy(strategy).confirm(1);
        let found = unpick::explore(config, handed_over);
        assert!(found.is_clean());
        assert_eq!(cycles(&found).is_empty(), is_refuted, "{strategy}");
    }
}

#[test]
fn one_warning_for_many_executions_and_any_number_of_workers() {
    let explore = |strategy: &str, jobs: usize| {
        let config = Config::new().strategy(strategy).executions(300).confirm(5);
        unpick::explore(config.jobs(jobs).fingerprint(true), || {
            handed_over();
            philosophers_in_order();
        })
    };
    for strategy in ["random", "idb"] {
        let alone = explore(strategy, 1);
        assert_eq!(cycles(&alone).len(), 1);
        let shared = explore(strategy, 3);
        assert_eq!(alone.warnings, shared.warnings);
        assert_eq!(alone.hash, shared.hash);
        assert_eq!(alone.executions, shared.executions);
    }
}

fn philosophers_in_order() {
    let forks = [Mutex::new(()), Mutex::new(())];
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let _left = forks[0].lock();
                let _right = forks[1].lock();
            });
        }
    });
}

macro_rules! crossed_here {
    () => {
        both(
            |locks| drop((locks.a.lock(), locks.b.lock())),
            |locks| drop((locks.b.lock(), locks.a.lock())),
        )
    };
}

#[test]
fn no_more_than_a_few_are_kept() {
    #[rustfmt::skip]
    let found = cycles_of(|| {
        crossed_here!(); crossed_here!();
        crossed_here!(); crossed_here!();
        crossed_here!(); crossed_here!();
        crossed_here!(); crossed_here!();
        crossed_here!(); crossed_here!();
    });
    assert_eq!(found.len(), 8);
}

#[test]
fn tasks_that_wait_in_a_loop_for_one_that_is_held_back_are_no_livelock() {
    let found = unpick::explore(one_schedule(), || {
        both(
            |locks| {
                locks.a_then_b();
                locks.flag.store(true, SeqCst);
            },
            |locks| {
                while !locks.flag.load(SeqCst) {
                    thread::yield_now();
                }
                locks.b_then_a();
            },
        );
    });
    assert!(found.is_clean(), "{:?}", found.first_failure);
    assert_eq!(cycles(&found).len(), 1);
}

/// Only what the strategy has left alone is searched for.
#[test]
fn nothing_is_directed_where_something_else_fails() {
    let found = unpick::explore(one_schedule().keep_going(true), || {
        crossed();
        panic!("anyway");
    });
    assert_eq!((found.executions, found.failures), (1, 1));
    assert_eq!(cycles(&found)[0].confirmation, Confirmation::NotTried);
}

/// Nothing is left of the time of the strategy, but a part of it was kept.
#[test]
fn some_time_is_kept_for_confirming() {
    for (strategy, jobs) in [("preempt-bound:c=0", 1), ("preempt-bound:c=0", 2)] {
        let config = Config::new().strategy(strategy).executions(u64::MAX);
        let limit = std::time::Duration::from_millis(300);
        let found = unpick::explore(config.time(limit).jobs(jobs), crossed);
        let failure = found.first_failure.expect("it is confirmed");
        assert!(failure.is_directed);
        assert_eq!(found.stopped_because, unpick::StopReason::Failure);
    }
}

#[test]
fn going_on_confirms_all_of_them() {
    let explore = |keep_going: bool| {
        let found = unpick::explore(one_schedule().keep_going(keep_going), || {
            crossed();
            philosophers(2);
        });
        let cycles = cycles(&found).into_iter();
        let are_confirmed = cycles.map(|cycle| match cycle.confirmation {
            Confirmation::Confirmed { .. } => true,
            Confirmation::NotTried => false,
            other => panic!("{other:?}"),
        });
        are_confirmed.collect::<Vec<bool>>()
    };
    assert_eq!(explore(true), [true, true]);
    assert_eq!(explore(false), [true, false]);
}
