//! Two accounts transfer to each other; a transfer locks the account it takes from and not the other one.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "ibm.account",
    "accounts that transfer to each other",
    "a transfer locks one of two accounts",
    &[Parameter::twin("0 locks both accounts, in one order")],
    body,
);

const AMOUNT: u32 = 10;

#[derive(Default)]
struct Account {
    lock: Mutex<()>,
    balance: AtomicU32,
}

impl Account {
    fn change(&self, by: i32) {
        let balance = self.balance.load(SeqCst);
        self.balance.store(balance.wrapping_add_signed(by), SeqCst);
    }
}

fn body(arguments: &Arguments) {
    let locks_both = !arguments.is_on("bug");
    let accounts: Arc<[Account; 2]> = Arc::default();
    for account in accounts.iter() {
        account.change(2 * AMOUNT as i32);
    }
    let shared = accounts.clone();
    run_all(2, move |me| {
        let (from, to) = (&shared[me], &shared[1 - me]);
        let first = locks_both.then(|| shared[0].lock.lock().unwrap());
        let second = match locks_both {
            true => shared[1].lock.lock().unwrap(),
            false => from.lock.lock().unwrap(),
        };
        from.change(-(AMOUNT as i32));
        to.change(AMOUNT as i32);
        drop(second);
        drop(first);
    });
    let total: u32 = accounts.iter().map(|one| one.balance.load(SeqCst)).sum();
    assert!(total == 4 * AMOUNT, "{total} in all accounts");
}
