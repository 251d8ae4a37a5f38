//! `n` producers fill a queue that one consumer empties, and count what they have sent.
//!
//! Locked: the queue and all counts, by one lock with a condition. Conflicts: whatever touches the
//! queue; the counting not at all.

use super::{program, run_tasks, values, zeros};
use crate::{Arguments, Parameter, Program};
use std::collections::VecDeque;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM: Program = program(
    "coarse.producer_consumer",
    "a queue and statistics behind one lock",
    &[
        Parameter::size("n", "producers", 2, 1, 16),
        Parameter::size("m", "items of each producer", 1, 1, 100),
    ],
    body,
);

struct Channel {
    queue: Mutex<VecDeque<usize>>,
    filled: Condvar,
    sent: Box<[AtomicU32]>,
}

impl Channel {
    fn put(&self, item: usize) {
        let mut queue = self.queue.lock().unwrap();
        queue.push_back(item);
        self.filled.notify_one();
        drop(queue);
    }

    fn take(&self) -> usize {
        let mut queue = self.queue.lock().unwrap();
        loop {
            if let Some(item) = queue.pop_front() {
                drop(queue);
                return item;
            }
            queue = self.filled.wait(queue).unwrap();
        }
    }
}

fn body(arguments: &Arguments) {
    let (producers, items) = (arguments.size("n"), arguments.get("m"));
    let channel = Channel {
        queue: Mutex::default(),
        filled: Condvar::new(),
        sent: zeros(producers),
    };
    run_tasks(
        producers + 1,
        channel,
        move |channel, number| {
            if number == producers {
                for _ in 0..producers as u32 * items {
                    channel.take();
                }
                return;
            }
            for item in 1..=items {
                channel.put(number);
                let queue = channel.queue.lock().unwrap();
                channel.sent[number].store(item, SeqCst);
                drop(queue);
            }
        },
        move |channel| assert!(values(channel.sent).iter().all(|count| *count == items)),
    );
}
