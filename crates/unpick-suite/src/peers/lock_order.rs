//! `n` tasks append their numbers to a log under one lock.
//!
//! Correct: there are n! logs, and a search that is complete must see them all. One of the programs
//! on which the sets of answers of the Rust peers were compared.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "lock_order",
    summary: "a log written under one lock",
    source: Source::Peers,
    parameters: &[Parameter::size("n", "tasks", 3, 1, 64)],
    fault: None,
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let tasks = arguments.size("n");
    let log = Arc::new(Mutex::new(Vec::with_capacity(tasks)));
    let handles = (0..tasks)
        .map(|task| {
            let log = log.clone();
            thread::spawn(move || {
                let mut guard = log.lock().unwrap();
                guard.push(task);
                drop(guard);
            })
        })
        .collect();
    join_all(handles);
    let guard = log.lock().unwrap();
    let mut entries = guard.clone();
    drop(guard);
    entries.sort_unstable();
    assert!(entries.into_iter().eq(0..tasks), "an entry is missing");
}
