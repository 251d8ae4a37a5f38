//! Two tasks pop from and push to a lock-free stack of three preallocated nodes.
//!
//! The head is a bare index, so a node that was popped and pushed back in between passes for
//! unchanged (ABA), and a node is owned twice or lost; with `bug=0` a tag beside the index prevents
//! that. After R. K. Treiber, 1986; used by all the Rust peers.

use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "treiber",
    summary: "lock-free stack with recycled nodes",
    source: Source::Peers,
    parameters: &[Parameter::switch("bug", "0 adds a tag to the head", 1)],
    fault: Some("the head can return to an old value (ABA)"),
    published: None,
    body,
};

const NODES: usize = 3;
const NIL: usize = 0xff;
const TAG_SHIFT: u32 = 8;

struct Stack {
    /// The index of the top node, below a tag that counts the changes if there is one.
    head: AtomicUsize,
    next: [AtomicUsize; NODES],
    tagged: bool,
}

impl Stack {
    fn new(tagged: bool) -> Self {
        Stack {
            head: AtomicUsize::new(0),
            next: [1, 2, NIL].map(AtomicUsize::new),
            tagged,
        }
    }

    /// The head that follows `old` when `node` becomes the top.
    fn successor(&self, old: usize, node: usize) -> usize {
        if self.tagged {
            (((old >> TAG_SHIFT) + 1) << TAG_SHIFT) | node
        } else {
            node
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            let node = head & NIL;
            if node == NIL {
                return None;
            }
            let next = self.next[node].load(SeqCst);
            if self.swing(head, next) {
                return Some(node);
            }
        }
    }

    fn push(&self, node: usize) {
        loop {
            let head = self.head.load(SeqCst);
            self.next[node].store(head & NIL, SeqCst);
            if self.swing(head, node) {
                return;
            }
        }
    }

    fn swing(&self, head: usize, node: usize) -> bool {
        let successor = self.successor(head, node);
        self.head
            .compare_exchange(head, successor, SeqCst, SeqCst)
            .is_ok()
    }
}

fn body(arguments: &Arguments) {
    let stack = Arc::new(Stack::new(!arguments.is_on("bug")));
    let shared = stack.clone();
    let first = thread::spawn(move || shared.pop());
    let shared = stack.clone();
    let second = thread::spawn(move || {
        let returned = shared.pop();
        let kept = shared.pop();
        if let Some(node) = returned {
            shared.push(node);
        }
        kept
    });
    let mut owners = [0; NODES];
    let taken = [first.join().unwrap(), second.join().unwrap()];
    // One more than there are nodes, since a faulty stack can hand one out twice.
    let left = (0..=NODES).map(|_| stack.pop());
    for node in taken.into_iter().chain(left).flatten() {
        owners[node] += 1;
    }
    assert!(owners == [1; NODES], "a node is owned twice or lost");
}
