//! The messages of a channel.

use super::ring::Ring;
use super::runtime::thread_token;
use std::cell::UnsafeCell;

/// A queue that the thread of its execution uses without locking: tasks run one at a time.
pub(crate) struct Queue<T> {
    /// The thread it was made on.
    thread: usize,
    /// `None` once it was closed. Invariant: used on that thread only, and no reference is live while
    /// foreign code runs.
    messages: UnsafeCell<Option<Ring<T>>>,
}

// SAFETY: shared references do nothing on other threads, and messages may be dropped on any.
unsafe impl<T: Send> Sync for Queue<T> {}

impl<T> Queue<T> {
    /// An empty queue of the current execution.
    pub fn new() -> Queue<T> {
        Queue {
            thread: thread_token(),
            messages: UnsafeCell::new(Some(Ring::new())),
        }
    }

    #[inline]
    fn is_here(&self) -> bool {
        self.thread == thread_token()
    }

    /// Appends a message. It comes back if the queue was closed, and on other threads.
    #[inline]
    pub fn push(&self, message: T) -> Result<(), T> {
        if !self.is_here() {
            return Err(message);
        }
        // SAFETY: used on its thread; the reference ends with the call, which only moves messages.
        match unsafe { &mut *self.messages.get() } {
            Some(messages) => {
                messages.push(message);
                Ok(())
            }
            None => Err(message),
        }
    }

    /// Takes the oldest message. `None` if there is none, and on other threads.
    #[inline]
    pub fn pop(&self) -> Option<T> {
        if !self.is_here() {
            return None;
        }
        // SAFETY: used on its thread; the reference ends with the call, which only moves messages.
        unsafe { (*self.messages.get()).as_mut()?.pop() }
    }

    /// Closes the queue and drops what is in it. On other threads that stays, to be dropped with the queue.
    #[inline]
    pub fn close(&self) {
        if self.is_here() {
            // SAFETY: used on its thread; the reference ends before the messages are dropped.
            let messages = unsafe { (*self.messages.get()).take() };
            drop(messages);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn messages_come_in_order_until_the_queue_is_closed() {
        let message = Arc::new(());
        let queue = Queue::new();
        for number in 0..3 {
            assert!(queue.push((number, Arc::clone(&message))).is_ok());
        }
        assert_eq!(queue.pop().map(|(number, _)| number), Some(0));
        queue.close();
        assert_eq!(Arc::strong_count(&message), 1);
        assert!(queue.push((3, Arc::clone(&message))).is_err());
        assert!(queue.pop().is_none());
        queue.close();
    }

    #[test]
    fn other_threads_can_do_nothing_but_drop() {
        let message = Arc::new(());
        let queue = Queue::new();
        assert!(queue.push(Arc::clone(&message)).is_ok());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(queue.push(Arc::clone(&message)).is_err());
                assert!(queue.pop().is_none());
                queue.close();
            });
        });
        assert_eq!(Arc::strong_count(&message), 2);
        std::thread::spawn(move || drop(queue)).join().unwrap();
        assert_eq!(Arc::strong_count(&message), 1);
    }
}
