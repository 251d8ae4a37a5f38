//! `n` tasks add one to a counter `k` times each, with one read-modify-write.
//!
//! Correct: the counterpart of `race_counter`, with (n k)! / k!^n orders of the increments. A
//! family used by all the Rust peers.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "rmw_counter",
    summary: "counter incremented atomically",
    source: Source::Peers,
    parameters: &[
        Parameter::size("n", "tasks", 2, 1, 64),
        Parameter::size("k", "increments of each task", 1, 1, 1000),
    ],
    fault: None,
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let (tasks, increments) = (arguments.size("n"), arguments.size("k"));
    let counter = Arc::new(AtomicUsize::new(0));
    let handles = (0..tasks)
        .map(|_| {
            let counter = counter.clone();
            thread::spawn(move || {
                for _ in 0..increments {
                    counter.fetch_add(1, SeqCst);
                }
            })
        })
        .collect();
    join_all(handles);
    assert!(counter.load(SeqCst) == tasks * increments, "lost update");
}
