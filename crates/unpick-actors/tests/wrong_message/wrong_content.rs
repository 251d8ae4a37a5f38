//! A message with something else in it than the actor expects.

use unpick_actors::actor;

#[actor]
trait Account {
    fn deposit(&mut self, amount: u64);
}

fn send(account: AccountProxy) {
    account.deposit("all of it");
}

fn main() {}
