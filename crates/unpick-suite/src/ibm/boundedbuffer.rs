//! Producers and consumers share a buffer of one place and one condition variable, and wake one task at a time.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM: Program = program(
    "ibm.boundedbuffer",
    "buffer with one condition variable",
    "a task of the wrong kind can be woken: deadlock",
    &[Parameter::twin("0 wakes all tasks")],
    body,
);

const TURNS: usize = 2;

#[derive(Default)]
struct Buffer {
    is_full: Mutex<bool>,
    changed: Condvar,
    wakes_all: bool,
}

impl Buffer {
    fn make(&self, full: bool) {
        let mut is_full = self.is_full.lock().unwrap();
        while *is_full == full {
            is_full = self.changed.wait(is_full).unwrap();
        }
        *is_full = full;
        match self.wakes_all {
            true => self.changed.notify_all(),
            false => self.changed.notify_one(),
        }
        drop(is_full);
    }
}

fn body(arguments: &Arguments) {
    let buffer = Arc::new(Buffer {
        wakes_all: !arguments.is_on("bug"),
        ..Buffer::default()
    });
    // Two producers, then two consumers.
    run_all(4, move |me| {
        for _ in 0..TURNS {
            buffer.make(me < 2);
        }
    });
}
