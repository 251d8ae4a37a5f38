//! What orders two accesses of a cell, and what does not.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{answers, every_schedule};
use std::sync::Arc;
use unpick::cell::Cell;
use unpick::sync::atomic::{AtomicBool, Ordering::SeqCst};
use unpick::sync::{Barrier, Condvar, Mutex, Once, RwLock, mpsc};
use unpick::trace::{FailureKind, Outcome};
use unpick::{Config, thread};

/// What users of cells write themselves.
struct Shared(Cell<u32>);

// SAFETY: the tests run inside explorations, where tasks share one thread.
unsafe impl Sync for Shared {}

impl Shared {
    fn new() -> Shared {
        Shared(Cell::new(0))
    }

    #[track_caller]
    fn set(&self, value: u32) {
        self.0.set(value);
    }

    #[track_caller]
    fn get(&self) -> u32 {
        self.0.get()
    }
}

/// Schedules with a data race, of all.
#[track_caller]
fn racing<F: Fn() + Send + Sync + 'static>(program: F) -> (u64, u64) {
    let found = unpick::explore(every_schedule().keep_going(true), program);
    assert!(found.complete);
    if let Some(failure) = &found.first_failure {
        let is_race =
            matches!(&failure.outcome, Outcome::Fail(one) if one.kind == FailureKind::DataRace);
        assert!(is_race, "{:?}", failure.outcome);
    }
    (found.failures, found.schedules)
}

fn unlocked() {
    let (cell, gate) = (Shared::new(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| cell.set(1));
        gate.store(true, SeqCst);
        gate.store(true, SeqCst);
        cell.get();
    });
}

/// The accesses need not stand side by side: whichever schedule is run shows the race.
#[test]
fn a_race_shows_in_every_schedule_that_does_not_order_it() {
    let (racing, all) = racing(unlocked);
    assert_eq!(racing, all);
}

#[test]
fn a_race_names_both_tasks_both_places_and_the_cell() {
    let found = unpick::explore(Config::new().strategy("random").executions(1), unlocked);
    let failure = found.first_failure.expect("it races");
    let Outcome::Fail(failure) = &failure.outcome else {
        panic!("{:?}", failure.outcome);
    };
    assert_eq!(failure.kind, FailureKind::DataRace);
    let places = failure.message.matches("races.rs:").count();
    assert_eq!(places, 2, "{}", failure.message);
    for part in ["task 0 reads ", "task 1 writes ", "variable "] {
        assert!(failure.message.contains(part), "{}", failure.message);
    }
}

#[test]
fn replay_gives_the_same_race() {
    for strategy in ["random", "dfs", "pct", "dpor", "odpor", "lazy-odpor", "ipb"] {
        let config = Config::new().strategy(strategy).executions(1);
        let found = unpick::explore(config.clone(), unlocked);
        let failure = found.first_failure.expect("it races");
        let again = unpick::replay(&config, &unlocked, failure.trace.clone());
        let repeated = again.first_failure.expect("it races again");
        assert_eq!(repeated.outcome, failure.outcome, "{strategy}");
    }
}

#[test]
fn races_can_be_tolerated() {
    let found = unpick::explore(every_schedule().keep_going(true).races(false), unlocked);
    assert!(found.complete && found.is_clean());
}

/// In the order in which the attempt fails, nothing is learned from it.
#[test]
fn a_refused_attempt_orders_nothing() {
    let (racing, all) = racing(|| {
        let (cell, lock) = (Shared::new(), Mutex::new(()));
        thread::scope(|scope| {
            scope.spawn(|| {
                cell.set(1);
                drop(lock.lock());
            });
            drop(lock.try_lock());
            cell.get();
        });
    });
    assert!(racing > 0 && racing < all, "{racing} of {all}");
}

#[test]
fn readers_are_ordered_before_a_writer_and_not_among_themselves() {
    let program = |read: fn(&Shared)| {
        move || {
            let (cell, lock) = (Shared::new(), RwLock::new(()));
            thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        let _guard = lock.read();
                        read(&cell);
                    });
                }
                let _guard = lock.write();
                cell.set(1);
            });
        }
    };
    let (racing_count, _) = racing(program(|cell| assert_eq!(cell.get() & 2, 0)));
    assert_eq!(racing_count, 0);
    let (racing_count, _) = racing(program(|cell| cell.set(2)));
    assert!(racing_count > 0);
}

#[test]
fn what_synchronises_orders_accesses() {
    answers(|| {
        let (cell, barrier) = (Shared::new(), Barrier::new(2));
        thread::scope(|scope| {
            scope.spawn(|| {
                cell.set(1);
                barrier.wait();
                barrier.wait();
                cell.get()
            });
            barrier.wait();
            cell.set(2);
            barrier.wait();
        });
        cell.get()
    });
    answers(|| {
        let (cell, once) = (Shared::new(), Once::new());
        thread::scope(|scope| {
            scope.spawn(|| once.call_once(|| cell.set(1)));
            once.call_once(|| cell.set(2));
            cell.get()
        })
    });
    answers(|| {
        let cell = Shared::new();
        thread::scope(|scope| {
            let parked = scope.spawn(|| {
                thread::park();
                cell.get()
            });
            cell.set(1);
            parked.thread().unpark();
        });
    });
    answers(|| {
        let (cell, flag) = (Shared::new(), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                cell.set(1);
                flag.store(true, SeqCst);
            });
            flag.load(SeqCst).then(|| cell.get())
        })
    });
    answers(|| {
        let (cell, lock, condvar) = (Shared::new(), Mutex::new(false), Condvar::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                cell.set(1);
                *lock.lock().unwrap() = true;
                condvar.notify_one();
            });
            let guard = lock.lock().unwrap();
            drop(condvar.wait_while(guard, |is_set| !*is_set));
            cell.get()
        })
    });
}

/// Sends `count` messages while the cell is used before each receive and after the last send.
fn uses_room(capacity: usize, count: u32) -> (u64, u64) {
    racing(move || {
        let cell = Shared::new();
        let (sender, receiver) = mpsc::sync_channel(capacity);
        thread::scope(|scope| {
            let cell = &cell;
            scope.spawn(move || {
                cell.set(1);
                while receiver.recv().is_ok() {}
            });
            for number in 0..count {
                sender.send(number).unwrap();
            }
            cell.set(2);
            drop(sender);
        });
    })
}

#[test]
fn messages_order_and_so_does_making_room_for_them() {
    answers(|| {
        let cell = Shared::new();
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            let cell = &cell;
            scope.spawn(move || {
                cell.set(1);
                sender.send(()).unwrap();
            });
            receiver.recv().unwrap();
            cell.get()
        })
    });
    // A rendezvous, and a second message in the place of the first.
    assert_eq!(uses_room(0, 1).0, 0);
    assert_eq!(uses_room(1, 2).0, 0);
    let (racing, all) = uses_room(1, 1);
    assert_eq!(racing, all);
}

/// An exchange that fails is a read: what its task did before is not handed on by it.
#[test]
fn a_failed_exchange_hands_nothing_on() {
    let exchanging = |expected: bool| {
        racing(move || {
            let (cell, flag) = (Shared::new(), AtomicBool::new(false));
            thread::scope(|scope| {
                scope.spawn(|| {
                    cell.set(1);
                    let _ = flag.compare_exchange(expected, false, SeqCst, SeqCst);
                });
                flag.load(SeqCst);
                cell.get();
            });
        })
    };
    let (failing, all) = exchanging(true);
    assert_eq!(failing, all);
    // One that works hands it on, even if it changes nothing.
    let (working, all) = exchanging(false);
    assert!(0 < working && working < all, "{working} of {all}");
}

#[test]
fn a_failed_exchange_learns() {
    answers(|| {
        let (cell, flag) = (Shared::new(), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                cell.set(1);
                flag.store(true, SeqCst);
            });
            let exchanged = flag.compare_exchange(false, false, SeqCst, SeqCst);
            exchanged.err().map(|_| cell.get())
        })
    });
}

/// All of them know what their creator did, not only the first.
#[test]
fn tasks_created_together_follow_their_creator() {
    let program = |late: bool| {
        racing(move || {
            let cell = Arc::new(Shared::new());
            let task = |cell: &Arc<Shared>| -> Box<dyn FnOnce() + Send> {
                let cell = Arc::clone(cell);
                Box::new(move || assert!(cell.get() < 3))
            };
            let tasks = vec![task(&cell), task(&cell), task(&cell)];
            cell.set(1);
            thread::spawn_all(tasks);
            if late {
                cell.set(2);
            }
        })
    };
    assert_eq!(program(false).0, 0);
    let (racing, all) = program(true);
    assert_eq!(racing, all);
}

/// What a program finds fault with itself is not covered up; a deadlock comes after the race.
#[test]
fn a_race_does_not_hide_a_panic() {
    let found = unpick::explore(every_schedule(), || {
        let cell = Shared::new();
        thread::scope(|scope| {
            scope.spawn(|| cell.set(1));
            cell.set(2);
        });
        panic!("anyway");
    });
    let failure = found.first_failure.expect("it panics");
    assert!(
        matches!(&failure.outcome, Outcome::Fail(one) if one.kind == FailureKind::Panic),
        "{:?}",
        failure.outcome
    );
}
