//! A buffer of one slot: the first task puts two items in, and two others take one each.
//!
//! One condition variable serves both sides, so everybody is woken at each change. A classic of
//! monitor programming.

use super::tool::sync::{Condvar, Mutex};
use super::tool::thread;
use std::sync::Arc;

struct Buffer {
    slot: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Buffer {
    fn put(&self, item: usize) {
        let mut slot = self.slot.lock().unwrap();
        while slot.is_some() {
            slot = self.changed.wait(slot).unwrap();
        }
        *slot = Some(item);
        self.changed.notify_all();
    }

    fn take(&self) -> usize {
        let mut slot = self.slot.lock().unwrap();
        loop {
            if let Some(item) = slot.take() {
                self.changed.notify_all();
                return item;
            }
            slot = self.changed.wait(slot).unwrap();
        }
    }
}

/// Executes the test once.
pub fn run() {
    let buffer = Arc::new(Buffer {
        slot: Mutex::new(None),
        changed: Condvar::new(),
    });
    let consumers = [0, 1].map(|_| {
        let buffer = buffer.clone();
        thread::spawn(move || buffer.take())
    });
    for item in [1, 2] {
        buffer.put(item);
    }
    let sum: usize = consumers
        .map(|consumer| consumer.join().unwrap())
        .iter()
        .sum();
    assert!(sum == 3, "taken twice or lost");
}
