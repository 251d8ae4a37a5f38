//! Two tasks guard a section by flags: each waits until the other is not in it, and then says that it is.
//!
//! *Left out*: the watchdog that the study needed, since here a section that holds both tasks is noticed at once.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicBool, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "ibm.critical",
    "critical section guarded by two flags",
    "a flag is looked at before the own one is set",
    &[Parameter::twin("0 uses a lock")],
    body,
);

#[derive(Default)]
struct Section {
    is_inside: [AtomicBool; 2],
    lock: Mutex<()>,
}

fn body(arguments: &Arguments) {
    let is_locked = !arguments.is_on("bug");
    let section = Arc::new(Section::default());
    run_all(2, move |me| {
        let guard = is_locked.then(|| section.lock.lock().unwrap());
        while section.is_inside[1 - me].load(SeqCst) {
            thread::yield_now();
        }
        section.is_inside[me].store(true, SeqCst);
        assert!(
            !section.is_inside[1 - me].load(SeqCst),
            "both are in the section"
        );
        section.is_inside[me].store(false, SeqCst);
        drop(guard);
    });
}
