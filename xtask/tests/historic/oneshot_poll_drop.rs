//! A receiver that was polled is dropped while the sender sends.

use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread;

struct Checked(Box<u32>);

impl Wake for Checked {
    fn wake(self: Arc<Self>) {
        assert_eq!(*self.0, 1);
    }
}

#[test]
fn the_waker_outlives_the_sender() {
    let (sender, receiver) = oneshot::channel::<Box<u32>>();
    let mut receiver = receiver.into_future();
    let sending = thread::spawn(move || drop(sender.send(Box::new(7))));
    let waker = Arc::new(Checked(Box::new(1))).into();
    let polled = Pin::new(&mut receiver).poll(&mut Context::from_waker(&waker));
    if let Poll::Ready(message) = polled {
        assert_eq!(*message.unwrap(), 7);
    }
    drop(receiver);
    sending.join().unwrap();
}
