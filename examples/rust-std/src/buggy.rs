//! The bank with a check-then-act bug: two transfers from one account overdraw it.

use std::sync::Mutex;

use crate::NotCovered;

/// Accounts with a balance each.
pub struct Bank {
    accounts: Vec<Mutex<i64>>,
}

impl Bank {
    /// A bank with these balances.
    pub fn new(balances: &[i64]) -> Bank {
        Bank {
            accounts: balances.iter().copied().map(Mutex::new).collect(),
        }
    }

    /// Moves money from one account to another, if the first covers it.
    pub fn transfer(&self, from: usize, to: usize, amount: i64) -> Result<(), NotCovered> {
        // The lock is let go between the check and the withdrawal.
        if self.balance(from) < amount {
            return Err(NotCovered);
        }
        *self.accounts[from].lock().unwrap() -= amount;
        *self.accounts[to].lock().unwrap() += amount;
        Ok(())
    }

    /// The money in an account.
    pub fn balance(&self, account: usize) -> i64 {
        *self.accounts[account].lock().unwrap()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::Bank;

    #[test]
    fn transfers_do_not_overdraw() {
        let bank = Arc::new(Bank::new(&[100, 0]));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let bank = Arc::clone(&bank);
                thread::spawn(move || bank.transfer(0, 1, 80))
            })
            .collect();
        let done = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .filter(Result::is_ok)
            .count();
        assert_eq!(done, 1);
        assert_eq!((bank.balance(0), bank.balance(1)), (20, 80));
    }

    #[test]
    fn one_transfer_moves_money() {
        let bank = Bank::new(&[100, 0]);
        bank.transfer(0, 1, 80).unwrap();
        assert_eq!((bank.balance(0), bank.balance(1)), (20, 80));
    }
}
