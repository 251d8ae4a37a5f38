//! A task that waits for a notification gives up while all waiting ones, and then one, are notified.

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Wake};
use std::thread;
use tokio::sync::Notify;

struct Idle;

impl Wake for Idle {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_notification_is_kept_for_the_next_one() {
    let waker = Arc::new(Idle).into();
    let mut context = Context::from_waker(&waker);
    let notify = Arc::new(Notify::new());
    let other = Arc::clone(&notify);
    let mut first = Box::pin(notify.notified());
    let notifying = thread::spawn(move || {
        other.notify_waiters();
        other.notify_one();
    });
    let is_waiting = first.as_mut().poll(&mut context).is_pending();
    drop(first);
    notifying.join().unwrap();
    if is_waiting {
        let mut second = Box::pin(notify.notified());
        assert!(second.as_mut().poll(&mut context).is_ready());
    }
}
