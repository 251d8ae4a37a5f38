//! An account from which two tasks draw under its lock while two others pay in without it.

use super::{Variables, program};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "huang.account",
    "two tasks draw under a lock, two pay in without it",
    &[Parameter::twin("0 pays in under the lock")],
    Some("a deposit or a withdrawal is lost"),
    body,
);

const PAIRS: u32 = 2;
const BALANCE: usize = 0;
/// What is in the account before and, as everything that is paid in is drawn, afterwards.
const START: u32 = 1_000;
const AMOUNT: u32 = 100;

fn body(arguments: &Arguments) {
    let is_locked = !arguments.is_on("bug");
    let account = Arc::new((Mutex::new(()), Variables::<1>::new()));
    account.1.write(BALANCE, START);
    let tasks: Vec<_> = (0..2 * PAIRS)
        .map(|number| {
            let account = Arc::clone(&account);
            thread::spawn(move || {
                let (lock, variables) = &*account;
                let pays_in = number < PAIRS;
                let _guard = (is_locked || !pays_in).then(|| lock.lock().unwrap());
                let balance = variables.read(BALANCE);
                let changed = match pays_in {
                    true => balance + AMOUNT,
                    false => balance - AMOUNT,
                };
                variables.write(BALANCE, changed);
            })
        })
        .collect();
    tasks.into_iter().for_each(|task| task.join().unwrap());
    let balance = account.1.read(BALANCE);
    assert!(balance == START, "the balance is {balance}, not {START}");
}
