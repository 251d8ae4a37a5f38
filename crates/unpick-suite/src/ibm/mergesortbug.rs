//! Sorters count the helpers that are free without a lock.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "ibm.mergesortbug",
    "sorters that count helpers without a lock",
    "a count can be lost",
    &[Parameter::twin("0 counts under a lock")],
    body,
);

const HELPERS: u32 = 2;
const SORTERS: usize = 2;

fn body(arguments: &Arguments) {
    let is_locked = !arguments.is_on("bug");
    let pool = Arc::new((Mutex::new(()), AtomicU32::new(HELPERS)));
    let shared = pool.clone();
    run_all(SORTERS, move |_| {
        for change in [-1, 1] {
            let guard = is_locked.then(|| shared.0.lock().unwrap());
            let free = shared.1.load(SeqCst);
            shared.1.store(free.wrapping_add_signed(change), SeqCst);
            drop(guard);
        }
    });
    let free = pool.1.load(SeqCst);
    assert!(free == HELPERS, "{free} of {HELPERS} helpers are free");
}
