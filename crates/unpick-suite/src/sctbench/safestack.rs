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
//! scheduling points: without one between them the fault could not be seen. With `plain=1` marks are plain
//! memory, as in the original: no scheduling points, and the data race between two owners is the failure.

use super::with_twin;
use crate::generated::SharedCell;
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
    &[
        Parameter::twin("0 pops and pushes under a lock"),
        Parameter::variant("plain", "1: marks are plain memory, watched for data races"),
    ],
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
    marks: Marks,
    /// Held around every pop and push by the fixed twin.
    lock: Option<Mutex<()>>,
}

/// Who had each node last.
enum Marks {
    Atomic([AtomicI32; NODES]),
    Plain([SharedCell; NODES]),
}

impl Marks {
    fn new(is_plain: bool) -> Marks {
        match is_plain {
            true => Marks::Plain(std::array::from_fn(|_| SharedCell::new())),
            false => Marks::Atomic([NONE; NODES].map(AtomicI32::new)),
        }
    }

    /// Marks a node and looks whether the mark is there.
    fn hold(&self, node: usize, me: i32) -> bool {
        match self {
            Marks::Atomic(marks) => {
                marks[node].store(me, SeqCst);
                marks[node].load(SeqCst) == me
            }
            Marks::Plain(marks) => {
                marks[node].set(me as u32);
                marks[node].get() == me as u32
            }
        }
    }
}

impl Stack {
    fn new(is_locked: bool, is_plain: bool) -> Stack {
        Stack {
            head: AtomicI32::new(0),
            count: AtomicI32::new(NODES as i32),
            next: [1, 2, NONE].map(AtomicI32::new),
            marks: Marks::new(is_plain),
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
    let stack = Arc::new(Stack::new(
        !arguments.is_on("bug"),
        arguments.is_on("plain"),
    ));
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
        assert!(stack.marks.hold(node, me), "popped twice");
        stack.push(node);
    }
}
