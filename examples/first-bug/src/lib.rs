//! Two accounts with a lock each, and yet money gets lost. `docs/guide/first-bug.md` finds out why.

use unpick::sync::Mutex;

/// Accounts with a balance each.
pub struct Bank {
    accounts: [Mutex<i64>; 2],
}

impl Bank {
    /// Moves money from one account to the other, if there is enough.
    pub fn transfer(&self, from: usize, to: usize, amount: i64) {
        let balance = *self.accounts[from].lock().unwrap();
        if balance >= amount {
            *self.accounts[from].lock().unwrap() = balance - amount;
            *self.accounts[to].lock().unwrap() += amount;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[unpick::test]
    fn money_stays() {
        let bank = Bank {
            accounts: [Mutex::new(100), Mutex::new(100)],
        };
        unpick::thread::scope(|scope| {
            scope.spawn(|| bank.transfer(0, 1, 10));
            scope.spawn(|| bank.transfer(1, 0, 20));
        });
        let total: i64 = bank.accounts.iter().map(|one| *one.lock().unwrap()).sum();
        assert_eq!(total, 200);
    }
}
