//! The kernels of the suite, compiled for loom from the very same files.

use loom as tool;

#[path = "../../../crates/unpick-suite/src/kernels/bounded_buffer.rs"]
pub mod bounded_buffer;
#[path = "../../../crates/unpick-suite/src/kernels/ms_queue.rs"]
pub mod ms_queue;
#[path = "../../../crates/unpick-suite/src/kernels/seqlock.rs"]
pub mod seqlock;
#[path = "../../../crates/unpick-suite/src/kernels/ticket_lock.rs"]
pub mod ticket_lock;
#[path = "../../../crates/unpick-suite/src/kernels/treiber.rs"]
pub mod treiber;
