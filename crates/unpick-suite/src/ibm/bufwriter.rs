//! Writers put entries into a buffer and count them under a lock, but for one that does not take the lock.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "ibm.bufwriter",
    "buffer with a writer that takes no lock",
    "one writer does not take the lock",
    &[Parameter::twin("0 has every writer take the lock")],
    body,
);

const WRITERS: usize = 3;

#[derive(Default)]
struct Buffer {
    lock: Mutex<()>,
    entries: AtomicU32,
}

fn body(arguments: &Arguments) {
    let is_faulty = arguments.is_on("bug");
    let buffer = Arc::new(Buffer::default());
    let shared = buffer.clone();
    run_all(WRITERS, move |me| {
        let takes_lock = me > 0 || !is_faulty;
        let guard = takes_lock.then(|| shared.lock.lock().unwrap());
        let entries = shared.entries.load(SeqCst);
        shared.entries.store(entries + 1, SeqCst);
        drop(guard);
    });
    let entries = buffer.entries.load(SeqCst);
    assert!(entries == WRITERS as u32, "{entries} entries are counted");
}
