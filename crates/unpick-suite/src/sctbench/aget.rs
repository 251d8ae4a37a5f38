//! A download in pieces, and the handler of an interrupt that saves how far it is.
//!
//! The handler saves the number of bytes while the workers go on writing, so that what is saved is not what
//! is in the file. From the CB suite in SCTBench (id 0): aget, a download accelerator, bug 2.
//!
//! *Kept*: two workers that write their piece in two steps and add to the number of bytes under its lock; the
//! handler as a task of its own, as in the study, which reads that number without the lock and the
//! offset of each worker; the check of the output that the study added. *Left out*: network (a file in the
//! study), progress bar, resuming, and the end of the process in the handler: the workers go on to the end.

use super::with_twin;
use crate::published::rows::AGET;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::thread::{self, JoinHandle};

pub(crate) const PROGRAM: Program = with_twin(
    &AGET,
    "download whose state an interrupt handler saves",
    "the workers are not stopped before the state is saved",
    &[Parameter::twin("0 waits for the workers before it saves")],
    body,
);

const WORKERS: usize = 2;
const STEPS: u32 = 2;

#[derive(Default)]
struct Download {
    written_lock: Mutex<()>,
    written: AtomicU32,
    offsets: [AtomicU32; WORKERS],
}

/// What the handler saves: all bytes, and those of each worker.
type Log = (u32, [u32; WORKERS]);

fn body(arguments: &Arguments) {
    let download = Arc::new(Download::default());
    let handler = arguments.is_on("bug").then(|| handle(&download));
    let workers: [_; WORKERS] = std::array::from_fn(|worker| {
        let download = download.clone();
        thread::spawn(move || fetch(&download, worker))
    });
    for worker in workers {
        worker.join().unwrap();
    }
    let handler = handler.unwrap_or_else(|| handle(&download));
    let log = handler.join().unwrap();
    let size = WORKERS as u32 * STEPS;
    assert!(
        log == (size, [STEPS; WORKERS]),
        "saved {log:?}, and {size} bytes are in the file"
    );
}

/// The interrupt.
fn handle(download: &Arc<Download>) -> JoinHandle<Log> {
    let download = download.clone();
    thread::spawn(move || save(&download))
}

fn fetch(download: &Download, worker: usize) {
    for step in 0..STEPS {
        download.offsets[worker].store(step + 1, SeqCst);
        let guard = download.written_lock.lock().unwrap();
        let written = download.written.load(SeqCst);
        download.written.store(written + 1, SeqCst);
        drop(guard);
    }
}

fn save(download: &Download) -> Log {
    let offsets = std::array::from_fn(|worker| download.offsets[worker].load(SeqCst));
    (download.written.load(SeqCst), offsets)
}
