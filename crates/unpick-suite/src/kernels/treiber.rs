//! A lock-free stack of preallocated nodes: two tasks push a node each and pop one.
//!
//! The head holds the index of the top node and a tag that counts the changes, so that a head that
//! came back is not taken for one that stayed (ABA). After R. K. Treiber, 1986.

use super::tool::sync::atomic::AtomicUsize;
use super::tool::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use super::tool::thread;
use std::sync::Arc;

const NODES: usize = 2;
/// The index of no node.
const NIL: usize = 0xff;
const TAG_SHIFT: u32 = 8;

struct Stack {
    /// The index of the top node, below the tag.
    head: AtomicUsize,
    next: [AtomicUsize; NODES],
}

impl Stack {
    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(Acquire);
            self.next[node].store(head & NIL, Relaxed);
            if self.swing(head, node) {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Acquire);
            let node = head & NIL;
            if node == NIL {
                return None;
            }
            let next = self.next[node].load(Relaxed);
            if self.swing(head, next) {
                return Some(node);
            }
        }
    }

    /// Makes `node` the top if the head is still `head`.
    fn swing(&self, head: usize, node: usize) -> bool {
        let successor = (((head >> TAG_SHIFT) + 1) << TAG_SHIFT) | node;
        self.head
            .compare_exchange(head, successor, AcqRel, Acquire)
            .is_ok()
    }
}

/// Executes the test once.
pub fn run() {
    let stack = Arc::new(Stack {
        head: AtomicUsize::new(NIL),
        next: [0, 1].map(|_| AtomicUsize::new(NIL)),
    });
    let shared = stack.clone();
    let other = thread::spawn(move || {
        shared.push(0);
        shared.pop()
    });
    stack.push(1);
    let own = stack.pop();
    let mut popped = [own, other.join().unwrap()];
    popped.sort_unstable();
    assert!(popped == [Some(0), Some(1)], "popped twice or lost");
}
