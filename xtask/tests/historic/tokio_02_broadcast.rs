//! A receiver takes from a buffer that a sender fills.

use std::thread;
use tokio::sync::broadcast;

#[test]
fn the_sender_goes_on() {
    let (sender, mut receiver) = broadcast::channel::<u32>(1);
    sender.send(0).unwrap();
    let sending = thread::spawn(move || {
        for message in 1..3 {
            let _ = sender.send(message);
        }
    });
    let _ = receiver.try_recv();
    let _ = receiver.try_recv();
    sending.join().unwrap();
}
