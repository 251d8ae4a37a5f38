//! A message that may be sent but not shared is cloned for two receivers.

use std::cell::Cell;
use std::thread;
use tokio::sync::broadcast;

#[derive(Debug)]
struct Counted(Cell<u32>);

impl Clone for Counted {
    fn clone(&self) -> Counted {
        self.0.set(self.0.get() + 1);
        Counted(self.0.clone())
    }
}

#[test]
fn clones_are_made_one_at_a_time() {
    let (sender, mut first) = broadcast::channel(4);
    let mut second = sender.subscribe();
    sender.send(Counted(Cell::new(0))).unwrap();
    let other = thread::spawn(move || first.try_recv().unwrap().0.get());
    let here = second.try_recv().unwrap().0.get();
    assert_ne!(here, other.join().unwrap());
}
