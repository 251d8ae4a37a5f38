//! Kernels of concurrent data structures, one file for each, as complete tests.
//!
//! All are correct and small enough to be explored completely. Each is written against `tool`, the
//! crate whose types it uses, and knows nothing else of this one: the benchmark compiles the very
//! same files for loom. Tasks that wait do so in a loop that yields, which is what loom asks for.

pub(crate) mod bounded_buffer;
pub(crate) mod ms_queue;
pub(crate) mod seqlock;
pub(crate) mod ticket_lock;
pub(crate) mod treiber;

use crate::{Program, Source};
use unpick as tool;

pub(crate) const TREIBER: Program = kernel(
    "kernel.treiber",
    "lock-free stack with a tag against ABA",
    |_| treiber::run(),
);

pub(crate) const MS_QUEUE: Program = kernel(
    "kernel.ms_queue",
    "lock-free queue of Michael and Scott",
    |_| ms_queue::run(),
);

pub(crate) const TICKET_LOCK: Program = kernel(
    "kernel.ticket_lock",
    "lock that is granted in the order of asking",
    |_| ticket_lock::run(),
);

pub(crate) const SEQLOCK: Program = kernel(
    "kernel.seqlock",
    "pair of values read without a lock, and again if it was torn",
    |_| seqlock::run(),
);

pub(crate) const BOUNDED_BUFFER: Program = kernel(
    "kernel.bounded_buffer",
    "buffer of one slot with a mutex and a condition variable",
    |_| bounded_buffer::run(),
);

const fn kernel(name: &'static str, summary: &'static str, body: fn(&crate::Arguments)) -> Program {
    Program {
        name,
        summary,
        source: Source::Kernels,
        parameters: &[],
        fault: None,
        published: None,
        body,
    }
}
