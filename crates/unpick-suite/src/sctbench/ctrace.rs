//! A library for tracing is shut down by one task while another one traces.
//!
//! From the miscellaneous suite in SCTBench (id 37): the test of ctrace. The main task traces twice; the first of
//! its children ends the library, which destroys the lock and the semaphore of its table.
//!
//! *Kept*: entering and leaving the table of a message, which are a lock, the semaphore and the unlock each; the
//! flag that says whether tracing is on; who calls what. *Left out*: the table, files, times, levels, the server.
//! Two accesses after each message were *fitted* to the printed row, which then comes out in full.

use super::with_twin;
use crate::published::rows::CTRACE;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool as Uncontrolled, Ordering::Relaxed};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &CTRACE,
    "tracing library shut down while it is in use",
    "the lock of the table is destroyed while somebody traces",
    &[Parameter::twin("0 shuts down after the last message")],
    body,
);

#[derive(Default)]
struct Tracer {
    is_on: AtomicBool,
    lock: Mutex<()>,
    /// The semaphore: tasks that read the table.
    readers: AtomicU32,
    messages: AtomicU32,
    // Invariant: set in the transition that turns tracing off. Looking at it is no scheduling point.
    is_destroyed: Uncontrolled,
}

impl Tracer {
    fn message(&self) {
        if !self.is_on.load(SeqCst) {
            return;
        }
        self.count_readers(1);
        self.count_readers(0);
        let messages = self.messages.load(SeqCst);
        self.messages.store(messages + 1, SeqCst);
    }

    fn count_readers(&self, readers: u32) {
        let guard = self.lock.lock().unwrap();
        self.touch();
        self.readers.store(readers, SeqCst);
        self.touch();
        drop(guard);
        self.touch();
    }

    /// To be called by whoever has just used a part of the table.
    fn touch(&self) {
        assert!(!self.is_destroyed.load(Relaxed), "the lock is destroyed");
    }

    fn end(&self) {
        self.is_on.store(false, SeqCst);
        self.is_destroyed.store(true, Relaxed);
    }
}

fn body(arguments: &Arguments) {
    let tracer = Arc::new(Tracer {
        is_on: AtomicBool::new(true),
        ..Tracer::default()
    });
    let is_faulty = arguments.is_on("bug");
    let shared = tracer.clone();
    let ender = thread::spawn(move || {
        if is_faulty {
            shared.end();
        }
    });
    let idle = thread::spawn(|| {});
    tracer.message();
    tracer.message();
    ender.join().unwrap();
    idle.join().unwrap();
    if !is_faulty {
        tracer.end();
    }
}
