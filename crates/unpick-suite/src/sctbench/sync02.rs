//! Two hand-overs through two condition variables, with two units there from the start.
//!
//! The consumer spends its two turns on the units that were there from the start, and the producer
//! waits for ever in its second turn: every schedule deadlocks. From the CS suite in SCTBench
//! (id 26).

use super::with_twin;
use crate::published::rows::SYNC02;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &SYNC02,
    "two hand-overs through two condition variables",
    "two units too many at the start: the producer waits for a third turn of the consumer",
    &[Parameter::twin("0 starts with none")],
    body,
);

const ROUNDS: u32 = 2;

struct Shared {
    units: Mutex<u32>,
    emptied: Condvar,
    filled: Condvar,
}

fn body(arguments: &Arguments) {
    let shared = Arc::new(Shared {
        units: Mutex::new(if arguments.is_on("bug") { 2 } else { 0 }),
        emptied: Condvar::new(),
        filled: Condvar::new(),
    });
    let own = shared.clone();
    let producer = thread::spawn(move || produce(&own));
    let consumer = thread::spawn(move || consume(&shared));
    producer.join().unwrap();
    consumer.join().unwrap();
}

fn produce(shared: &Shared) {
    for _ in 0..ROUNDS {
        let mut units = shared.units.lock().unwrap();
        while *units > 0 {
            units = shared.emptied.wait(units).unwrap();
        }
        *units += 1;
        drop(units);
        shared.filled.notify_one();
    }
}

fn consume(shared: &Shared) {
    for _ in 0..ROUNDS {
        let mut units = shared.units.lock().unwrap();
        while *units == 0 {
            units = shared.filled.wait(units).unwrap();
        }
        *units -= 1;
        drop(units);
        shared.emptied.notify_one();
    }
}
