//! One task for each pass of a bubble sort, kept in order by a sleep at the start of each task.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use std::time::Duration;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "ibm.bubblesort2",
    "bubble sort whose passes sleep first",
    "a sleep is no order",
    &[Parameter::twin("0 waits for the pass before")],
    body,
);

const NUMBERS: [u32; 3] = [3, 2, 1];

/// Moves the largest of the first numbers to their end.
fn bubble(numbers: &[AtomicU32]) {
    for place in 1..numbers.len() {
        let (left, right) = (numbers[place - 1].load(SeqCst), numbers[place].load(SeqCst));
        if left > right {
            numbers[place - 1].store(right, SeqCst);
            numbers[place].store(left, SeqCst);
        }
    }
}

fn body(arguments: &Arguments) {
    let is_ordered = !arguments.is_on("bug");
    let numbers = Arc::new(NUMBERS.map(AtomicU32::new));
    let turn = Arc::new((Mutex::new(0), Condvar::new()));
    let shared = numbers.clone();
    run_all(NUMBERS.len() - 1, move |me| {
        thread::sleep(Duration::from_millis(10 * me as u64));
        let (step, changed) = &*turn;
        if is_ordered {
            let mut current = step.lock().unwrap();
            while *current != me {
                current = changed.wait(current).unwrap();
            }
            drop(current);
        }
        bubble(&shared[..NUMBERS.len() - me]);
        if is_ordered {
            *step.lock().unwrap() += 1;
            changed.notify_all();
        }
    });
    let sorted = numbers.iter().map(|number| number.load(SeqCst));
    assert!(sorted.is_sorted(), "not sorted");
}
