//! Channels under every schedule.

#[path = "answers/every_schedule.rs"]
mod answers;

use answers::{
    answers, answers_with, assert_deadlocks, assert_fails, every_schedule, outlives_failures,
};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use unpick::sync::mpsc::{
    Receiver, RecvError, RecvTimeoutError, SendError, Sender, TryRecvError, TrySendError, channel,
    sync_channel,
};
use unpick::sync::{Arc, Mutex};
use unpick::thread;
use unpick::trace::FailureKind;

#[test]
fn messages_of_one_sender_keep_their_order() {
    let seen = answers(|| {
        let (sender, receiver) = channel();
        let other = sender.clone();
        let first = thread::spawn(move || (1..=2).for_each(|value| sender.send(value).unwrap()));
        let second = thread::spawn(move || other.send(10).unwrap());
        let received: Vec<u32> = receiver.iter().collect();
        first.join().unwrap();
        second.join().unwrap();
        received
    });
    let expected = BTreeSet::from([vec![1, 2, 10], vec![1, 10, 2], vec![10, 1, 2]]);
    assert_eq!(seen, expected);
}

#[test]
fn receiving_ends_when_the_last_sender_is_gone() {
    let seen = answers(|| {
        let (sender, receiver) = channel();
        let other = thread::spawn({
            let sender = sender.clone();
            move || sender.send(1).unwrap()
        });
        drop(sender);
        let received = receiver.recv();
        assert_eq!(receiver.recv(), Err(RecvError));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
        other.join().unwrap();
        received.unwrap()
    });
    assert_eq!(seen, BTreeSet::from([1]));
}

#[test]
fn receiving_with_a_sender_that_never_sends_deadlocks() {
    assert_deadlocks(|| {
        let (sender, receiver) = channel::<u32>();
        let _ = receiver.recv();
        drop(sender);
    });
}

#[test]
fn a_value_comes_back_when_the_receiver_is_gone() {
    let seen = answers(|| {
        let (sender, receiver) = channel();
        let dropper = thread::spawn(move || drop(receiver));
        let sent = sender.send(5);
        dropper.join().unwrap();
        let later = sender.send(6);
        assert_eq!(later, Err(SendError(6)));
        sent.is_ok()
    });
    assert_eq!(seen, BTreeSet::from([false, true]));
}

/// Counts how many of its kind are alive.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Counted {
        count.fetch_add(1, SeqCst);
        Counted(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}

#[test]
fn messages_are_dropped_with_the_receiver() {
    answers(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let (sender, receiver) = channel();
        sender.send(Counted::new(&count)).unwrap();
        let other = thread::spawn({
            let (sender, count) = (sender.clone(), Arc::clone(&count));
            move || drop(sender.send(Counted::new(&count)))
        });
        drop(receiver);
        other.join().unwrap();
        assert_eq!(count.load(SeqCst), 0);
        assert!(sender.send(Counted::new(&count)).is_err());
    });
}

#[test]
fn a_channel_in_its_own_queue_is_dropped() {
    struct Loop(
        #[allow(dead_code)] Sender<Loop>,
        #[allow(dead_code)] Counted,
    );
    answers(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let (sender, receiver) = channel();
        sender
            .send(Loop(sender.clone(), Counted::new(&count)))
            .unwrap();
        drop(sender);
        drop(receiver);
        assert_eq!(count.load(SeqCst), 0);
    });
}

#[test]
fn a_bounded_channel_blocks_when_it_is_full() {
    let seen = answers(|| {
        let (sender, receiver) = sync_channel(1);
        let sent = Arc::new(Mutex::new(0));
        let producer = thread::spawn({
            let sent = Arc::clone(&sent);
            move || {
                for value in 1..=3 {
                    sender.send(value).unwrap();
                    *sent.lock().unwrap() = value;
                }
            }
        });
        let ahead = *sent.lock().unwrap();
        let received: Vec<u32> = receiver.into_iter().collect();
        producer.join().unwrap();
        (ahead, received)
    });
    // One message fits before anything is received.
    let expected = BTreeSet::from([(0, vec![1, 2, 3]), (1, vec![1, 2, 3])]);
    assert_eq!(seen, expected);
}

#[test]
fn trying_to_send_never_waits() {
    let seen = answers(|| {
        let (sender, receiver) = sync_channel(1);
        let first = sender.try_send(1);
        let second = sender.try_send(2);
        let received: Vec<u32> = receiver.try_iter().collect();
        let empty = receiver.try_recv();
        drop(receiver);
        let third = sender.try_send(3);
        assert_eq!(first, Ok(()));
        assert_eq!(second, Err(TrySendError::Full(2)));
        assert_eq!(empty, Err(TryRecvError::Empty));
        assert_eq!(third, Err(TrySendError::Disconnected(3)));
        received
    });
    assert_eq!(seen, BTreeSet::from([vec![1]]));
}

#[test]
fn a_rendezvous_waits_for_the_receiver() {
    let seen = answers(|| {
        let (sender, receiver) = sync_channel(0);
        let arrived = Arc::new(Mutex::new(false));
        let producer = thread::spawn({
            let arrived = Arc::clone(&arrived);
            move || {
                sender.send(1).unwrap();
                *arrived.lock().unwrap()
            }
        });
        *arrived.lock().unwrap() = true;
        let value = receiver.recv();
        (value.unwrap(), producer.join().unwrap())
    });
    assert_eq!(seen, BTreeSet::from([(1, true)]));
}

#[test]
fn a_rendezvous_without_a_receiver_deadlocks_or_fails() {
    assert_deadlocks(|| {
        let (sender, receiver) = sync_channel(0);
        let _ = sender.send(1);
        drop::<Receiver<u32>>(receiver);
    });
    let seen = answers(|| {
        let (sender, receiver) = sync_channel(0);
        let dropper = thread::spawn(move || drop::<Receiver<u32>>(receiver));
        let sent = sender.send(1).is_err();
        let tried = sender.try_send(2);
        dropper.join().unwrap();
        assert_eq!(tried, Err(TrySendError::Disconnected(2)));
        sent
    });
    assert_eq!(seen, BTreeSet::from([true]));
}

#[test]
fn a_timed_receive_times_out_and_time_passes() {
    let limit = Duration::from_secs(3600);
    let (seen, _) = answers_with(every_schedule().max_delay(None), move || {
        let (sender, receiver) = channel();
        let producer = thread::spawn(move || sender.send(1).unwrap());
        let begin = unpick::time::Instant::now();
        let first = receiver.recv_timeout(limit);
        if first == Err(RecvTimeoutError::Timeout) {
            assert!(begin.elapsed() >= limit);
        }
        producer.join().unwrap();
        let rest: Vec<u32> = receiver.iter().collect();
        (first.ok(), rest.len())
    });
    assert_eq!(seen, BTreeSet::from([(Some(1), 0), (None, 1)]));
    let (seen, _) = answers_with(every_schedule().timeouts(false), move || {
        let (sender, receiver) = channel::<u32>();
        let alone = receiver.recv_timeout(limit);
        drop(sender);
        let gone = receiver.recv_timeout(limit);
        (
            alone == Err(RecvTimeoutError::Timeout),
            gone == Err(RecvTimeoutError::Disconnected),
        )
    });
    assert_eq!(seen, BTreeSet::from([(true, true)]));
}

#[test]
fn a_channel_from_outside_may_be_used_but_not_waited_for() {
    let (sender, receiver) = channel();
    let receiver = std::sync::Mutex::new(receiver);
    unpick::check(move || {
        sender.send(1).unwrap();
        assert!(receiver.lock().unwrap().try_recv().is_ok());
    });
    let (_sender, receiver) = channel::<u32>();
    let receiver = std::sync::Mutex::new(receiver);
    assert_fails(FailureKind::Panic, "inside the closure", move || {
        let _ = receiver.lock().unwrap_or_else(|e| e.into_inner()).recv();
    });
    let (sender, _receiver) = sync_channel(1);
    assert_fails(FailureKind::Panic, "inside the closure", move || {
        sender.send(1).unwrap();
    });
}

#[test]
fn a_channel_that_outlives_its_execution_can_only_be_dropped() {
    static KEPT: std::sync::Mutex<Option<Sender<u32>>> = std::sync::Mutex::new(None);
    let exploration = unpick::explore(every_schedule(), || {
        let (sender, _receiver) = channel();
        *KEPT.lock().unwrap() = Some(sender);
    });
    assert!(exploration.is_clean());
    let sender = KEPT.lock().unwrap().take().unwrap();
    drop(sender.clone());
    let sends = std::panic::catch_unwind(|| sender.send(1));
    let message = *sends.unwrap_err().downcast::<&str>().unwrap();
    assert!(message.contains("anew inside the closure"), "{message}");
    let other = sender.clone();
    let exploration = unpick::explore(every_schedule(), move || {
        let _ = other.send(1);
    });
    let Some(unpick::trace::Outcome::Fail(failure)) =
        exploration.first_failure.map(|first| first.outcome)
    else {
        panic!("a channel of another execution was used");
    };
    // Told where it happened, not where that was noticed.
    let site = failure.site.unwrap();
    assert!(site.file.ends_with("tests/mpsc.rs"), "{site}");
    let exploration = unpick::explore(every_schedule(), move || drop(sender.clone()));
    assert!(exploration.is_clean());
}

#[test]
fn executions_that_deadlock_on_channels_leave_nothing_behind() {
    let count = Arc::new(AtomicUsize::new(0));
    let alive = Arc::clone(&count);
    let (failures, schedules) = outlives_failures(move || {
        assert_eq!(
            alive.load(SeqCst),
            0,
            "a message of another execution lives"
        );
        let (requests, server) = sync_channel(1);
        let (replies, client) = sync_channel(1);
        let worker = thread::spawn({
            let (requests, alive) = (requests.clone(), Arc::clone(&alive));
            move || {
                requests.send(Counted::new(&alive)).unwrap();
                server.recv().unwrap();
                replies.send(Counted::new(&alive)).unwrap();
            }
        });
        // Both may fill the channel of which the worker is the only reader.
        requests.send(Counted::new(&alive)).unwrap();
        drop(client.recv().unwrap());
        worker.join().unwrap();
    });
    assert!(failures < schedules, "{failures} of {schedules}");
    assert_eq!(count.load(SeqCst), 0);
}
