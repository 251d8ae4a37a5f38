//! Each account deposits to itself and to a total that all share, without a lock.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "ibm.suns_account",
    "deposits to a shared total",
    "a deposit to the total can be lost",
    &[Parameter::twin("0 adds to the total at once")],
    body,
);

const ACCOUNTS: usize = 3;

fn body(arguments: &Arguments) {
    let is_atomic = !arguments.is_on("bug");
    let total = Arc::new(AtomicU32::new(0));
    let shared = total.clone();
    let balances = run_all(ACCOUNTS, move |me| {
        let amount = me as u32 + 1;
        if is_atomic {
            shared.fetch_add(amount, SeqCst);
        } else {
            let total = shared.load(SeqCst);
            shared.store(total + amount, SeqCst);
        }
        amount
    });
    let sum: u32 = balances.into_iter().sum();
    let total = total.load(SeqCst);
    assert!(total == sum, "{total} in all, and {sum} in the accounts");
}
