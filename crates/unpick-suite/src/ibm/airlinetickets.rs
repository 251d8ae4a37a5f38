//! Sellers sell from a stock; whether there is something left is read in a condition, and counted later.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "ibm.airlinetickets",
    "tickets sold by several tasks",
    "more tickets can be sold than there are",
    &[Parameter::twin("0 reads and counts at once")],
    body,
);

const TICKETS: u32 = 2;
const SELLERS: usize = 3;

fn body(arguments: &Arguments) {
    let is_atomic = !arguments.is_on("bug");
    let sold = Arc::new(AtomicU32::new(0));
    let shared = sold.clone();
    run_all(SELLERS, move |_| {
        let next = |sold: u32| (sold < TICKETS).then_some(sold + 1);
        if is_atomic {
            let _ = shared.fetch_update(SeqCst, SeqCst, next);
        } else if next(shared.load(SeqCst)).is_some() {
            shared.fetch_add(1, SeqCst);
        }
    });
    let sold = sold.load(SeqCst);
    assert!(sold <= TICKETS, "{sold} of {TICKETS} tickets were sold");
}
