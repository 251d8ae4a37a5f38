//! `n` tasks take one lock `m` times each and touch only their own slot under it.
//!
//! Correct: every order of the critical sections gives the same result, so that one lazy class
//! stands for all (n m)! / m!^n of them. A family used by all the Rust peers; the slots are variables of
//! their own here, so that a tool can see that they differ.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
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
    let lock = Arc::new(Mutex::new(()));
    let slots: Arc<Vec<AtomicUsize>> = Arc::new((0..tasks).map(|_| AtomicUsize::new(0)).collect());
    let handles = (0..tasks)
        .map(|task| {
            let (lock, slots) = (lock.clone(), slots.clone());
            thread::spawn(move || {
                for _ in 0..sections {
                    let guard = lock.lock().unwrap();
                    slots[task].fetch_add(1, SeqCst);
                    drop(guard);
                }
            })
        })
        .collect();
    join_all(handles);
    let guard = lock.lock().unwrap();
    let is_complete = slots.iter().all(|slot| slot.load(SeqCst) == sections);
    assert!(is_complete, "lost update");
    drop(guard);
}
