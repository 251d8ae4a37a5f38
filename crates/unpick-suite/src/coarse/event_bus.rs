//! `n` publishers send an event to all subscribers, while one more task subscribes.
//!
//! Locked: the list of subscribers and their mailboxes, by one lock. Conflicts: the subscription
//! with each look at the list; deliveries of different publishers go to different places of a
//! mailbox.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.event_bus",
    "events for a list of subscribers behind one lock",
    &[
        Parameter::size("n", "publishers", 3, 1, 16),
        Parameter::size("m", "events of each publisher", 2, 1, 100),
    ],
    body,
);

const SUBSCRIBERS: usize = 2;

struct Bus {
    lock: Mutex<()>,
    subscribers: AtomicU32,
    /// For each subscriber, the last event of each publisher.
    mailboxes: [Box<[AtomicU32]>; SUBSCRIBERS],
}

fn body(arguments: &Arguments) {
    let (publishers, events) = (arguments.size("n"), arguments.get("m"));
    let bus = Bus {
        lock: Mutex::new(()),
        subscribers: AtomicU32::new(SUBSCRIBERS as u32 - 1),
        mailboxes: [zeros(publishers), zeros(publishers)],
    };
    run_tasks(
        publishers + 1,
        bus,
        move |bus, number| {
            if number == publishers {
                section(&bus.lock, || {
                    bus.subscribers.store(SUBSCRIBERS as u32, SeqCst)
                });
                return;
            }
            for event in 1..=events {
                section(&bus.lock, || {
                    let count = bus.subscribers.load(SeqCst) as usize;
                    for mailbox in &bus.mailboxes[..count] {
                        mailbox[number].store(event, SeqCst);
                    }
                });
            }
        },
        move |bus| {
            let [early, late] = bus.mailboxes.map(values);
            assert!(early.iter().all(|event| *event == events));
            assert!(late.iter().all(|event| *event == 0 || *event == events));
        },
    );
}
