//! A quicksort whose tasks come from a pool: who has two halves hands one to an idle task.
//!
//! To hand out work, the state of the idle task is set first, and only then its lock is taken and the range
//! written. The idle task may look at its state in between, and sorts the range of last time; nobody sorts
//! the new one. From the Inspect suite in SCTBench (id 36).
//!
//! *Kept*: the pool of two, its locks and condition variables, how work is handed out and how the last
//! one to fall idle ends the others; the accesses to the state without its lock are scheduling points. *Left
//! out*: sorting in detail; 16 different numbers are split at the middle value, ranges of up to three are sorted at once.

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::QSORT_MT;
use crate::{Arguments, Parameter, Program};
use std::ops::Range;
use std::sync::{Arc, Mutex as Uncontrolled};
use unpick::sync::atomic::{AtomicU8, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &QSORT_MT,
    "quicksort with a pool of tasks",
    "the state of a task is set before its range, without its lock",
    &[Parameter::twin(
        "0 sets state and range under the lock of the task",
    )],
    body,
);

const TASKS: usize = 2;
const NUMBERS: [u32; 16] = [9, 3, 14, 1, 12, 6, 0, 11, 5, 15, 2, 8, 13, 4, 10, 7];
/// Ranges that are longer are worth a task.
const FORK_MIN: usize = 3;

const IDLE: u8 = 0;
const WORK: u8 = 1;
const END: u8 = 2;

struct Worker {
    state: AtomicU8,
    range: Mutex<Range<usize>>,
    changed: Condvar,
}

struct Pool {
    workers: [Worker; TASKS],
    /// The lock for handing out work, with the number of idle tasks.
    idle: Mutex<usize>,
    // Never locked across a scheduling point.
    numbers: Uncontrolled<Vec<u32>>,
    is_faulty: bool,
}

fn body(arguments: &Arguments) {
    let pool = Arc::new(Pool {
        workers: std::array::from_fn(|_| Worker {
            state: AtomicU8::new(IDLE),
            range: Mutex::new(0..0),
            changed: Condvar::new(),
        }),
        idle: Mutex::new(TASKS),
        numbers: Uncontrolled::new(NUMBERS.to_vec()),
        is_faulty: arguments.is_on("bug"),
    });
    let handles = (0..TASKS)
        .map(|me| {
            let pool = pool.clone();
            thread::spawn(move || serve(&pool, me))
        })
        .collect();
    let first = &pool.workers[0];
    let mut range = first.range.lock().unwrap();
    *range = 0..NUMBERS.len();
    first.state.store(WORK, SeqCst);
    // Nobody else has work yet, so nobody else looks.
    *pool.idle.lock().unwrap() -= 1;
    first.changed.notify_one();
    drop(range);
    join_all(handles);
    let is_sorted = pool.numbers.lock().unwrap().is_sorted();
    assert!(is_sorted, "not sorted");
}

fn serve(pool: &Pool, me: usize) {
    let worker = &pool.workers[me];
    loop {
        let mut range = worker.range.lock().unwrap();
        while worker.state.load(SeqCst) == IDLE {
            range = worker.changed.wait(range).unwrap();
        }
        let work = range.clone();
        drop(range);
        if worker.state.load(SeqCst) == END {
            return;
        }
        sort(pool, work);
        let mut idle = pool.idle.lock().unwrap();
        worker.state.store(IDLE, SeqCst);
        *idle += 1;
        if *idle == TASKS {
            for other in 0..TASKS {
                if other != me {
                    let other = &pool.workers[other];
                    let range = other.range.lock().unwrap();
                    other.state.store(END, SeqCst);
                    other.changed.notify_one();
                    drop(range);
                }
            }
            drop(idle);
            return;
        }
        drop(idle);
    }
}

fn sort(pool: &Pool, mut range: Range<usize>) {
    while range.len() > FORK_MIN {
        let middle = split(&mut pool.numbers.lock().unwrap()[range.clone()]);
        let (left, right) = (
            range.start..range.start + middle,
            range.start + middle..range.end,
        );
        if left.len() <= FORK_MIN || !hand_out(pool, left.clone()) {
            sort(pool, left);
        }
        range = right;
    }
    pool.numbers.lock().unwrap()[range].sort_unstable();
}

/// Puts the smaller half before the larger one and says where that begins. Leaves both unsorted.
fn split(numbers: &mut [u32]) -> usize {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let middle = numbers.len() / 2;
    let (small, large): (Vec<u32>, Vec<u32>) =
        numbers.iter().partition(|number| **number < sorted[middle]);
    numbers[..middle].copy_from_slice(&small);
    numbers[middle..].copy_from_slice(&large);
    middle
}

/// Gives a range to an idle task, if there is one.
fn hand_out(pool: &Pool, work: Range<usize>) -> bool {
    let mut idle = pool.idle.lock().unwrap();
    let is_idle = |worker: &&Worker| worker.state.load(SeqCst) == IDLE;
    let Some(worker) = pool.workers.iter().find(is_idle) else {
        drop(idle);
        return false;
    };
    *idle -= 1;
    let mut range = if pool.is_faulty {
        worker.state.store(WORK, SeqCst);
        worker.range.lock().unwrap()
    } else {
        let range = worker.range.lock().unwrap();
        worker.state.store(WORK, SeqCst);
        range
    };
    drop(idle);
    *range = work;
    worker.changed.notify_one();
    drop(range);
    true
}
