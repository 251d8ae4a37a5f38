//! A task is woken, and has ended before the function that schedules it returns.

use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;

/// Ready the second time, with its waker left where others find it.
struct Twice(Arc<Mutex<Option<Waker>>>);

impl Future for Twice {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut waker = self.0.lock().unwrap();
        match waker.replace(context.waker().clone()) {
            None => Poll::Pending,
            Some(_) => Poll::Ready(()),
        }
    }
}

#[test]
fn the_schedule_function_outlives_its_call() {
    let place = Arc::new(Mutex::new(None));
    let (sender, receiver) = mpsc::channel();
    let names = vec!["first".to_string()];
    let schedule = move |task| {
        sender.send(task).unwrap();
        assert_eq!(names[0], "first");
    };
    let (task, handle) = async_task::spawn(Twice(Arc::clone(&place)), schedule, ());
    drop(handle);
    task.run();
    let waker = place.lock().unwrap().clone().unwrap();
    let waking = thread::spawn(move || waker.wake());
    let task: async_task::Task<()> = receiver.recv().unwrap();
    task.run();
    drop(place.lock().unwrap().take());
    waking.join().unwrap();
}
