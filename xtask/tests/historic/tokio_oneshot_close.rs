//! A receiver closes and polls while the sender sends.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread;
use tokio::sync::oneshot;

struct Idle;

impl Wake for Idle {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_message_has_one_owner() {
    let (sender, mut receiver) = oneshot::channel::<String>();
    let sending = thread::spawn(move || sender.send("hello".to_string()));
    receiver.close();
    let waker = Arc::new(Idle).into();
    let received = pin!(receiver).poll(&mut Context::from_waker(&waker));
    match (sending.join().unwrap(), received) {
        (Ok(()), Poll::Ready(Ok(text))) | (Err(text), Poll::Ready(Err(_))) => {
            assert_eq!(text, "hello");
        }
        (sent, received) => panic!("lost or doubled: {sent:?}, {received:?}"),
    }
}
