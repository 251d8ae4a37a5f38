//! A lock that is granted in the order of asking: one task counts under it once, another
//! twice.
//!
//! After J. M. Mellor-Crummey and M. L. Scott, *Algorithms for scalable synchronization on
//! shared-memory multiprocessors*, ACM TOCS 1991.

use super::tool::sync::atomic::AtomicUsize;
use super::tool::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use super::tool::thread;
use std::sync::Arc;

struct Counter {
    next_ticket: AtomicUsize,
    now_serving: AtomicUsize,
    /// Guarded by the lock.
    total: AtomicUsize,
}

impl Counter {
    fn increment(&self) {
        let ticket = self.next_ticket.fetch_add(1, Relaxed);
        while self.now_serving.load(Acquire) != ticket {
            thread::yield_now();
        }
        let total = self.total.load(Relaxed);
        self.total.store(total + 1, Relaxed);
        self.now_serving.store(ticket + 1, Release);
    }
}

/// Executes the test once.
pub fn run() {
    let counter = Arc::new(Counter {
        next_ticket: AtomicUsize::new(0),
        now_serving: AtomicUsize::new(0),
        total: AtomicUsize::new(0),
    });
    let shared = counter.clone();
    let other = thread::spawn(move || {
        shared.increment();
        shared.increment();
    });
    counter.increment();
    other.join().unwrap();
    assert!(counter.total.load(Relaxed) == 3, "lost update");
}
