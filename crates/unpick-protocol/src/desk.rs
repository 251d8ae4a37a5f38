//! The memory that driver and runtime share.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use unpick_engine::CoveredSoFar;

/// The environment variable with the number of the file descriptor of the desk. If there are several, with
/// commas in between, the program is forked before its `main`, and each fork works at a desk of its own.
pub const DESK_VARIABLE: &str = "UNPICK_DESK";

/// Desks that one launch may have, at most.
pub const DESKS_MAX: usize = 256;

/// Bytes of the largest order: one to replay a trace of some ten million steps.
pub const ORDER_MAX: usize = 512 << 20;
/// Bytes of the largest answer.
pub const ANSWER_MAX: usize = 1 << 30;
const ORDER_AT: usize = 4096;
const ANSWER_AT: usize = ORDER_AT + ORDER_MAX;
/// Bytes of the whole. Pages that are never written cost nothing. What lies behind it in the same file
/// is the runtime's own, where that goes on from process to process.
pub const DESK_SIZE: usize = ANSWER_AT + ANSWER_MAX;

const MAGIC: u64 = u64::from_le_bytes(*b"unpick04");

/// The top of the shared memory; orders and answers lie behind it.
///
/// Serial numbers say whose turn it is: the driver writes an order and raises `orders`, the runtime
/// writes an answer and sets `answers` to the same number. Both words are futexes.
#[repr(C)]
pub struct Desk {
    magic: AtomicU64,
    /// Orders given so far.
    pub orders: AtomicU32,
    /// Orders answered so far.
    pub answers: AtomicU32,
    /// When the exploration is to end: [`STOP_AFTER_EXECUTION`], [`STOP_AT_NEXT_STEP`], or zero if it goes on.
    pub stop: AtomicU32,
    /// Not zero: the runtime has been loaded into a process that it controls.
    pub is_manned: AtomicU32,
    order_length: AtomicU64,
    answer_length: AtomicU64,
    /// How often an answer or a draft of one was begun and completed: odd while one is written.
    answer_serial: AtomicU32,
    /// Executions done under the order at hand.
    pub executions: AtomicU64,
    /// Failing ones among them.
    pub failures: AtomicU64,
    /// Most tasks in one of them.
    pub tasks_max: AtomicU64,
    /// What they have covered, if that is wanted.
    pub covered: CoveredSoFar,
    /// Raised by every step, and now and then while all tasks wait for the world outside; it stands
    /// still when a task never comes back.
    pub steps: AtomicU64,
    /// Not zero: the process that works here waits for others that share its search.
    pub is_idle: AtomicU32,
    /// The process that works here.
    pub worker: AtomicU32,
    end: AtomicU64,
    /// The process in which the execution runs, if it is not the one that works here.
    pub process: AtomicU32,
    /// Not zero: upon [`LOOK_SIGNAL`] the runtime shall see whether the task that runs can be left.
    pub wish: AtomicU32,
    /// The thread to send that to; zero if there is none.
    pub helper: AtomicU32,
    /// How often a task was left because it blocks in code that is not controlled.
    pub departures: AtomicU64,
    /// Raised by the runtime when it has told what runs, after [`LOOK_SIGNAL`].
    pub looks: AtomicU32,
    /// Where the runtime lies that goes on in each new process; zero in the first one.
    pub heritage: AtomicU64,
    /// Not zero: the process that worked here is about to end, and wants to go on in a new one.
    pub is_left: AtomicU32,
    /// The task that runs.
    pub running_task: AtomicU64,
    /// Where it is: return addresses, innermost first, up to the first zero.
    pub running_at: [AtomicU64; FRAMES_MAX],
    /// Whether it was in a function that is instrumented, or in the runtime.
    pub running_watched: AtomicU32,
}

/// The execution that runs is the last one.
pub const STOP_AFTER_EXECUTION: u32 = 1;

/// The execution that runs is cut short at its next step, and does not count.
pub const STOP_AT_NEXT_STEP: u32 = 2;

/// Marks the status of a process as being there: zero is one, too.
const ENDED: u64 = 1 << 32;

/// The signal upon which the runtime tells what runs. Not one that programs are likely to use.
pub const LOOK_SIGNAL: i32 = 62;

/// Frames that are told of the task that runs.
pub const FRAMES_MAX: usize = 8;

impl Desk {
    /// Prepares zeroed memory as a desk.
    pub fn open(&self) {
        self.magic.store(MAGIC, Ordering::Release);
    }

    /// Whether this memory is a desk of this version.
    pub fn is_open(&self) -> bool {
        self.magic.load(Ordering::Acquire) == MAGIC
    }

    /// Where the order at hand lies, relative to the desk: offset and length.
    pub fn order_range(&self) -> (usize, usize) {
        let length = self.order_length.load(Ordering::Acquire) as usize;
        (ORDER_AT, length.min(ORDER_MAX))
    }

    /// Where the last answer lies, relative to the desk: offset and length.
    pub fn answer_range(&self) -> (usize, usize) {
        let length = self.answer_length.load(Ordering::Acquire) as usize;
        (ANSWER_AT, length.min(ANSWER_MAX))
    }

    /// Says how long the order is that was written at the offset of [`Desk::order_range`].
    pub fn set_order_length(&self, length: usize) {
        assert!(length <= ORDER_MAX, "internal error: an order is too long");
        self.order_length.store(length as u64, Ordering::Release);
    }

    /// Says that an answer, or a draft of one, is going to be written at the offset of [`Desk::answer_range`].
    pub fn begin_answer(&self) {
        self.answer_serial.fetch_add(1, Ordering::Acquire);
    }

    /// How often an answer or a draft was begun and completed. Odd while one is written: what lies there is of no use
    /// then, nor is what was read while this number has changed.
    pub fn answer_serial(&self) -> u32 {
        self.answer_serial.load(Ordering::Acquire)
    }

    /// Says how long the answer is that was written.
    pub fn end_answer(&self, length: usize) {
        assert!(
            length <= ANSWER_MAX,
            "internal error: an answer is too long"
        );
        self.answer_length.store(length as u64, Ordering::Release);
        self.answer_serial.fetch_add(1, Ordering::Release);
    }

    /// Says with which status the process has ended that worked here, if it was a fork.
    pub fn set_end(&self, status: i32) {
        let end = ENDED | u64::from(status as u32);
        self.end.store(end, Ordering::Release);
    }

    /// The status with which the process has ended that worked here, if it was a fork.
    pub fn end(&self) -> Option<i32> {
        let end = self.end.load(Ordering::Acquire);
        (end & ENDED != 0).then_some(end as i32)
    }

    /// Clears what is told of progress, before an order.
    pub fn clear_progress(&self) {
        self.executions.store(0, Ordering::Relaxed);
        self.failures.store(0, Ordering::Relaxed);
        self.tasks_max.store(0, Ordering::Relaxed);
        self.covered.set(None);
        self.stop.store(0, Ordering::Relaxed);
    }
}
