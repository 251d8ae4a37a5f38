//! A deposit, a withdrawal and a check of the balance, each in a task of its own.
//!
//! Once both movements are done the checker expects the deposit to have been taken away, which it
//! was not, so that every order with the checker last fails. From the CS suite in SCTBench (id 3).

use super::with_twin;
use crate::published::rows::ACCOUNT;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &ACCOUNT,
    "bank account with a deposit, a withdrawal and a check",
    "the check after both movements expects the wrong balance",
    &[Parameter::twin("0 expects the right balance")],
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

fn body(arguments: &Arguments) {
    let check = match arguments.is_on("bug") {
        true => check_wrongly,
        false => check,
    };
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

fn check_wrongly(account: &Mutex<Account>) {
    expect(account, (INITIAL - DEPOSIT) - WITHDRAWAL);
}

fn check(account: &Mutex<Account>) {
    expect(account, INITIAL + DEPOSIT - WITHDRAWAL);
}

fn expect(account: &Mutex<Account>, balance: i32) {
    let account = account.lock().unwrap();
    if account.deposited && account.withdrawn {
        assert!(account.balance == balance, "wrong balance");
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
