//! A message that the actor does not have.

use unpick_actors::actor;

#[actor]
trait Account {
    fn deposit(&mut self, amount: u64);
}

fn send(account: AccountProxy) {
    account.withdraw(5);
}

fn main() {}
