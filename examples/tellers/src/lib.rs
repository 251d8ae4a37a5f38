//! A bank of actors with a real bug.
//!
//! Accounts and tellers are actors. A [`Hasty`] teller asks for the balance and then withdraws, and does not look
//! whether that was possible: between the two, another teller can empty the account. A [`Careful`] one lets the
//! account decide.

use unpick_actors::{Proxy, System, actor};

/// What an account understands.
#[actor]
pub trait Account {
    /// Adds money.
    fn deposit(&mut self, amount: u64);
    /// Takes money out, if there is enough. Answers whether there was.
    fn withdraw(&mut self, amount: u64) -> bool;
    /// How much there is.
    fn balance(&mut self) -> u64;
}

/// What a teller understands.
#[actor]
pub trait Teller {
    /// Moves money. Answers whether it was possible.
    async fn transfer(&mut self, from: AccountProxy, to: AccountProxy, amount: u64) -> bool;
}

/// An account with a balance.
pub struct Vault(pub u64);

impl Account for Vault {
    fn deposit(&mut self, amount: u64) {
        self.0 += amount;
    }

    fn withdraw(&mut self, amount: u64) -> bool {
        let is_enough = self.0 >= amount;
        if is_enough {
            self.0 -= amount;
        }
        is_enough
    }

    fn balance(&mut self) -> u64 {
        self.0
    }
}

/// A teller who looks before he acts. Makes money when two of them meet.
pub struct Hasty;

impl Teller for Hasty {
    async fn transfer(&mut self, from: AccountProxy, to: AccountProxy, amount: u64) -> bool {
        let is_enough = from.balance().await.is_ok_and(|balance| balance >= amount);
        if is_enough {
            from.withdraw(amount).forget();
            to.deposit(amount);
        }
        is_enough
    }
}

/// A teller who acts and looks what came of it.
pub struct Careful;

impl Teller for Careful {
    async fn transfer(&mut self, from: AccountProxy, to: AccountProxy, amount: u64) -> bool {
        let is_done = from.withdraw(amount).await == Ok(true);
        if is_done {
            to.deposit(amount);
        }
        is_done
    }
}

/// Two tellers move 80 out of the same 100. Answers what is in the two accounts then. Runs wherever it is
/// called: in an exploration, or on tokio.
pub async fn two_transfers<T: Teller>(teller: fn() -> T) -> [u64; 2] {
    let system = System::new();
    let one = AccountProxy::create(&system, "one", Vault(100));
    let two = AccountProxy::create(&system, "two", Vault(0));
    for name in ["ada", "bob"] {
        let teller = TellerProxy::create(&system, name, teller());
        teller.transfer(one.clone(), two.clone(), 80).forget();
    }
    system.quiesce().await;
    let mut balances = [0; 2];
    for (balance, account) in balances.iter_mut().zip([one, two]) {
        *balance = account.balance().await.expect("an account answers");
    }
    system.stop().await;
    balances
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick::trace::Outcome;
    use unpick_actors::Wait;

    #[unpick::test(strategy = "odpor", executions = 10_000)]
    fn careful_tellers_keep_the_total() {
        assert_eq!(two_transfers(|| Careful).wait(), [20, 80]);
    }

    #[test]
    fn hasty_tellers_make_money() {
        let found = unpick::explore(unpick::Config::new(), || {
            assert_eq!(two_transfers(|| Hasty).wait().iter().sum::<u64>(), 100);
        });
        let failure = found.first_failure.expect("the bug is found");
        assert!(matches!(failure.outcome, Outcome::Fail(_)));
    }
}
