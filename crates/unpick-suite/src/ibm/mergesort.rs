//! Sorters ask how many helpers are free, and take one; each is a critical section, and together they are not.

use super::{program, run_all};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use unpick::sync::Mutex;

pub(crate) const PROGRAM: Program = program(
    "ibm.mergesort",
    "sorters that take helpers from a pool",
    "a helper can be taken that is not there",
    &[Parameter::twin("0 asks and takes in one critical section")],
    body,
);

const SORTERS: usize = 3;

struct Pool {
    lock: Mutex<()>,
    /// Helpers that are free; used under the lock only.
    free: AtomicI32,
}

impl Pool {
    fn has_free(&self) -> bool {
        self.free.load(Relaxed) > 0
    }

    fn take(&self) {
        let free = self.free.fetch_sub(1, Relaxed) - 1;
        assert!(free >= 0, "{free} helpers are free");
    }
}

fn body(arguments: &Arguments) {
    let is_atomic = !arguments.is_on("bug");
    let pool = Arc::new(Pool {
        lock: Mutex::new(()),
        free: AtomicI32::new(1),
    });
    run_all(SORTERS, move |_| {
        let took = if is_atomic {
            section(&pool.lock, || {
                let has_free = pool.has_free();
                if has_free {
                    pool.take();
                }
                has_free
            })
        } else {
            let has_free = section(&pool.lock, || pool.has_free());
            if has_free {
                section(&pool.lock, || pool.take());
            }
            has_free
        };
        if took {
            section(&pool.lock, || pool.free.fetch_add(1, Relaxed));
        }
    });
}
