//! A reference to one actor where one to another is expected.

use unpick_actors::actor;

#[actor]
trait Account {
    fn deposit(&mut self, amount: u64);
}

#[actor]
trait Bank {
    fn open(&mut self, account: AccountProxy);
}

fn send(bank: BankProxy) {
    bank.open(bank.clone());
}

fn main() {}
