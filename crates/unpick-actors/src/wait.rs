//! Waiting for a future where nothing can be awaited.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// Waiting for a future in a test, or in a thread.
pub trait Wait: Future + Sized {
    /// Blocks until the future is ready.
    ///
    /// # Panics
    /// Inside an exploration, if the future waits for something that actors do not do.
    fn wait(self) -> Self::Output {
        match unpick::is_exploring() {
            true => complete(self),
            false => block_on(self),
        }
    }
}

impl<F: Future> Wait for F {}

/// Completes a future in a task. What actors wait for blocks their task, so that it is ready when asked.
pub(crate) fn complete<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!(
            "a future of another library waits inside an exploration, where nothing wakes it; await \
             responses of actors only, or hand the waiting to an actor of its own"
        ),
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        std::thread::park();
    }
}
