//! The motivating example of the first paper on maximal causality reduction (J. Huang, PLDI 2015), as its tool has
//! it: the error takes two rounds of all three tasks in one order, through three values of two variables.

use super::{Variables, program};
use crate::{Arguments, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "huang.rvexample",
    "two variables, of which only one is written under a lock",
    &[],
    Some("the last task can meet the value that the one before it reaches in two steps"),
    body,
);

const X: usize = 0;
const Y: usize = 1;
const ROUNDS: u32 = 2;

fn body(_: &Arguments) {
    let shared = Arc::new((Mutex::new(()), Variables::<2>::new()));
    let first = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let (lock, variables) = &*shared;
            for _ in 0..ROUNDS {
                let guard = lock.lock().unwrap();
                variables.write(X, 0);
                drop(guard);
                if variables.read(X) > 0 {
                    variables.write(Y, variables.read(Y) + 1);
                    variables.write(X, 2);
                }
            }
        })
    };
    let second = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let (_, variables) = &*shared;
            for _ in 0..ROUNDS {
                if variables.read(X) > 1 {
                    assert!(variables.read(Y) != 3, "the error is reached");
                    variables.write(Y, 2);
                }
            }
        })
    };
    let (lock, variables) = &*shared;
    for _ in 0..ROUNDS {
        let _guard = lock.lock().unwrap();
        variables.write(X, 1);
        variables.write(Y, 1);
    }
    first.join().unwrap();
    second.join().unwrap();
}
