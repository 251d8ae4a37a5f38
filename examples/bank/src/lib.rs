//! A small bank with a real bug.
//!
//! Every account is behind a lock, and yet money gets lost: [`Bank::transfer`] reads a balance under
//! the lock, lets go of it, and writes the new balance under the lock again. Between the two, another
//! transfer can change what was read. [`Bank::transfer_at_once`] holds both locks, lowest account
//! first, and is correct.

use unpick::Named;
use unpick::sync::Mutex;

/// Accounts with a balance each.
pub struct Bank {
    accounts: Vec<Mutex<i64>>,
}

impl Bank {
    /// A bank with these balances.
    pub fn new(balances: &[i64]) -> Bank {
        let accounts: Vec<_> = balances
            .iter()
            .map(|&balance| Mutex::new(balance))
            .collect();
        for (number, account) in accounts.iter().enumerate() {
            account.set_name(&format!("account {number}"));
        }
        Bank { accounts }
    }

    /// Moves money from one account to another. Loses some when transfers meet.
    pub fn transfer(&self, from: usize, to: usize, amount: i64) {
        let balance = *self.accounts[from].lock().unwrap();
        if balance >= amount {
            *self.accounts[from].lock().unwrap() = balance - amount;
            *self.accounts[to].lock().unwrap() += amount;
        }
    }

    /// Moves money from one account to another, both locked.
    pub fn transfer_at_once(&self, from: usize, to: usize, amount: i64) {
        let mut low = self.accounts[from.min(to)].lock().unwrap();
        let mut high = self.accounts[from.max(to)].lock().unwrap();
        let (source, target) = match from < to {
            true => (&mut *low, &mut *high),
            false => (&mut *high, &mut *low),
        };
        if *source >= amount {
            *source -= amount;
            *target += amount;
        }
    }

    /// The money in the bank.
    pub fn total(&self) -> i64 {
        self.accounts
            .iter()
            .map(|account| *account.lock().unwrap())
            .sum()
    }
}

/// Two transfers at the same time; the money must still be there afterwards.
pub fn two_transfers(transfer: fn(&Bank, usize, usize, i64)) {
    let bank = Bank::new(&[100, 100]);
    unpick::thread::scope(|scope| {
        scope.spawn(|| transfer(&bank, 0, 1, 10));
        scope.spawn(|| transfer(&bank, 1, 0, 20));
    });
    assert_eq!(bank.total(), 200, "money was lost or made");
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick::{Config, explore};

    #[test]
    fn the_bug_is_found_by_every_strategy_that_searches() {
        for strategy in ["dfs", "ipb", "idb", "random", "pct", "pos", "surw"] {
            let config = Config::new().strategy(strategy).executions(2_000);
            let found = explore(config, || two_transfers(Bank::transfer));
            assert!(found.first_failure.is_some(), "{strategy} missed it");
        }
    }

    #[unpick::test(strategy = "dfs", executions = 100_000)]
    fn nothing_is_lost_when_both_accounts_are_locked() {
        two_transfers(Bank::transfer_at_once);
    }
}
