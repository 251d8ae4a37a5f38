//! Load buffering: each of two tasks reads one variable and then writes the other's.
//!
//! Both can read one only if a load is delayed past the following store, which relaxed order allows
//! but no tool that executes the program in order can show. A standard litmus test; it passes under
//! `order=1` and under any strategy with sequentially consistent memory.

use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::AtomicUsize;
use unpick::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "lb",
    summary: "litmus test: load buffering",
    source: Source::Peers,
    parameters: &[Parameter::switch(
        "order",
        "memory order: 0 relaxed, 1 release and acquire",
        0,
    )],
    fault: Some("under weak memory both tasks can read what the other writes later"),
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let (store_order, load_order) = if arguments.is_on("order") {
        (Release, Acquire)
    } else {
        (Relaxed, Relaxed)
    };
    let variables = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let [first, second] = [0, 1].map(|own| {
        let variables = variables.clone();
        thread::spawn(move || {
            let seen = variables[own].load(load_order);
            variables[1 - own].store(1, store_order);
            seen
        })
    });
    let seen = (first.join().unwrap(), second.join().unwrap());
    assert!(seen != (1, 1), "both tasks read what was written later");
}
