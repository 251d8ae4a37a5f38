//! Two tasks go through two phases with two locks and never give back the first one.
//!
//! Whoever comes second waits for ever, so that every schedule deadlocks. From the CS suite in
//! SCTBench (id 17).

use super::with_twin;
use crate::published::rows::PHASE01;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &PHASE01,
    "two tasks in two phases over two locks",
    "a task ends without releasing its first lock",
    &[Parameter::twin("0 releases it")],
    body,
);

struct Locks {
    first: Mutex<()>,
    second: Mutex<()>,
}

fn body(arguments: &Arguments) {
    let forgets = arguments.is_on("bug");
    let locks = Arc::new(Locks {
        first: Mutex::new(()),
        second: Mutex::new(()),
    });
    let shared = locks.clone();
    let one = thread::spawn(move || go_through(&shared, forgets));
    let other = thread::spawn(move || go_through(&locks, forgets));
    one.join().unwrap();
    other.join().unwrap();
}

fn go_through(locks: &Locks, forgets: bool) {
    drop(locks.first.lock().unwrap());
    // The fault: the guard is forgotten, so that the lock stays taken when the task ends.
    let guard = locks.first.lock().unwrap();
    match forgets {
        true => std::mem::forget(guard),
        false => drop(guard),
    }
    drop(locks.second.lock().unwrap());
    drop(locks.second.lock().unwrap());
}
