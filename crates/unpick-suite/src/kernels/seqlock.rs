//! A pair that one task writes twice and another reads without a lock.
//!
//! The writer makes a sequence number odd while it writes; a reader that sees an odd number or a
//! changed one reads again. Values are stored with release and loaded with acquire ordering, so that
//! whoever sees one of them sees the number that went before. After H.-J. Boehm, *Can seqlocks get
//! along with programming language memory models?*, MSPC 2012.

use super::tool::sync::atomic::AtomicUsize;
use super::tool::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use super::tool::thread;
use std::sync::Arc;

struct Pair {
    sequence: AtomicUsize,
    values: [AtomicUsize; 2],
}

impl Pair {
    /// Only one task may write.
    fn write(&self, value: usize) {
        let sequence = self.sequence.load(Relaxed);
        self.sequence.store(sequence + 1, Relaxed);
        for place in &self.values {
            place.store(value, Release);
        }
        self.sequence.store(sequence + 2, Release);
    }

    fn read(&self) -> [usize; 2] {
        loop {
            let before = self.sequence.load(Acquire);
            if before.is_multiple_of(2) {
                let values = [self.values[0].load(Acquire), self.values[1].load(Acquire)];
                if self.sequence.load(Relaxed) == before {
                    return values;
                }
            }
            thread::yield_now();
        }
    }
}

/// Executes the test once.
pub fn run() {
    let pair = Arc::new(Pair {
        sequence: AtomicUsize::new(0),
        values: [0, 0].map(AtomicUsize::new),
    });
    let shared = pair.clone();
    let writer = thread::spawn(move || {
        shared.write(1);
        shared.write(2);
    });
    let [first, second] = pair.read();
    assert!(first == second, "a torn pair");
    writer.join().unwrap();
}
