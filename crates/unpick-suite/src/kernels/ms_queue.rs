//! A lock-free queue: two tasks append an item each, and one of them takes an item.
//!
//! Nodes are indices into a fixed arena and never used again, so that no tags are needed. Whoever
//! finds the tail lagging behind helps it on. After M. M. Michael and M. L. Scott, *Simple, fast, and
//! practical non-blocking and blocking concurrent queue algorithms*, PODC 1996.

use super::tool::sync::atomic::AtomicUsize;
use super::tool::sync::atomic::Ordering::{AcqRel, Acquire};
use super::tool::thread;
use std::sync::Arc;

/// The first node is the dummy; each other one stands for the item of the same number.
const NODES: usize = 3;
/// The index of no node.
const NIL: usize = usize::MAX;

struct Queue {
    head: AtomicUsize,
    tail: AtomicUsize,
    next: [AtomicUsize; NODES],
}

impl Queue {
    fn enqueue(&self, node: usize) {
        loop {
            let tail = self.tail.load(Acquire);
            let next = self.next[tail].load(Acquire);
            if next != NIL {
                swing(&self.tail, tail, next);
            } else if swing(&self.next[tail], NIL, node) {
                // If this fails, somebody else has helped.
                swing(&self.tail, tail, node);
                return;
            }
        }
    }

    fn dequeue(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Acquire);
            let tail = self.tail.load(Acquire);
            let next = self.next[head].load(Acquire);
            if next == NIL {
                return None;
            }
            if head == tail {
                swing(&self.tail, tail, next);
            } else if swing(&self.head, head, next) {
                return Some(next);
            }
        }
    }
}

fn swing(place: &AtomicUsize, from: usize, to: usize) -> bool {
    place.compare_exchange(from, to, AcqRel, Acquire).is_ok()
}

/// Executes the test once.
pub fn run() {
    let queue = Arc::new(Queue {
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
        next: [0, 1, 2].map(|_| AtomicUsize::new(NIL)),
    });
    let shared = queue.clone();
    let other = thread::spawn(move || shared.enqueue(1));
    queue.enqueue(2);
    let first = queue.dequeue();
    other.join().unwrap();
    let mut taken = [first, queue.dequeue()];
    taken.sort_unstable();
    assert!(taken == [Some(1), Some(2)], "taken twice or lost");
}
