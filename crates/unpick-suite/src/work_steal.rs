//! The work-stealing queue of the CHESS tests, with a choice of the faults that were studied in it.
//!
//! One task owns the queue and pushes and pops at the tail; others steal at the head. Head and tail only grow until
//! the queue is found empty or its array is full, and index the array modulo its size. Used by the programs
//! of SCTBench and by those of NeedlePoint; explores and checks nothing itself.

use std::sync::Mutex as Uncontrolled;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::SeqCst};
use unpick::thread;

/// How the thieves, and the owner where it meets them, exclude each other.
#[derive(Clone, Copy)]
pub(crate) enum Guard {
    /// A lock that blocks.
    Blocking,
    /// A lock that is tried again after a yield.
    Spinning,
}

/// What is wrong with a queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A thief moves the head after it has looked for the owner, not before.
    LateHead,
    /// The owner moves the tail after it has looked for a thief, not before.
    LateTail,
    /// A push fills the place that a thief may still read.
    NoGap,
}

pub(crate) struct Options {
    /// A power of two.
    pub(crate) capacity: usize,
    pub(crate) guard: Guard,
    /// Whether each access is also entered in a table.
    pub(crate) keeps_states: bool,
    pub(crate) fault: Option<Fault>,
}

pub(crate) struct Queue {
    head: AtomicIsize,
    tail: AtomicIsize,
    // Invariant: its length is a power of two. Never locked across a scheduling point.
    elements: Uncontrolled<Vec<usize>>,
    mutex: Mutex<()>,
    is_taken: AtomicBool,
    /// Where the tasks are, as far as the table knows.
    states: AtomicUsize,
    options: Options,
}

impl Queue {
    pub(crate) fn new(options: Options) -> Queue {
        Queue {
            head: AtomicIsize::new(0),
            tail: AtomicIsize::new(0),
            elements: Uncontrolled::new(vec![0; options.capacity]),
            mutex: Mutex::new(()),
            is_taken: AtomicBool::new(false),
            states: AtomicUsize::new(0),
            options,
        }
    }

    /// The owner puts an element in.
    pub(crate) fn push(&self, element: usize) {
        let tail = self.read(&self.tail);
        let gap = isize::from(!self.has(Fault::NoGap));
        if tail < self.read(&self.head) + self.size() - gap {
            self.put(tail, element);
            self.write(&self.tail, tail + 1);
        } else {
            self.exclusively(|| self.push_and_grow(element));
        }
    }

    fn push_and_grow(&self, element: usize) {
        let head = self.read(&self.head);
        let count = self.read(&self.tail) - head;
        let head = head & (self.size() - 1);
        self.write(&self.head, head);
        self.write(&self.tail, head + count);
        if count >= self.size() - 1 {
            let kept: Vec<usize> = (0..count).map(|place| self.get(head + place)).collect();
            let mut elements = self.elements.lock().unwrap();
            let size = elements.len();
            *elements = kept;
            elements.resize(2 * size, 0);
            drop(elements);
            self.write(&self.head, 0);
            self.write(&self.tail, count);
        }
        let tail = self.read(&self.tail);
        self.put(tail, element);
        self.write(&self.tail, tail + 1);
    }

    /// The owner takes the youngest element.
    pub(crate) fn pop(&self) -> Option<usize> {
        let tail = self.read(&self.tail) - 1;
        let is_late = self.has(Fault::LateTail);
        if !is_late {
            self.write(&self.tail, tail);
        }
        if self.read(&self.head) <= tail {
            if is_late {
                self.write(&self.tail, tail);
            }
            return Some(self.get(tail));
        }
        self.write(&self.tail, tail + 1);
        self.exclusively(|| self.pop_alone())
    }

    fn pop_alone(&self) -> Option<usize> {
        let tail = self.read(&self.tail) - 1;
        self.write(&self.tail, tail);
        if self.read(&self.head) <= tail {
            return Some(self.get(tail));
        }
        self.write(&self.head, 0);
        self.write(&self.tail, 0);
        None
    }

    /// A thief takes the oldest element.
    pub(crate) fn steal(&self) -> Option<usize> {
        self.exclusively(|| {
            let head = self.read(&self.head);
            let is_late = self.has(Fault::LateHead);
            if !is_late {
                self.write(&self.head, head + 1);
            }
            if head < self.read(&self.tail) {
                if is_late {
                    self.write(&self.head, head + 1);
                }
                return Some(self.get(head));
            }
            self.write(&self.head, head);
            None
        })
    }

    fn exclusively<R>(&self, inside: impl FnOnce() -> R) -> R {
        match self.options.guard {
            Guard::Blocking => {
                let guard = self.mutex.lock().unwrap();
                let result = inside();
                drop(guard);
                result
            }
            Guard::Spinning => {
                while self.is_taken.swap(true, SeqCst) {
                    thread::yield_now();
                }
                let result = inside();
                self.is_taken.store(false, SeqCst);
                result
            }
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.options.fault == Some(fault)
    }

    fn read(&self, index: &AtomicIsize) -> isize {
        self.note();
        index.load(SeqCst)
    }

    fn write(&self, index: &AtomicIsize, value: isize) {
        self.note();
        index.store(value, SeqCst);
    }

    /// Enters in the table that the task goes on.
    fn note(&self) {
        if self.options.keeps_states {
            let state = self.states.load(SeqCst);
            self.states.store(state + 1, SeqCst);
        }
    }

    fn size(&self) -> isize {
        self.elements.lock().unwrap().len() as isize
    }

    fn get(&self, index: isize) -> usize {
        let elements = self.elements.lock().unwrap();
        elements[index as usize & (elements.len() - 1)]
    }

    fn put(&self, index: isize, element: usize) {
        let mut elements = self.elements.lock().unwrap();
        let place = index as usize & (elements.len() - 1);
        elements[place] = element;
    }
}
