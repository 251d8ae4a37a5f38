//! The programs of S. Huang's dissertation (Texas A&M, 2019) and of its checks, for memory models and
//! reductions by values.
//!
//! The main task creates the others and waits for them; in the figures and the mutual exclusions it reads nothing.
//! A variable is an atomic with relaxed order, so that stores wait in buffers where there are any. What counts is
//! the *state*: what each read of each task has returned. How many states there are under each model is known
//! (`tests/huang.rs`).
//!
//! Of the programs with which the dissertation measures (its section 3.5 and after), these are the ones whose
//! structure is told there or by its public tool. Others are in the suite under other names: StringBuf and sbuf as
//! `CB.stringbuffer-jdk1.4`, BubbleSort as `ibm.bubblesort`, bbuf as `ibm.boundedbuffer`, aget, pbzip2 and ferret as
//! in SCTBench. Of Weblech, Derby, Jigsaw, Pool, racey, pfscan, httpd and the rest of PARSEC only the name is told.

pub(crate) mod account;
pub(crate) mod airline;
pub(crate) mod allocation;
pub(crate) mod bakery;
pub(crate) mod counter;
pub(crate) mod dekker;
pub(crate) mod fig3_9a;
pub(crate) mod figures;
pub(crate) mod lamport;
pub(crate) mod microscope;
pub(crate) mod peterson;
pub(crate) mod ping_pong;
pub(crate) mod rv_example;
pub(crate) mod stack_unsafe;

use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::Relaxed};
use unpick::thread;

/// A program of this family.
const fn program(
    name: &'static str,
    summary: &'static str,
    parameters: &'static [Parameter],
    fault: Option<&'static str>,
    body: fn(&Arguments),
) -> Program {
    Program {
        name,
        summary,
        source: Source::Huang,
        parameters,
        fault,
        published: None,
        body,
    }
}

/// Shared variables that hold zero at the beginning.
struct Variables<const N: usize>([AtomicU32; N]);

impl<const N: usize> Variables<N> {
    fn new() -> Arc<Variables<N>> {
        Arc::new(Variables(std::array::from_fn(|_| AtomicU32::new(0))))
    }

    fn read(&self, variable: usize) -> u32 {
        self.0[variable].load(Relaxed)
    }

    fn write(&self, variable: usize, value: u32) {
        self.0[variable].store(value, Relaxed);
    }
}

/// Runs two tasks, numbers 0 and 1, to their end.
fn run_both<const N: usize>(task: fn(u32, &Variables<N>)) {
    let variables = Variables::new();
    let tasks = [0, 1].map(|me| {
        let variables = Arc::clone(&variables);
        thread::spawn(move || task(me, &variables))
    });
    for task in tasks {
        task.join().unwrap();
    }
}

/// What makes a critical section of what it is handed, or leaves it as it is.
type Section<'a> = &'a dyn Fn(&dyn Fn());

/// Runs two tasks to their end. What they do in sections is done under one lock if `is_locked`.
fn run_both_locked<const N: usize>(is_locked: bool, task: fn(Section<'_>, &Variables<N>)) {
    let shared = Arc::new((Mutex::new(()), Variables::new()));
    let tasks = [0, 1].map(|_| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let (lock, variables) = &*shared;
            let in_section = |section: &dyn Fn()| {
                let _guard = is_locked.then(|| lock.lock().unwrap());
                section();
            };
            task(&in_section, variables);
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
}
