//! `n` tasks move money around a ring of `accounts` accounts, `m` times each.
//!
//! Locked: all accounts, by one lock. Conflicts: transfers that share an account; those at other
//! places of the ring do not.

use super::{program, run_tasks, values};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.bank",
    "transfers between accounts behind one lock",
    &[
        Parameter::size("n", "tasks", 4, 1, 16),
        Parameter::size("m", "transfers of each task", 2, 1, 100),
        Parameter::size("accounts", "accounts", 6, 2, 64),
    ],
    body,
);

const START: u32 = 100;

struct Bank {
    lock: Mutex<()>,
    accounts: Box<[AtomicU32]>,
}

impl Bank {
    fn transfer(&self, from: usize, to: usize, amount: u32) {
        section(&self.lock, || {
            let (source, target) = (&self.accounts[from], &self.accounts[to]);
            let balance = source.load(SeqCst);
            if balance >= amount {
                source.store(balance - amount, SeqCst);
                target.store(target.load(SeqCst) + amount, SeqCst);
            }
        });
    }
}

fn body(arguments: &Arguments) {
    let (tasks, rounds) = (arguments.size("n"), arguments.size("m"));
    let count = arguments.size("accounts");
    let bank = Bank {
        lock: Mutex::new(()),
        accounts: (0..count).map(|_| AtomicU32::new(START)).collect(),
    };
    run_tasks(
        tasks,
        bank,
        move |bank, number| {
            for round in 0..rounds {
                let from = (2 * number + round) % count;
                bank.transfer(from, (from + 1) % count, 60);
            }
        },
        move |bank| {
            let sum: u32 = values(bank.accounts).iter().sum();
            assert!(sum == START * count as u32, "money was made or lost");
        },
    );
}
