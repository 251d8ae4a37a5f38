//! A producer and several consumers share a buffer of one slot and one condition variable.
//!
//! A single notification can wake a task of the wrong kind, which goes back to sleep, and then all
//! sleep for ever; with `bug=0` everybody is woken. A classic of monitor programming; used by all
//! the Rust peers.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "bounded_buffer",
    summary: "one-slot buffer with one condition variable",
    source: Source::Peers,
    parameters: &[
        Parameter::size("items", "items for each consumer", 1, 1, 1000),
        Parameter::size("consumers", "consumers", 2, 1, 64),
        Parameter::switch("bug", "0 wakes everybody instead of one task", 1),
    ],
    fault: Some("a notification can wake the wrong task and is lost"),
    published: None,
    body,
};

struct Buffer {
    slot: Mutex<Option<usize>>,
    changed: Condvar,
    wake_one: bool,
}

impl Buffer {
    fn put(&self, item: usize) {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_some() {
            slot = self.changed.wait(slot).unwrap();
        }
        *slot = Some(item);
        self.wake();
        drop(slot);
    }

    fn take(&self) {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_none() {
            slot = self.changed.wait(slot).unwrap();
        }
        *slot = None;
        self.wake();
        drop(slot);
    }

    fn wake(&self) {
        if self.wake_one {
            self.changed.notify_one();
        } else {
            self.changed.notify_all();
        }
    }
}

fn body(arguments: &Arguments) {
    let (items, consumers) = (arguments.size("items"), arguments.size("consumers"));
    let buffer = Arc::new(Buffer {
        slot: Mutex::new(None),
        changed: Condvar::new(),
        wake_one: arguments.is_on("bug"),
    });
    let mut handles = Vec::with_capacity(consumers + 1);
    for _ in 0..consumers {
        let buffer = buffer.clone();
        handles.push(thread::spawn(move || {
            for _ in 0..items {
                buffer.take();
            }
        }));
    }
    handles.push(thread::spawn(move || {
        for item in 0..items * consumers {
            buffer.put(item);
        }
    }));
    join_all(handles);
}
