//! Two tasks add to a number and a third one demands that it stays small, all under one lock.
//!
//! The third fails whenever it comes last. From the CS suite in SCTBench (id 16).

use super::with_twin;
use crate::published::rows::LAZY01;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &LAZY01,
    "two additions and a check under one lock",
    "the check can come after both additions",
    &[Parameter::twin("0 accepts both additions")],
    body,
);

fn body(arguments: &Arguments) {
    let sum_max = if arguments.is_on("bug") { 2 } else { 3 };
    let number = Arc::new(Mutex::new(0));
    let shared = number.clone();
    let first = thread::spawn(move || add(&shared, 1));
    let shared = number.clone();
    let second = thread::spawn(move || add(&shared, 2));
    let third = thread::spawn(move || check(&number, sum_max));
    first.join().unwrap();
    second.join().unwrap();
    third.join().unwrap();
}

fn add(number: &Mutex<u32>, amount: u32) {
    let mut number = number.lock().unwrap();
    *number += amount;
    drop(number);
}

fn check(number: &Mutex<u32>, sum_max: u32) {
    let number = number.lock().unwrap();
    assert!(*number <= sum_max, "both additions came first");
    drop(number);
}
