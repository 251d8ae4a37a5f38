//! A task can be held up before it comes to wait, where others can notice whether it waits.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{answers, answers_with, every_schedule};
use std::collections::BTreeSet;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Arc, Barrier, RwLock, mpsc};
use unpick::time::Duration;
use unpick::trace::Outcome;
use unpick::{Config, explore, thread};

/// The kinds of failure that a strategy finds.
fn failures(strategy: &str, program: fn()) -> BTreeSet<String> {
    let config = Config::new().strategy(strategy).spurious_wakes(0);
    let config = config.executions(20_000).keep_going(true);
    let kinds = std::sync::Mutex::new(BTreeSet::new());
    unpick::explore_visited(&config, &program, &mut |execution| {
        let kind = match execution.outcome() {
            Some(Outcome::Deadlock(_)) => "deadlock".to_owned(),
            Some(Outcome::Fail(failure)) => failure.message.clone(),
            _ => return,
        };
        kinds.lock().unwrap().insert(kind);
    });
    kinds.into_inner().unwrap()
}

const STRATEGIES: &[&str] = &[
    "dfs",
    "dpor",
    "odpor",
    "lazy-odpor",
    "lazy-dpor",
    "hbr-cache",
    "ipb:beyond=1",
    "mcr",
    "portfolio",
];

#[track_caller]
fn assert_failures(program: fn(), expected: &[&str]) {
    for strategy in STRATEGIES {
        let found = failures(strategy, program);
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{strategy}");
    }
}

/// Main can be held up between `unpark` and `wait`, so that the two others pass the barrier together.
fn three_at_a_barrier_for_two() {
    let shared = Arc::new((Barrier::new(2), AtomicUsize::new(0)));
    let (a, b) = (shared.clone(), shared.clone());
    let _one = thread::spawn(move || {
        a.0.wait();
        a.1.store(1, SeqCst);
    });
    let two = thread::spawn(move || {
        thread::park();
        b.0.wait();
        if b.1.load(SeqCst) == 1 {
            panic!("passed with task 1");
        }
    });
    two.thread().unpark();
    shared.0.wait();
}

#[test]
fn any_two_of_three_tasks_pass_a_barrier_for_two() {
    assert_failures(
        three_at_a_barrier_for_two,
        &["deadlock", "passed with task 1"],
    );
}

#[test]
fn whoever_comes_last_leads_whatever_came_before() {
    let seen = answers(|| {
        let barrier = Arc::new(Barrier::new(2));
        let other = barrier.clone();
        let second = thread::spawn(move || {
            thread::park();
            other.wait().is_leader()
        });
        second.thread().unpark();
        let leads = barrier.wait().is_leader();
        assert_ne!(leads, second.join().unwrap());
        leads
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
}

#[test]
fn a_barrier_for_one_is_passed_in_one_operation() {
    let found = explore(Config::new().strategy("dfs"), || {
        let barrier = Barrier::new(1);
        assert!(barrier.wait().is_leader());
    });
    assert!(found.complete);
    assert_eq!(found.schedules, 1);
}

/// A reader that reads again waits behind a writer, which waits for the reader.
fn reads_again() {
    let lock = Arc::new(RwLock::new(0));
    let other = lock.clone();
    let writer = thread::spawn(move || *other.write().unwrap() = 1);
    {
        let first = lock.read().unwrap();
        let second = lock.read().unwrap();
        assert_eq!(*first, *second);
    }
    writer.join().unwrap();
}

#[test]
fn a_reader_that_reads_again_waits_behind_a_writer() {
    assert_failures(reads_again, &["deadlock"]);
    let config = Config::new().strategy("dfs").writers_first(false);
    let found = explore(config, reads_again);
    assert!(found.complete && found.first_failure.is_none());
}

/// Whether an attempt to read is refused while another task reads, and whether the writer has come before.
fn attempt() -> (bool, usize) {
    let lock = Arc::new((RwLock::new(0), AtomicUsize::new(0)));
    let other = lock.clone();
    let reading = lock.0.read().unwrap();
    let writer = thread::spawn(move || {
        other.1.store(1, SeqCst);
        drop(other.0.write().unwrap());
    });
    let has_come = lock.1.load(SeqCst);
    let is_refused = lock.0.try_read().is_err();
    drop(reading);
    writer.join().unwrap();
    (is_refused, has_come)
}

/// The writer can be held up between its store and its wait.
#[test]
fn an_attempt_to_read_sees_a_writer_that_waits_and_no_other() {
    let expected = BTreeSet::from([(false, 0), (true, 0), (false, 1), (true, 1)]);
    assert_eq!(answers(attempt), expected);
    let config = every_schedule().writers_first(false);
    let (seen, _) = answers_with(config, attempt);
    assert_eq!(seen, BTreeSet::from([(false, 0), (false, 1)]));
}

#[test]
fn a_writer_that_finds_the_lock_free_takes_it_in_one_operation() {
    let found = explore(Config::new().strategy("dfs"), || {
        let lock = Arc::new(RwLock::new(0));
        let other = lock.clone();
        let writer = thread::spawn(move || *other.write().unwrap() = 1);
        writer.join().unwrap();
        assert_eq!(*lock.read().unwrap(), 1);
    });
    assert!(found.complete);
    assert_eq!(found.schedules, 1);
}

/// An attempt to receive takes what a sender offers who waits.
#[test]
fn an_attempt_to_receive_meets_a_sender_that_waits() {
    let seen = answers(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let has_begun = Arc::new(AtomicUsize::new(0));
        let other = has_begun.clone();
        let producer = thread::spawn(move || {
            other.store(1, SeqCst);
            sender.send(7).is_ok()
        });
        let begun = has_begun.load(SeqCst);
        let tried = receiver.try_recv();
        drop(receiver);
        (begun, tried.ok(), producer.join().unwrap())
    });
    let expected = [
        (0, None, false),
        (0, Some(7), true),
        (1, None, false),
        (1, Some(7), true),
    ];
    assert_eq!(seen, BTreeSet::from(expected));
}

/// The receiver can be held up between its store and its receive.
#[test]
fn an_attempt_to_send_meets_a_receiver_that_waits_and_no_other() {
    let seen = answers(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let has_begun = Arc::new(AtomicUsize::new(0));
        let other = has_begun.clone();
        let consumer = thread::spawn(move || {
            other.store(1, SeqCst);
            receiver.recv().ok()
        });
        let begun = has_begun.load(SeqCst);
        let tried = sender.try_send(7).is_ok();
        drop(sender);
        (begun, tried, consumer.join().unwrap())
    });
    let expected = [
        (0, false, None),
        (0, true, Some(7)),
        (1, false, None),
        (1, true, Some(7)),
    ];
    assert_eq!(seen, BTreeSet::from(expected));
}

/// Messages that nobody takes go back to those who sent them.
#[test]
fn senders_get_their_own_messages_back() {
    let seen = answers(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let senders: Vec<_> = (0..2)
            .map(|number| {
                let sender = sender.clone();
                thread::spawn(move || sender.send(number).map_err(|back| back.0))
            })
            .collect();
        let tried = receiver.try_recv().ok();
        drop(receiver);
        let results = senders.into_iter().map(|sender| sender.join().unwrap());
        let results: Vec<_> = results.collect();
        for (number, result) in results.iter().enumerate() {
            let is_taken = tried == Some(number);
            assert_eq!(*result, if is_taken { Ok(()) } else { Err(number) });
        }
        tried
    });
    assert_eq!(seen, BTreeSet::from([None, Some(0), Some(1)]));
}

/// A search lets others go before a task that can give up; a random schedule need not.
#[test]
fn a_timed_receive_at_a_rendezvous_waits_or_gives_up() {
    let seen = Arc::new(std::sync::Mutex::new(BTreeSet::new()));
    let gather = seen.clone();
    let found = explore(
        Config::new().strategy("random").executions(300),
        move || {
            let (sender, receiver) = mpsc::sync_channel(0);
            let producer = thread::spawn(move || sender.send(7).is_ok());
            let received = receiver.recv_timeout(Duration::from_millis(50)).ok();
            drop(receiver);
            let answer = (received, producer.join().unwrap());
            gather.lock().unwrap().insert(answer);
        },
    );
    assert!(found.first_failure.is_none());
    let expected = BTreeSet::from([(None, false), (Some(7), true)]);
    assert_eq!(*seen.lock().unwrap(), expected);
}
