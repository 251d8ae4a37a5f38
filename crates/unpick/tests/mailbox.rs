//! Mailboxes and quiescence, by hand.

use std::panic::Location;
use std::sync::{Arc, Mutex};
use unpick::mailbox::{Mailbox, Patience, quiesce};
use unpick::sync::mpsc;
use unpick::trace::{OpKind, Outcome};
use unpick::{Config, Exploration, explore, thread};

fn explored(strategy: &str, program: impl Fn() + Send + Sync + 'static) -> Exploration {
    let config = Config::new().strategy(strategy).executions(10_000);
    explore(config, program)
}

/// A task that adds up what it receives.
fn adder(total: &Arc<Mutex<u32>>) -> (Mailbox<u32>, thread::JoinHandle<()>) {
    let mailbox = Mailbox::new(None);
    let (own, total) = (mailbox.clone(), Arc::clone(total));
    let task = thread::spawn(move || {
        while let Ok(message) = own.receive(Patience::Idle, Location::caller()) {
            *total.lock().unwrap() += message;
        }
    });
    (mailbox, task)
}

#[test]
fn quiescence_comes_after_everything() {
    for strategy in ["dfs", "ipb", "random", "pct", "dpor", "odpor", "lazy-odpor"] {
        let found = explored(strategy, || {
            let total = Arc::default();
            let (mailbox, adder) = adder(&total);
            let other = mailbox.clone();
            thread::spawn(move || {
                for _ in 0..2 {
                    other.send(10, "add", Location::caller()).unwrap();
                }
            });
            mailbox.send(1, "add", Location::caller()).unwrap();
            quiesce();
            assert_eq!(*total.lock().unwrap(), 21);
            mailbox.close();
            adder.join().unwrap();
        });
        assert!(found.first_failure.is_none(), "{strategy}: {found:?}");
        // The orders in which one message and two others come.
        if strategy.ends_with("odpor") {
            assert_eq!(found.executions, 3, "{strategy}");
        }
    }
}

#[test]
fn who_waits_for_something_else_is_not_quiet() {
    let found = explored("dfs", || {
        let total = Arc::default();
        let (_mailbox, _adder) = adder(&total);
        let (sender, receiver) = mpsc::channel::<()>();
        let _waiting = thread::spawn(move || receiver.recv());
        quiesce();
        drop(sender);
    });
    let Outcome::Deadlock(deadlock) = found.first_failure.unwrap().outcome else {
        panic!("there is no deadlock");
    };
    let blocked: Vec<_> = deadlock
        .blocked
        .iter()
        .map(|one| (one.task.0, one.op.kind))
        .collect();
    assert_eq!(blocked, [(0, OpKind::Quiesce), (2, OpKind::Receive)]);
    assert_eq!(deadlock.blocked[0].waits_for, [deadlock.blocked[1].task]);
}

#[test]
fn idle_tasks_that_are_left_over_are_told() {
    let found = explored("dfs", || drop(adder(&Arc::default())));
    let Outcome::Deadlock(deadlock) = found.first_failure.unwrap().outcome else {
        panic!("there is no deadlock");
    };
    assert_eq!(deadlock.blocked.len(), 1);
    assert!(deadlock.blocked[0].op.is_idle());
}

#[test]
fn a_bounded_mailbox_makes_its_senders_wait() {
    let found = explored("dfs", || {
        let mailbox = Mailbox::new(Some(1));
        let own = mailbox.clone();
        let taker = thread::spawn(move || {
            let take = || own.receive(Patience::Busy, Location::caller());
            let taken = [take(), take()];
            own.abandon();
            taken
        });
        mailbox.send(1, "add", Location::caller()).unwrap();
        mailbox.send(2, "add", Location::caller()).unwrap();
        assert_eq!(taker.join().unwrap(), [Ok(1), Ok(2)]);
        assert_eq!(mailbox.send(3, "add", Location::caller()), Err(3));
    });
    assert!(found.complete && found.first_failure.is_none(), "{found:?}");
}
