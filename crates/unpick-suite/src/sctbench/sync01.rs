//! A producer waits until a unit is taken away and a consumer takes none.
//!
//! The consumer signals without consuming, so the producer waits for ever and every schedule
//! deadlocks. From the CS suite in SCTBench (id 25).

use super::program;
use crate::published::rows::SYNC01;
use crate::{Arguments, Program};
use std::sync::Arc;
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    &SYNC01,
    "one hand-over through two condition variables",
    "the consumer signals without consuming",
    body,
);

struct Shared {
    units: Mutex<u32>,
    emptied: Condvar,
    filled: Condvar,
}

fn body(_: &Arguments) {
    let shared = Arc::new(Shared {
        units: Mutex::new(1),
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
    let mut units = shared.units.lock().unwrap();
    while *units > 0 {
        units = shared.emptied.wait(units).unwrap();
    }
    *units += 1;
    drop(units);
    shared.filled.notify_one();
}

fn consume(shared: &Shared) {
    let mut units = shared.units.lock().unwrap();
    while *units == 0 {
        units = shared.filled.wait(units).unwrap();
    }
    drop(units);
    shared.emptied.notify_one();
}
