//! A ticket is made at its first use, with double-checked locking; it can be seen before it is complete.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "ibm.dcl",
    "double-checked locking",
    "an object is published before it is complete",
    &[Parameter::twin("0 publishes the complete object")],
    body,
);

const SEAT: u32 = 7;

#[derive(Default)]
struct Agency {
    lock: Mutex<()>,
    is_published: AtomicBool,
    seat: AtomicU32,
}

fn body(arguments: &Arguments) {
    let completes_first = !arguments.is_on("bug");
    let agency = Arc::new(Agency::default());
    run_all(2, move |_| {
        if !agency.is_published.load(SeqCst) {
            let guard = agency.lock.lock().unwrap();
            if !agency.is_published.load(SeqCst) {
                if completes_first {
                    agency.seat.store(SEAT, SeqCst);
                    agency.is_published.store(true, SeqCst);
                } else {
                    agency.is_published.store(true, SeqCst);
                    agency.seat.store(SEAT, SeqCst);
                }
            }
            drop(guard);
        }
        let seat = agency.seat.load(SeqCst);
        assert!(seat == SEAT, "the ticket has no seat");
    });
}
