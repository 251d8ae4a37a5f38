//! `k` tasks take one lock, and each writes a variable of its own under it.
//!
//! Every one of the k! orders of the sections is a happens-before relation of its own, but they
//! differ in the order of locking alone: one lazy happens-before relation and one final state. Set
//! beside the figures of chapter 4 of the thesis.

use crate::section::section;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "disjoint",
    summary: "one lock, a variable for each task",
    source: Source::Thesis,
    parameters: &[Parameter::size("k", "tasks", 3, 2, 8)],
    fault: None,
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let mutex = Arc::new(Mutex::new(()));
    let tasks = (0..arguments.size("k")).map(|_| {
        let mutex = mutex.clone();
        let own = AtomicU32::new(0);
        Box::new(move || section(&mutex, || own.store(1, SeqCst))) as Box<dyn FnOnce() + Send>
    });
    thread::spawn_all(tasks.collect());
}
