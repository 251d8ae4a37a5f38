//! Each of two tasks adds to its own cell and then to the other's, and looks at what was there.
//!
//! Correct: at least one of them finds the other's addition. With `load=1` each reads its own cell
//! first for no purpose, which must not change the answers. One of the programs on which the sets
//! of answers of the Rust peers were compared.

use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "crossed",
    summary: "two tasks add to two cells in opposite orders",
    source: Source::Peers,
    parameters: &[Parameter::switch(
        "load",
        "1 reads the own cell first for no purpose",
        0,
    )],
    fault: None,
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let load = arguments.is_on("load");
    let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let [first, second] = [0, 1].map(|own| {
        let cells = cells.clone();
        thread::spawn(move || {
            if load {
                cells[own].load(SeqCst);
            }
            cells[own].fetch_add(1, SeqCst);
            cells[1 - own].fetch_add(10, SeqCst)
        })
    });
    let found = (first.join().unwrap(), second.join().unwrap());
    assert!(found != (0, 0), "neither task found the other's addition");
}
