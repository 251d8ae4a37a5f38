//! A producer waits until a unit is taken away and a consumer takes none.
//!
//! The consumer signals without consuming, so the producer waits for ever and every schedule
//! deadlocks. From the CS suite in SCTBench (id 25).

use super::with_twin;
use crate::published::rows::SYNC01;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &SYNC01,
    "one hand-over through two condition variables",
    "the consumer signals without consuming",
    &[Parameter::twin("0 consumes")],
    body,
);

struct Shared {
    units: Mutex<u32>,
    emptied: Condvar,
    filled: Condvar,
}

fn body(arguments: &Arguments) {
    let consumed = u32::from(!arguments.is_on("bug"));
    let shared = Arc::new(Shared {
        units: Mutex::new(1),
        emptied: Condvar::new(),
        filled: Condvar::new(),
    });
    let own = shared.clone();
    let producer = thread::spawn(move || produce(&own));
    let consumer = thread::spawn(move || consume(&shared, consumed));
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

fn consume(shared: &Shared, consumed: u32) {
    let mut units = shared.units.lock().unwrap();
    while *units == 0 {
        units = shared.filled.wait(units).unwrap();
    }
    *units -= consumed;
    drop(units);
    shared.emptied.notify_one();
}
