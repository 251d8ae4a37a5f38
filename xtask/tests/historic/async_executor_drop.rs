//! A task is woken while its executor is dropped.

use async_executor::Executor;
use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::thread;

#[test]
fn a_waker_may_outlive_the_executor() {
    let executor = Executor::new();
    let place = Arc::new(Mutex::new(None));
    let there = Arc::clone(&place);
    let waiting = poll_fn(move |context| {
        *there.lock().unwrap() = Some(context.waker().clone());
        Poll::<()>::Pending
    });
    executor.spawn(waiting).detach();
    assert!(executor.try_tick());
    let waker = place.lock().unwrap().take().unwrap();
    let waking = thread::spawn(move || waker.wake());
    drop(executor);
    waking.join().unwrap();
}
