//! A parallel compressor: the main task reads blocks into a queue, two consumers compress them, a writer writes.
//!
//! The main task waits for the writer only, and deletes the queue with its lock while a consumer may still
//! look into it. From the CB suite in SCTBench (id 1): pbzip2 0.9.4, the use of a deleted synchronisation object.
//!
//! *Kept*: the queue with its lock and two condition variables, the flag that says that all has been read, the
//! writer that polls for the next block, and who waits for whom. *Left out*: files and compression; a
//! block is a number. Two blocks, two consumers. The deleted queue stays allocated and knows that it was deleted.

use super::with_twin;
use crate::published::rows::PBZIP2;
use crate::{Arguments, Parameter, Program};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use unpick::sync::atomic::Ordering::SeqCst;
use unpick::sync::{Condvar, Mutex};
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &PBZIP2,
    "compressor whose queue is deleted at the end",
    "the consumers are not waited for before the queue is deleted",
    &[Parameter::twin("0 waits for the consumers too")],
    body,
);

const BLOCKS: usize = 2;
const CONSUMERS: usize = 2;

#[derive(Default)]
struct Queue {
    inside: Mutex<Inside>,
    not_empty: Condvar,
    not_full: Condvar,
    // Invariant: set after the queue was deleted; looking at it is no scheduling point.
    is_deleted: AtomicBool,
}

#[derive(Default)]
struct Inside {
    blocks: VecDeque<usize>,
    all_read: bool,
}

impl Queue {
    /// To be called by whoever is about to use a part of the queue.
    fn touch(&self) -> &Queue {
        assert!(!self.is_deleted.load(Relaxed), "the queue is deleted");
        self
    }
}

#[derive(Default)]
struct Output {
    ready: [unpick::sync::atomic::AtomicBool; BLOCKS],
}

fn body(arguments: &Arguments) {
    let queue = Arc::new(Queue::default());
    let output = Arc::new(Output::default());
    let consumers: [_; CONSUMERS] = std::array::from_fn(|_| {
        let (queue, output) = (queue.clone(), output.clone());
        thread::spawn(move || consume(&queue, &output))
    });
    let writer = thread::spawn(move || write(&output));
    produce(&queue);
    writer.join().unwrap();
    if !arguments.is_on("bug") {
        for consumer in consumers {
            consumer.join().unwrap();
        }
    }
    queue.is_deleted.store(true, Relaxed);
}

fn produce(queue: &Queue) {
    for block in 0..BLOCKS {
        let mut inside = queue.inside.lock().unwrap();
        while !inside.blocks.is_empty() {
            inside = queue.not_full.wait(inside).unwrap();
        }
        inside.blocks.push_back(block);
        drop(inside);
        queue.not_empty.notify_one();
    }
    let mut inside = queue.inside.lock().unwrap();
    inside.all_read = true;
    drop(inside);
    queue.not_empty.notify_all();
}

fn consume(queue: &Queue, output: &Output) {
    loop {
        let mut inside = queue.touch().inside.lock().unwrap();
        queue.touch();
        while inside.blocks.is_empty() {
            if inside.all_read {
                drop(inside);
                return;
            }
            inside = queue.touch().not_empty.wait(inside).unwrap();
            queue.touch();
        }
        let block = inside.blocks.pop_front();
        drop(inside);
        queue.touch().not_full.notify_one();
        if let Some(block) = block {
            output.ready[block].store(true, SeqCst);
        }
    }
}

fn write(output: &Output) {
    for ready in &output.ready {
        while !ready.load(SeqCst) {
            thread::yield_now();
        }
    }
}
