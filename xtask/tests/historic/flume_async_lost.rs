//! Two asynchronous receivers of two messages.

use futures::executor::block_on;
use std::thread;

#[test]
fn each_receiver_gets_a_message() {
    let (sender, receiver) = flume::unbounded::<u32>();
    let receivers = [receiver.clone(), receiver].map(|receiver| {
        thread::spawn(move || block_on(receiver.recv_async()).ok())
    });
    let sending = thread::spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    let mut received: Vec<_> = receivers.into_iter().map(|one| one.join().unwrap()).collect();
    sending.join().unwrap();
    received.sort_unstable();
    assert_eq!(received, [Some(1), Some(2)]);
}
