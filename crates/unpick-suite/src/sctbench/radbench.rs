//! Faults of the script engine and the thread library of Firefox.
//!
//! From RADBench (N. Jalbert, C. Pereira, G. Pokam, K. Sen, *RADBench: a concurrency bug benchmark suite*,
//! HotPar 2011), numbered as there. SCTBench has bugs 1, 2 and 6 (ids 43 to 45); the study could not bring
//! the others under control, so these have no published row.
//!
//! *Kept*: the calls of the test, the locks they take, and the accesses that fail. *Left out*: the interpreter, its heap, and the
//! start of a process. Each task also takes the lock of the library when it begins and ends, as NSPR does.

mod nspr;
mod spider_monkey;

pub(crate) use nspr::{PROGRAM_4, PROGRAM_5, PROGRAM_6};
pub(crate) use spider_monkey::{PROGRAM_1, PROGRAM_2, PROGRAM_3};

use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread::{self, JoinHandle};

/// A program of RADBench that the study does not have.
const fn unpublished(
    name: &'static str,
    summary: &'static str,
    fault: &'static str,
    parameters: &'static [Parameter],
    body: fn(&Arguments),
) -> Program {
    Program {
        name,
        summary,
        source: Source::Radbench,
        parameters,
        fault: Some(fault),
        published: None,
        body,
    }
}

/// The list of tasks of the thread library; every task enters and leaves it under its lock.
#[derive(Clone, Default)]
struct Library(Arc<Mutex<usize>>);

impl Library {
    fn create<T: Send + 'static>(
        &self,
        task: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        let library = self.clone();
        thread::spawn(move || {
            library.count(1);
            let result = task();
            library.count(-1);
            result
        })
    }

    fn count(&self, change: isize) {
        let mut tasks = self.0.lock().unwrap();
        *tasks = tasks.wrapping_add_signed(change);
        drop(tasks);
    }
}
