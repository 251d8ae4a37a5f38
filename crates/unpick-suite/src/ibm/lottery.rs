//! Users get their number through a shared variable, which the next one overwrites.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "ibm.lottery",
    "numbers handed over through a variable",
    "two users can get the same number",
    &[Parameter::twin("0 hands over under a lock")],
    body,
);

const USERS: usize = 3;

#[derive(Default)]
struct Lottery {
    lock: Mutex<()>,
    number: AtomicUsize,
}

fn body(arguments: &Arguments) {
    let is_locked = !arguments.is_on("bug");
    let lottery = Arc::new(Lottery::default());
    let mut numbers = run_all(USERS, move |me| {
        let guard = is_locked.then(|| lottery.lock.lock().unwrap());
        lottery.number.store(me, SeqCst);
        let number = lottery.number.load(SeqCst);
        drop(guard);
        number
    });
    numbers.sort_unstable();
    numbers.dedup();
    assert!(numbers.len() == USERS, "two users have the same number");
}
