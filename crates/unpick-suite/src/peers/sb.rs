//! Store buffering: each of two tasks writes its own variable and reads the other's.
//!
//! Both can read zero only if a store is delayed past the following load, which relaxed order
//! allows (and TSO hardware does) and sequential consistency does not. A standard litmus test; it
//! passes under `order=1` and under any strategy with sequentially consistent memory.

use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::AtomicUsize;
use unpick::sync::atomic::Ordering::{Relaxed, SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "sb",
    summary: "litmus test: store buffering",
    source: Source::Peers,
    parameters: &[Parameter::switch(
        "order",
        "memory order: 0 relaxed, 1 sequentially consistent",
        0,
    )],
    fault: Some("under weak memory both tasks can read the old value"),
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let order = if arguments.is_on("order") {
        SeqCst
    } else {
        Relaxed
    };
    let variables = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let [first, second] = [0, 1].map(|own| {
        let variables = variables.clone();
        thread::spawn(move || {
            variables[own].store(1, order);
            variables[1 - own].load(order)
        })
    });
    let seen = (first.join().unwrap(), second.join().unwrap());
    assert!(seen != (0, 0), "both tasks read the old value");
}
