//! `n` tasks take one lock `m` times each and touch only their own slot under it.
//!
//! Correct: every order of the critical sections gives the same result, so that one lazy class
//! stands for all (n m)! / m!^n of them. A family used by all the Rust peers.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "mutex_disjoint",
    summary: "one lock, disjoint data",
    source: Source::Peers,
    parameters: &[
        Parameter::size("n", "tasks", 2, 1, 64),
        Parameter::size("m", "critical sections of each task", 2, 1, 1000),
    ],
    fault: None,
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let (tasks, sections) = (arguments.size("n"), arguments.size("m"));
    let slots = Arc::new(Mutex::new(vec![0; tasks]));
    let handles = (0..tasks)
        .map(|task| {
            let slots = slots.clone();
            thread::spawn(move || {
                for _ in 0..sections {
                    let mut guard = slots.lock().unwrap();
                    guard[task] += 1;
                    drop(guard);
                }
            })
        })
        .collect();
    join_all(handles);
    let guard = slots.lock().unwrap();
    assert!(guard.iter().all(|slot| *slot == sections), "lost update");
    drop(guard);
}
