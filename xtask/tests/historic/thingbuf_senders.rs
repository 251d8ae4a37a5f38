//! Two senders of a channel with room for one message.

use std::thread;
use thingbuf::mpsc::blocking;

#[test]
fn senders_go_on_when_there_is_room() {
    let (sender, receiver) = blocking::channel::<u32>(1);
    let senders = [0, 10].map(|first| {
        let sender = sender.clone();
        thread::spawn(move || {
            sender.send(first).unwrap();
            sender.send(first + 1).unwrap();
        })
    });
    drop(sender);
    let mut received = Vec::new();
    while let Some(message) = receiver.recv() {
        received.push(message);
    }
    for sender in senders {
        sender.join().unwrap();
    }
    received.sort_unstable();
    assert_eq!(received, [0, 1, 10, 11]);
}
