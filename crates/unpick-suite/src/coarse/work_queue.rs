//! `n` workers take `jobs` jobs from one queue and write each result into its own place.
//!
//! Locked: the queue and the results, by one lock. Conflicts: the taking of jobs; the writing of
//! results neither with each other nor with the taking.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.work_queue",
    "jobs and results behind one lock",
    &[
        Parameter::size("n", "workers", 3, 1, 16),
        Parameter::size("jobs", "jobs", 3, 0, 64),
    ],
    body,
);

struct Queue {
    lock: Mutex<()>,
    next: AtomicU32,
    results: Box<[AtomicU32]>,
}

impl Queue {
    /// Takes the next job's number; `None` if all are taken.
    fn take(&self) -> Option<usize> {
        section(&self.lock, || {
            let job = self.next.load(SeqCst);
            let is_there = (job as usize) < self.results.len();
            if is_there {
                self.next.store(job + 1, SeqCst);
            }
            is_there.then_some(job as usize)
        })
    }
}

fn body(arguments: &Arguments) {
    let queue = Queue {
        lock: Mutex::new(()),
        next: AtomicU32::new(0),
        results: zeros(arguments.size("jobs")),
    };
    run_tasks(
        arguments.size("n"),
        queue,
        |queue, number| {
            while let Some(job) = queue.take() {
                section(&queue.lock, || {
                    queue.results[job].store(number as u32 + 1, SeqCst)
                });
            }
        },
        |queue| assert!(values(queue.results).iter().all(|worker| *worker != 0)),
    );
}
