//! `n` tasks add one to a counter `k` times each, with a load and a store.
//!
//! Two of them can load the same value, and an update is lost. A family used by all the Rust peers;
//! with `bug=0` nobody looks at the sum.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "race_counter",
    summary: "counter incremented by a load and a store",
    source: Source::Peers,
    parameters: &[
        Parameter::size("n", "tasks", 2, 1, 64),
        Parameter::size("k", "increments of each task", 1, 1, 1000),
        Parameter::switch("bug", "1 asserts that no update is lost", 1),
    ],
    fault: Some("a load and a store are not one atomic increment"),
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
                    let value = counter.load(SeqCst);
                    counter.store(value + 1, SeqCst);
                }
            })
        })
        .collect();
    join_all(handles);
    let sum = counter.load(SeqCst);
    if arguments.is_on("bug") {
        assert!(sum == tasks * increments, "lost update");
    }
}
