//! The memory that driver and runtime share while a program runs freely: nothing is controlled, threads
//! are threads, and each of them writes down what it comes to in a place of its own.
//!
//! The driver makes it, writes the order, starts the program and waits for its end, however that comes.
//! All words are atomics with one writer each, but for those that say otherwise: no thread waits for
//! another one to write.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use unpick_noise::{NoiseOrder, PLACEMENT_COUNT};

/// The environment variable with the number of the file descriptor of the memory.
pub const FREE_VARIABLE: &str = "UNPICK_FREE";

/// Frames that are told of a thread that does not come to its end.
pub const STACK_MAX: usize = 32;

/// Counters by place in the code, of a thread.
pub const VISITS: usize = 256;

/// Addresses that are known to belong to a thread or to be shared, at most.
pub const OWNERS: usize = 1 << 16;

/// Places in the code that were seen to conflict, at most.
pub const CONFLICTS: usize = 4096;

const MAGIC: u64 = u64::from_le_bytes(*b"unpickf1");

/// The top of the memory. The records of threads lie behind it.
#[repr(C, align(4096))]
pub struct FreeDesk {
    magic: AtomicU64,
    /// Not zero: the runtime has been loaded, and the program begins.
    pub is_manned: AtomicU32,
    /// Threads so far, the first one included. Many writers.
    pub threads: AtomicU32,
    /// Records of threads there are.
    pub threads_max: u32,
    /// Entries of the trace that each of them has room for.
    pub events_max: u32,
    /// Ticks of the processor's clock in a millisecond.
    pub ticks_per_ms: u64,
    /// The thread that is halted, plus one. Many writers.
    pub halted: AtomicU32,
    /// The thread that is alone, plus one. Many writers.
    pub alone: AtomicU32,
    /// Until which tick. Many writers.
    pub alone_until: AtomicU64,
    /// Raised when noise fires and somebody waits for that: a futex. Many writers.
    pub bell: AtomicU32,
    /// How many wait for it. Many writers.
    pub listeners: AtomicU32,
    /// What to do.
    pub order: NoiseOrder,
    /// Whom to hold back.
    pub priorities: PriorityDesk,
    /// Places in the code that were seen to conflict, an open table. Many writers.
    pub conflicts: [AtomicU64; CONFLICTS],
    /// Who has touched which address. Many writers.
    pub owners: [Owner; OWNERS],
}

/// The most changes of priority in an execution.
pub const CHANGES_MAX: usize = 64;

/// Whom to hold back in a free execution: one thread from the beginning, and whoever makes certain steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct PriorityOrder {
    /// The depth d; zero means that nobody is held back. At most [`CHANGES_MAX`].
    pub depth: u32,
    /// The thread that begins at priority d, by the order of creation.
    pub low_first: u32,
    /// The steps k_1 … k_(d-1). Who makes the i-th falls to priority d - i.
    pub changes: [u64; CHANGES_MAX],
}

impl PriorityOrder {
    /// Nobody is held back.
    pub const NOBODY: PriorityOrder = PriorityOrder {
        depth: 0,
        low_first: 0,
        changes: [0; CHANGES_MAX],
    };
}

/// Threads that are held back, and what they wait for.
#[repr(C)]
pub struct PriorityDesk {
    /// What the driver wants.
    pub order: PriorityOrder,
    /// Steps of all threads that count. Many writers.
    pub steps: AtomicU64,
    /// Threads that have not come to their end. Many writers.
    pub alive: AtomicU32,
    /// Threads of high priority that are not in a call that may block. Many writers.
    pub high_running: AtomicU32,
    /// Raised when somebody may run who did not: a thread was created, has come back from such a call, or was woken by
    /// one of low priority. Many writers.
    pub changes: AtomicU32,
    /// Single steps that threads of low priority may make out of turn. Many writers.
    pub passes: AtomicU32,
    /// How many such steps were made, and how many because nobody else seemed to go on. Many writers.
    pub passed: [AtomicU32; 2],
    /// The numbers of threads of low priority, plus one. Many writers, each of one word.
    pub low: [AtomicU32; CHANGES_MAX + 1],
    /// How many. Many writers.
    pub low_count: AtomicU32,
}

/// Who has touched an address: what was seen last, which others may overwrite.
#[repr(C)]
pub struct Owner {
    /// The address in units of eight bytes, the thread and what it did ([`Touch`]).
    pub touch: AtomicU64,
    /// The place in the code.
    pub pc: AtomicU64,
}

/// The records of a thread.
#[repr(C, align(4096))]
pub struct FreeThread {
    /// Its number with the kernel; zero as long as it has not begun.
    pub kernel_id: AtomicU32,
    /// Not zero: it has come to its end.
    pub is_ended: AtomicU32,
    /// Not zero: the kernel knows it no more.
    pub is_gone: AtomicU32,
    /// The number of its creator.
    pub parent: AtomicU32,
    /// How many threads its creator had created before, or [`UNKNOWN`].
    pub index: AtomicU32,
    /// Threads that it has created. Written by it alone.
    pub children: AtomicU32,
    /// Not zero: it is in the middle of writing here. A signal handler leaves it alone then.
    pub is_busy: AtomicU32,
    /// What it begins with, and with which argument.
    pub start: [AtomicU64; 2],
    /// The state of its random numbers.
    pub random: AtomicU64,
    /// Ticks that noise has taken.
    pub noise_ticks: AtomicU64,
    /// Entries of the trace; those that found no room are counted, too.
    pub event_count: AtomicU64,
    /// Its priority if that is not above the depth, or zero. Written by it alone, or before it begins.
    pub priority: AtomicU32,
    /// The priority that it gets at its next point, or zero.
    pub priority_next: AtomicU32,
    /// Not zero: it is in a call that may block.
    pub is_away: AtomicU32,
    /// The last of [`PriorityDesk::changes`] after which it went on, plus one.
    pub calm: AtomicU32,
    /// How often it has come to each placement.
    pub reached: [AtomicU64; PLACEMENT_COUNT],
    /// How often noise fired there.
    pub fired: [AtomicU64; PLACEMENT_COUNT],
    /// How often it has come to places in the code, by hash.
    pub visits: [AtomicU32; VISITS],
    /// The last shared reads: how many accesses to shared memory ago they were.
    pub last_shared_read: AtomicU64,
    /// Accesses to shared memory.
    pub shared_accesses: AtomicU64,
    /// Where it is, when asked: return addresses, innermost first.
    pub stack: [AtomicU64; STACK_MAX],
    /// How many, plus one; zero if it was not asked or did not answer.
    pub stack_length: AtomicU32,
}

/// The index of a thread that nobody is known to have created.
pub const UNKNOWN: u32 = u32::MAX;

/// An entry of a trace.
#[repr(C)]
pub struct FreeEvent {
    /// The processor's clock.
    pub time: AtomicU64,
    /// The address of the object, or zero.
    pub object: AtomicU64,
    /// The place in the code.
    pub pc: AtomicU64,
    /// The number of the placement.
    pub placement: AtomicU64,
}

impl FreeDesk {
    /// Bytes of the whole.
    pub fn size(threads_max: u32, events_max: u32) -> usize {
        size_of::<FreeDesk>() + threads_max as usize * record_size(events_max)
    }

    /// Prepares zeroed memory.
    pub fn open(&self) {
        self.magic.store(MAGIC, Ordering::Release);
    }

    /// Whether this memory is of this kind and version.
    pub fn is_open(&self) -> bool {
        self.magic.load(Ordering::Acquire) == MAGIC
    }

    /// Where the record of a thread lies, relative to the desk, if there is one.
    pub fn thread_at(&self, number: u32) -> Option<usize> {
        (number < self.threads_max)
            .then(|| size_of::<FreeDesk>() + number as usize * record_size(self.events_max))
    }
}

fn record_size(events_max: u32) -> usize {
    let events = events_max as usize * size_of::<FreeEvent>();
    size_of::<FreeThread>() + events.next_multiple_of(4096)
}

/// What is known of an address, in one word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Touch(pub u64);

impl Touch {
    const SHARED: u64 = 1;
    const WRITTEN: u64 = 2;
    const THREAD_SHIFT: u32 = 2;
    const THREAD_BITS: u32 = 14;
    const ADDRESS_SHIFT: u32 = Self::THREAD_SHIFT + Self::THREAD_BITS;

    /// A touch by one thread.
    #[inline]
    pub fn new(address: usize, thread: u32, is_write: bool) -> Touch {
        let thread = u64::from(thread) & ((1 << Self::THREAD_BITS) - 1);
        let word = (address as u64 >> 3) << Self::ADDRESS_SHIFT;
        Touch(word | thread << Self::THREAD_SHIFT | if is_write { Self::WRITTEN } else { 0 })
    }

    /// Whether it is about the same address.
    #[inline]
    pub fn is_of(self, address: usize) -> bool {
        self.0 >> Self::ADDRESS_SHIFT == (address as u64 >> 3) & ((1 << 48) - 1)
    }

    /// Whether another thread has touched the same.
    #[inline]
    pub fn is_other(self, other: Touch) -> bool {
        (self.0 ^ other.0) >> Self::THREAD_SHIFT & ((1 << Self::THREAD_BITS) - 1) != 0
    }

    /// Whether two threads have touched it, one of them writing.
    #[inline]
    pub fn is_shared(self) -> bool {
        self.0 & Self::SHARED != 0 && self.0 & Self::WRITTEN != 0
    }

    /// Both together.
    #[inline]
    pub fn with(self, earlier: Touch) -> Touch {
        let is_shared = self.is_other(earlier) || earlier.0 & Self::SHARED != 0;
        let kept = earlier.0 & Self::WRITTEN;
        Touch(self.0 | kept | if is_shared { Self::SHARED } else { 0 })
    }

    /// Where it is kept.
    #[inline]
    pub fn slot(address: usize) -> usize {
        let word = address as u64 >> 3;
        (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize
    }
}

const _: () = assert!(OWNERS == 1 << 16);
