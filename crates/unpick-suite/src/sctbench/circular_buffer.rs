//! A sender and a receiver exchange seven numbers through a ring of ten, taking turns by flags.
//!
//! Each gives up a turn for good when the flag is not set, so the receiver can be behind and
//! expect another number than it gets. From the CS suite in SCTBench (id 7).

use super::with_twin;
use crate::published::rows::CIRCULAR_BUFFER;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &CIRCULAR_BUFFER,
    "ring buffer with a sender and a receiver in turns",
    "a receiver that finds nothing counts the turn all the same",
    &[Parameter::twin("0 counts what was sent and received")],
    body,
);

const SIZE: usize = 10;
const MESSAGES: i32 = 7;

struct Ring {
    slots: [i32; SIZE],
    first: usize,
    next: usize,
    may_send: bool,
    may_receive: bool,
}

impl Ring {
    fn insert(&mut self, value: i32) {
        self.slots[self.next] = value;
        self.next = (self.next + 1) % SIZE;
    }

    /// The oldest number, or -1 if there is none.
    fn remove(&mut self) -> i32 {
        if self.next > 0 && self.first < SIZE {
            self.first += 1;
            self.slots[self.first - 1]
        } else {
            -1
        }
    }
}

fn body(arguments: &Arguments) {
    let ring = Arc::new(Mutex::new(Ring {
        slots: [0; SIZE],
        first: 0,
        next: 0,
        may_send: true,
        may_receive: false,
    }));
    let counts_turns = arguments.is_on("bug");
    let shared = ring.clone();
    let sender = thread::spawn(move || send(&shared, counts_turns));
    let receiver = thread::spawn(move || receive(&ring, counts_turns));
    sender.join().unwrap();
    receiver.join().unwrap();
}

fn send(ring: &Mutex<Ring>, counts_turns: bool) {
    let mut message = 0;
    for _ in 0..MESSAGES {
        let mut ring = ring.lock().unwrap();
        let may = ring.may_send;
        if may {
            ring.insert(message);
            ring.may_send = false;
            ring.may_receive = true;
        }
        drop(ring);
        message += i32::from(may || counts_turns);
    }
}

fn receive(ring: &Mutex<Ring>, counts_turns: bool) {
    let mut message = 0;
    for _ in 0..MESSAGES {
        let mut ring = ring.lock().unwrap();
        let may = ring.may_receive;
        if may {
            assert!(ring.remove() == message, "received the wrong number");
            ring.may_receive = false;
            ring.may_send = true;
        }
        drop(ring);
        message += i32::from(may || counts_turns);
    }
}
