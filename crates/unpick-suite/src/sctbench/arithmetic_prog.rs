//! A producer and a consumer hand over three units while the consumer sums an arithmetic series.
//!
//! The sum is claimed to differ from what it always is, so that every schedule fails: the program
//! tests the counting of condition-variable steps. From the CS suite in SCTBench (id 4).

use super::with_twin;
use crate::published::rows::ARITHMETIC_PROG;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &ARITHMETIC_PROG,
    "sum of a series through a one-unit hand-over",
    "the final check refuses the right sum",
    &[Parameter::twin("0 accepts the right sum")],
    body,
);

const ROUNDS: u32 = 3;

struct Shared {
    units: Mutex<u32>,
    emptied: Condvar,
    filled: Condvar,
    // Touched outside the lock, but by one task at a time and never as a scheduling point.
    total: AtomicU32,
    finished: AtomicBool,
}

fn body(arguments: &Arguments) {
    let shared = Arc::new(Shared {
        units: Mutex::new(0),
        emptied: Condvar::new(),
        filled: Condvar::new(),
        total: AtomicU32::new(0),
        finished: AtomicBool::new(false),
    });
    let own = shared.clone();
    let producer = thread::spawn(move || produce(&own));
    let own = shared.clone();
    let consumer = thread::spawn(move || consume(&own));
    producer.join().unwrap();
    consumer.join().unwrap();
    if shared.finished.load(Relaxed) {
        let is_right = shared.total.load(Relaxed) == 6;
        assert!(is_right != arguments.is_on("bug"), "the sum is 6");
    }
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
    for term in 0..ROUNDS {
        let mut units = shared.units.lock().unwrap();
        while *units == 0 {
            units = shared.filled.wait(units).unwrap();
        }
        shared.total.fetch_add(term, Relaxed);
        *units -= 1;
        drop(units);
        shared.emptied.notify_one();
    }
    shared.total.fetch_add(ROUNDS, Relaxed);
    shared.finished.store(true, Relaxed);
}
