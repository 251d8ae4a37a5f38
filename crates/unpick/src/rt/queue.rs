//! The messages of a channel.

use super::runtime::{current, thread_token};
use std::alloc::{Layout, dealloc};
use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// Messages that a queue makes room for when it gets its first one: programs that are explored are small,
/// and most of them need no more.
const FIRST_CAPACITY: usize = 8;

/// A queue that the thread of its execution uses without locking: tasks run one at a time.
pub(crate) struct Queue<T> {
    /// The thread it was made on.
    thread: usize,
    /// `None` once it was closed. Invariant: used on that thread only, and no reference is live while
    /// foreign code runs.
    messages: UnsafeCell<Option<VecDeque<T>>>,
}

// SAFETY: shared references do nothing on other threads, and messages may be dropped on any.
unsafe impl<T: Send> Sync for Queue<T> {}

impl<T> Queue<T> {
    /// An empty queue of the current execution.
    pub fn new() -> Queue<T> {
        Queue {
            thread: thread_token(),
            messages: UnsafeCell::new(Some(VecDeque::new())),
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
                if messages.capacity() == 0 {
                    *messages = first_room();
                }
                messages.push_back(message);
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
        unsafe { (*self.messages.get()).as_mut()?.pop_front() }
    }

    /// Closes the queue and hands out what is in it, if anything. On other threads that stays, to be
    /// dropped with the queue.
    #[inline]
    pub fn close(&self) -> Option<VecDeque<T>> {
        if !self.is_here() {
            return None;
        }
        // SAFETY: used on its thread; the reference ends with the call, which drops nothing.
        let messages = unsafe { (*self.messages.get()).take()? };
        if messages.is_empty() {
            keep_room(messages);
            return None;
        }
        Some(messages)
    }
}

/// Memory of queues that a runtime keeps for the next ones.
pub(super) struct Rooms {
    /// Each is large enough for so many messages of some type. Its capacity says how many are kept.
    spare: Vec<(NonNull<u8>, Layout)>,
}

/// Rooms that a runtime keeps, at most: one is looked for among all of them.
const SPARE_COUNT_MAX: usize = 8;

impl Rooms {
    pub fn new() -> Rooms {
        Rooms {
            spare: Vec::with_capacity(SPARE_COUNT_MAX),
        }
    }
}

impl Drop for Rooms {
    fn drop(&mut self) {
        for (room, layout) in self.spare.drain(..) {
            // SAFETY: allocated by a queue with this layout, and nobody uses it.
            unsafe { dealloc(room.as_ptr(), layout) };
        }
    }
}

/// The rooms of the current runtime, and the layout of those for messages of type `T`.
#[inline]
fn rooms<T>() -> Option<(*mut Rooms, Layout)> {
    let runtime = current();
    let layout = Layout::array::<T>(FIRST_CAPACITY).ok()?;
    if runtime.is_null() || layout.size() == 0 {
        return None;
    }
    // SAFETY: not null means current; no reference is made.
    Some((unsafe { &raw mut (*runtime).rooms }, layout))
}

/// An empty queue with room for the first messages.
#[inline]
fn first_room<T>() -> VecDeque<T> {
    if let Some((rooms, layout)) = rooms::<T>() {
        // SAFETY: of the current runtime; the reference ends before anything else happens.
        let spare = unsafe { &mut (*rooms).spare };
        if let Some(at) = spare.iter().rposition(|(_, of)| *of == layout) {
            let (room, _) = spare.swap_remove(at);
            // SAFETY: it was allocated as room for as many values of this size and alignment.
            let empty = unsafe { Vec::from_raw_parts(room.cast().as_ptr(), 0, FIRST_CAPACITY) };
            return VecDeque::from(empty);
        }
    }
    VecDeque::with_capacity(FIRST_CAPACITY)
}

/// Keeps the memory of a queue that is empty.
#[inline]
fn keep_room<T>(messages: VecDeque<T>) {
    if let Some((rooms, layout)) = rooms::<T>() {
        // SAFETY: of the current runtime; the reference ends before anything else happens.
        let spare = unsafe { &mut (*rooms).spare };
        if messages.capacity() == FIRST_CAPACITY && spare.len() < spare.capacity() {
            let mut room = ManuallyDrop::new(Vec::from(messages));
            let start = NonNull::new(room.as_mut_ptr().cast());
            spare.extend(start.map(|start| (start, layout)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn messages_come_in_order_until_the_queue_is_closed() {
        let queue = Queue::new();
        for message in 0..3 {
            assert_eq!(queue.push(message), Ok(()));
        }
        assert_eq!(queue.pop(), Some(0));
        let rest = queue.close().expect("it was open");
        assert_eq!(rest, [1, 2]);
        assert_eq!(queue.push(3), Err(3));
        assert_eq!(queue.pop(), None);
        assert_eq!(queue.close(), None);
    }

    #[test]
    fn a_queue_without_messages_hands_out_nothing() {
        let queue = Queue::new();
        assert_eq!(queue.push(1), Ok(()));
        assert_eq!(queue.pop(), Some(1));
        assert_eq!(queue.close(), None);
        assert_eq!(queue.push(2), Err(2));
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
                assert!(queue.close().is_none());
            });
        });
        assert_eq!(Arc::strong_count(&message), 2);
        std::thread::spawn(move || drop(queue)).join().unwrap();
        assert_eq!(Arc::strong_count(&message), 1);
    }
}
