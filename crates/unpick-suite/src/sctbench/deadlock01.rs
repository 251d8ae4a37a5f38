//! Two tasks take two locks in opposite orders.
//!
//! Each can hold one lock and wait for the other for ever. From the CS suite in SCTBench (id 8).

use super::with_twin;
use crate::published::rows::DEADLOCK01;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &DEADLOCK01,
    "two locks taken in opposite orders",
    "lock order inversion",
    &[Parameter::twin("0 takes them in the same order")],
    body,
);

fn body(arguments: &Arguments) {
    let last = usize::from(arguments.is_on("bug"));
    let locks = Arc::new([Mutex::new(()), Mutex::new(())]);
    let shared = locks.clone();
    let forwards = thread::spawn(move || take_both(&shared[0], &shared[1]));
    let backwards = thread::spawn(move || take_both(&locks[last], &locks[1 - last]));
    forwards.join().unwrap();
    backwards.join().unwrap();
}

fn take_both(outer: &Mutex<()>, inner: &Mutex<()>) {
    let outer = outer.lock().unwrap();
    let inner = inner.lock().unwrap();
    drop(inner);
    drop(outer);
}
