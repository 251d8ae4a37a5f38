//! One writer and `n` readers of one variable.
//!
//! Correct: each reader sees the write or does not, which makes 2^n Mazurkiewicz traces. A standard
//! program of the literature on partial-order reduction; used by interweave and others.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "readers",
    summary: "one writer and several readers of one variable",
    source: Source::Peers,
    parameters: &[Parameter::size("n", "readers", 2, 1, 64)],
    fault: None,
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let variable = Arc::new(AtomicUsize::new(0));
    let shared = variable.clone();
    let writer = thread::spawn(move || shared.store(1, SeqCst));
    let readers = (0..arguments.size("n"))
        .map(|_| {
            let variable = variable.clone();
            thread::spawn(move || variable.load(SeqCst))
        })
        .collect();
    writer.join().unwrap();
    let seen = join_all(readers);
    assert!(seen.iter().all(|value| *value <= 1), "a value from nowhere");
}
