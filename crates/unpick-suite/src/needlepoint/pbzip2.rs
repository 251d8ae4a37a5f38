//! Pbzip2: the main task waits for the last block by a flag and frees the queue, which a worker still uses.
//!
//! Ordering violation, depth 2. After its last block a worker tidies up and looks into the queue once more; the main
//! task has much more to do between the flag and the deletion than the worker has before its last look, so
//! that a fair choice lets the worker through.

use super::{Business, program};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "needlepoint.pbzip2",
    "compressor that waits by a flag and frees its queue",
    "the queue is freed while a worker still uses it",
    &[Parameter::twin("0 waits for the workers")],
    body,
);

const WORKERS: usize = 2;
const BLOCKS: usize = 22;
/// Points of compressing a block, of tidying up after one, and of what the main task does before it frees.
const COMPRESSING: usize = 20;
const TIDYING: usize = 10;
const CLOSING: usize = 60;

#[derive(Default)]
struct Queue {
    blocks: Mutex<usize>,
    written: AtomicUsize,
    // Invariant: set after the queue was freed; looking at it is no scheduling point.
    is_freed: AtomicBool,
}

fn body(arguments: &Arguments) {
    let queue = Arc::new(Queue {
        blocks: Mutex::new(BLOCKS),
        ..Queue::default()
    });
    let workers: [_; WORKERS] = std::array::from_fn(|_| {
        let queue = queue.clone();
        thread::spawn(move || work(&queue))
    });
    while queue.written.load(SeqCst) < BLOCKS {
        thread::yield_now();
    }
    Business::default().pass(CLOSING);
    if !arguments.is_on("bug") {
        for worker in workers {
            worker.join().unwrap();
        }
    }
    queue.is_freed.store(true, Relaxed);
}

fn work(queue: &Queue) {
    let business = Business::default();
    loop {
        let mut blocks = queue.blocks.lock().unwrap();
        assert!(!queue.is_freed.load(Relaxed), "the queue is freed");
        if *blocks == 0 {
            drop(blocks);
            return;
        }
        *blocks -= 1;
        drop(blocks);
        business.pass(COMPRESSING);
        queue.written.fetch_add(1, SeqCst);
        business.pass(TIDYING);
    }
}
