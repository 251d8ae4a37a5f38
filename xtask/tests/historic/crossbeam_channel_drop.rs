//! Two senders begin the first block of an unbounded channel while its receiver goes away.

use std::thread;

#[test]
fn messages_are_freed_once() {
    let (sender, receiver) = crossbeam_channel::unbounded::<Box<u32>>();
    let other = sender.clone();
    let senders = [
        thread::spawn(move || drop(sender.send(Box::new(1)))),
        thread::spawn(move || drop(other.send(Box::new(2)))),
    ];
    drop(receiver);
    for sender in senders {
        sender.join().unwrap();
    }
}
