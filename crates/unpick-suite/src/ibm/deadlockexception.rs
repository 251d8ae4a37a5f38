//! Dividers wait for a place; one that divides by zero ends without giving its place back.
//!
//! *Left out*: the divisor is random in the original; here another task makes it zero for a while.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM: Program = program(
    "ibm.deadlockexception",
    "dividers that wait for a place",
    "a task that fails keeps its place: deadlock",
    &[Parameter::twin("0 gives the place back in any case")],
    body,
);

const PLACES: usize = 1;

#[derive(Default)]
struct Room {
    running: Mutex<usize>,
    left: Condvar,
    divisor: AtomicU32,
}

impl Room {
    fn divide(&self, gives_back: bool) {
        let mut running = self.running.lock().unwrap();
        while *running == PLACES {
            running = self.left.wait(running).unwrap();
        }
        *running += 1;
        drop(running);
        let quotient = 100_u32.checked_div(self.divisor.load(SeqCst));
        if quotient.is_some() || gives_back {
            *self.running.lock().unwrap() -= 1;
            self.left.notify_one();
        }
    }
}

fn body(arguments: &Arguments) {
    let gives_back = !arguments.is_on("bug");
    let room = Arc::new(Room::default());
    room.divisor.store(1, SeqCst);
    run_all(3, move |me| {
        if me == 0 {
            room.divisor.store(0, SeqCst);
            room.divisor.store(1, SeqCst);
        } else {
            room.divide(gives_back);
        }
    });
}
