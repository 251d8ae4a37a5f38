//! D. Vyukov's lock-free stack of three nodes: three tasks take a node and put it back, twice.
//!
//! A pop takes the successor of the top node out of it before it swings the head, so that two pops
//! of one node do not both succeed, unless the node comes back in between (ABA): a task that has the
//! successor in its hand sleeps while the others pop and push until the head is what it was, its
//! successor is not, and swings the head to a node that is owned by somebody. From the miscellaneous
//! suite in SCTBench (id 38); found by no technique of the study within 100,000 schedules.
//!
//! *Kept*: the algorithm, operation by operation; three tasks, two rounds; the yields where a task
//! finds the stack empty or a node without successor. Writing and reading the mark of a node are
//! scheduling points: without one between them the fault could not be seen. *Left out*: nothing.

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::SAFESTACK;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicI32, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &SAFESTACK,
    "lock-free stack of Vyukov, three tasks that pop and push",
    "a node can be popped twice: the head returns to an old value (ABA)",
    &[Parameter::twin("0 pops and pushes under a lock")],
    body,
);

const NODES: usize = 3;
const ROUNDS: usize = 2;
/// The successor of the last node, and of a node whose successor somebody has taken out.
const NONE: i32 = -1;

struct Stack {
    head: AtomicI32,
    count: AtomicI32,
    next: [AtomicI32; NODES],
    marks: [AtomicI32; NODES],
    /// Held around every pop and push by the fixed twin.
    lock: Option<Mutex<()>>,
}

impl Stack {
    fn new(is_locked: bool) -> Stack {
        Stack {
            head: AtomicI32::new(0),
            count: AtomicI32::new(NODES as i32),
            next: [1, 2, NONE].map(AtomicI32::new),
            marks: [NONE; NODES].map(AtomicI32::new),
            lock: is_locked.then(|| Mutex::new(())),
        }
    }

    fn pop(&self) -> Option<usize> {
        let _guard = self.lock.as_ref().map(|lock| lock.lock().unwrap());
        while self.count.load(SeqCst) > 1 {
            let head = self.head.load(SeqCst);
            let node = &self.next[head as usize];
            let next = node.swap(NONE, SeqCst);
            if next < 0 {
                thread::yield_now();
            } else if self
                .head
                .compare_exchange(head, next, SeqCst, SeqCst)
                .is_ok()
            {
                self.count.fetch_sub(1, SeqCst);
                return Some(head as usize);
            } else {
                node.swap(next, SeqCst);
            }
        }
        None
    }

    fn push(&self, node: usize) {
        let _guard = self.lock.as_ref().map(|lock| lock.lock().unwrap());
        let mut head = self.head.load(SeqCst);
        loop {
            self.next[node].store(head, SeqCst);
            let swung = self
                .head
                .compare_exchange(head, node as i32, SeqCst, SeqCst);
            match swung {
                Ok(_) => break,
                Err(other) => head = other,
            }
        }
        self.count.fetch_add(1, SeqCst);
    }
}

fn body(arguments: &Arguments) {
    let stack = Arc::new(Stack::new(!arguments.is_on("bug")));
    let handles = (0..NODES as i32)
        .map(|me| {
            let stack = stack.clone();
            thread::spawn(move || use_nodes(&stack, me))
        })
        .collect();
    join_all(handles);
}

fn use_nodes(stack: &Stack, me: i32) {
    for _ in 0..ROUNDS {
        let node = loop {
            match stack.pop() {
                Some(node) => break node,
                None => thread::yield_now(),
            }
        };
        stack.marks[node].store(me, SeqCst);
        assert!(stack.marks[node].load(SeqCst) == me, "popped twice");
        stack.push(node);
    }
}
