//! A receiver waits, for a while or for ever, while the sender sends.

use std::thread;
use std::time::Duration;

#[test]
fn the_channel_outlives_both_ends() {
    let (sender, receiver) = oneshot::channel::<Box<u32>>();
    let sending = thread::spawn(move || sender.send(Box::new(7)).unwrap());
    assert_eq!(*receiver.recv().unwrap(), 7);
    sending.join().unwrap();
}

#[test]
fn a_receiver_gives_up_while_the_sender_sends() {
    let (sender, receiver) = oneshot::channel::<Box<u32>>();
    let sending = thread::spawn(move || sender.send(Box::new(7)).is_ok());
    if let Ok(message) = receiver.recv_timeout(Duration::from_millis(5)) {
        assert_eq!(*message, 7);
    }
    drop(receiver);
    sending.join().unwrap();
}
