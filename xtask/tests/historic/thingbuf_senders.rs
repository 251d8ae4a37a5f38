//! A sender sends until the channel is full, while the receiver takes some messages and holds on to one.

use std::thread;
use thingbuf::mpsc::blocking;

#[test]
fn a_full_channel_refuses_messages() {
    let (sender, receiver) = blocking::channel::<u32>(3);
    for message in 0..3 {
        sender.try_send(message).unwrap();
    }
    let sending = thread::spawn(move || {
        (3..7).filter(|message| sender.try_send(*message).is_ok()).count()
    });
    assert_eq!(receiver.recv(), Some(0));
    let held = receiver.recv_ref();
    let mut received = 2;
    for _ in 0..2 {
        received += usize::from(receiver.try_recv().is_ok());
    }
    let sent = sending.join().unwrap();
    drop(held);
    received += std::iter::from_fn(|| receiver.try_recv().ok()).count();
    assert_eq!(received, sent + 3);
}
