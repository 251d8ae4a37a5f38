//! Two tasks go through two phases with two locks and never give back the first one.
//!
//! Whoever comes second waits for ever, so that every schedule deadlocks. From the CS suite in
//! SCTBench (id 17).

use super::program;
use crate::published::rows::PHASE01;
use crate::{Arguments, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    &PHASE01,
    "two tasks in two phases over two locks",
    "a task ends without releasing its first lock",
    body,
);

struct Locks {
    first: Mutex<()>,
    second: Mutex<()>,
}

fn body(_: &Arguments) {
    let locks = Arc::new(Locks {
        first: Mutex::new(()),
        second: Mutex::new(()),
    });
    let shared = locks.clone();
    let one = thread::spawn(move || go_through(&shared));
    let other = thread::spawn(move || go_through(&locks));
    one.join().unwrap();
    other.join().unwrap();
}

fn go_through(locks: &Locks) {
    drop(locks.first.lock().unwrap());
    // The fault: the guard is forgotten, so that the lock stays taken when the task ends.
    std::mem::forget(locks.first.lock().unwrap());
    drop(locks.second.lock().unwrap());
    drop(locks.second.lock().unwrap());
}
