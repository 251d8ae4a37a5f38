//! The bank without the bug: a transfer holds both accounts, lowest first.

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
        if from == to {
            return Ok(());
        }
        let mut low = self.accounts[from.min(to)].lock().unwrap();
        let mut high = self.accounts[from.max(to)].lock().unwrap();
        let (source, target) = if from < to {
            (&mut *low, &mut *high)
        } else {
            (&mut *high, &mut *low)
        };
        if *source < amount {
            return Err(NotCovered);
        }
        *source -= amount;
        *target += amount;
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
    fn transfers_in_both_directions_end() {
        let bank = Arc::new(Bank::new(&[50, 50]));
        let other = Arc::clone(&bank);
        let thread = thread::spawn(move || other.transfer(1, 0, 10));
        bank.transfer(0, 1, 20).unwrap();
        thread.join().unwrap().unwrap();
        assert_eq!((bank.balance(0), bank.balance(1)), (40, 60));
    }

    #[test]
    fn one_transfer_moves_money() {
        let bank = Bank::new(&[100, 0]);
        bank.transfer(0, 1, 80).unwrap();
        assert_eq!((bank.balance(0), bank.balance(1)), (20, 80));
    }
}
