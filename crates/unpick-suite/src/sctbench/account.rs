//! A deposit, a withdrawal and a check of the balance, each in a task of its own.
//!
//! Once both movements are done the checker expects the deposit to have been taken away, which it
//! was not, so that every order with the checker last fails. From the CS suite in SCTBench (id 3).

use super::program;
use crate::published::rows::ACCOUNT;
use crate::{Arguments, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    &ACCOUNT,
    "bank account with a deposit, a withdrawal and a check",
    "the check after both movements expects the wrong balance",
    body,
);

const INITIAL: i32 = 1;
const DEPOSIT: i32 = 2;
const WITHDRAWAL: i32 = 4;

struct Account {
    balance: i32,
    deposited: bool,
    withdrawn: bool,
}

fn body(_: &Arguments) {
    let account = Arc::new(Mutex::new(Account {
        balance: INITIAL,
        deposited: false,
        withdrawn: false,
    }));
    for act in [check, deposit, withdraw] {
        let account = account.clone();
        drop(thread::spawn(move || act(&account)));
    }
}

fn check(account: &Mutex<Account>) {
    let account = account.lock().unwrap();
    if account.deposited && account.withdrawn {
        assert!(
            account.balance == (INITIAL - DEPOSIT) - WITHDRAWAL,
            "wrong balance"
        );
    }
    drop(account);
}

fn deposit(account: &Mutex<Account>) {
    let mut account = account.lock().unwrap();
    account.balance += DEPOSIT;
    account.deposited = true;
    drop(account);
}

fn withdraw(account: &Mutex<Account>) {
    let mut account = account.lock().unwrap();
    account.balance -= WITHDRAWAL;
    account.withdrawn = true;
    drop(account);
}
