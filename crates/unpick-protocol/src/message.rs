//! Orders and answers.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::ops::Range;
use serde::{Deserialize, Serialize};
use unpick_engine::transcript::{Route, Transcript};
use unpick_engine::{End, Exploration, Limits, Profile, Settings};
use unpick_trace::{Outcome, Plan, Trace};

/// How the tasks of a program are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Backend {
    /// On one operating system thread, each with stack and thread-locals of a real thread.
    Fibers,
    /// Each on its own operating system thread.
    Threads,
}

impl Backend {
    /// The name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Backend::Fibers => "fibers",
            Backend::Threads => "threads",
        }
    }
}

/// How a program is run again from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reexecution {
    /// Its writable memory is put back as it was before `main`.
    Snapshot,
    /// Every execution is a fork of the process before `main`.
    Fork,
    /// The process runs the program once and ends with it.
    Exec,
}

impl Reexecution {
    /// The name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Reexecution::Snapshot => "snapshot",
            Reexecution::Fork => "fork",
            Reexecution::Exec => "exec",
        }
    }
}

/// What the runtime must know before the program begins. It lies on the desk as the first order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// How tasks are run.
    pub backend: Backend,
    /// How executions are repeated.
    pub reexecution: Reexecution,
    /// Tasks that can be alive at once, besides the first.
    pub tasks_max: u32,
    /// Processors that the program is told to have.
    pub processors: u32,
    /// Whether the program's output is shown.
    pub shows_output: bool,
}

/// Which plain memory accesses are scheduling points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Points {
    /// None: synchronisation and atomics only.
    Sync,
    /// Those at program counters that have been seen to touch shared memory.
    Shared,
    /// All.
    All,
    /// Those at program counters that took part in a data race.
    Racy,
}

impl Points {
    /// Whether the program counters are learnt from executions.
    pub fn are_learnt(self) -> bool {
        matches!(self, Points::Shared | Points::Racy)
    }
}

/// What there is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Work {
    /// Explore with a strategy.
    Explore {
        /// The strategy's text.
        strategy: String,
        /// Its seed.
        seed: u64,
        /// The numbers of the executions to run with what was learned before; `None` runs the whole
        /// exploration.
        range: Option<Range<u64>>,
        /// What was learned before.
        profile: Option<Profile>,
    },
    /// Explore with a search, together with the other forks of this launch, all of which get this order.
    /// The first one answers what was found.
    Search {
        /// The strategy's text.
        strategy: String,
        /// Its seed.
        seed: u64,
        /// Which of how many shares to run, from 0; `None` runs the whole.
        shard: Option<(u32, u32)>,
    },
    /// Direct searches at the possible deadlocks of an exploration, and add what they find.
    Confirm {
        /// What was found so far.
        found: Box<Exploration>,
        /// Executions directed at each, at most.
        executions_max: u64,
        /// The seed of the exploration.
        seed: u64,
    },
    /// Follow a recorded execution.
    Replay(Trace),
    /// Follow a plan.
    Follow(Plan),
    /// Run one execution, and tell it as events, too.
    Watch(Lead),
}

/// What leads an execution that is watched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Lead {
    /// A recorded execution.
    Replay(Trace),
    /// A recorded execution, where plain accesses are points that were none when it was recorded.
    Retrace(Trace),
    /// A route, and then the default order.
    Along(Route),
}

/// An order to the runtime.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// What there is to do.
    pub work: Work,
    /// What a program may run into besides the order of its tasks.
    pub settings: Settings,
    /// When to end.
    pub limits: Limits,
    /// Whether data races on plain memory and uses of freed memory are failures.
    pub races: bool,
    /// Which plain accesses are points.
    pub points: Points,
    /// Program counters known to touch shared memory.
    pub shared: Vec<u64>,
    /// Functions whose beginning is a point.
    pub named: Vec<NamedCode>,
}

/// The code of a function that the user has named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCode {
    /// The name.
    pub name: String,
    /// The path of its module, as in [`Module::path`].
    pub module: String,
    /// Its first address in the file.
    pub start: u64,
    /// The address behind its last.
    pub end: u64,
}

/// A file mapped into the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Its path; empty for the program itself.
    pub path: String,
    /// What to subtract from an address to get one of the file.
    pub base: u64,
    /// Its first address.
    pub start: u64,
    /// The address behind its last.
    pub end: u64,
}

/// Something that keeps the runtime from working as it should.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// What it is.
    pub kind: TroubleKind,
    /// The function or the value that it is about.
    pub what: String,
    /// The program counter of the caller, or zero.
    pub pc: u64,
}

/// Kinds of trouble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TroubleKind {
    /// The program calls a function that is not modelled.
    Unmodelled,
    /// The program needs more tasks than there are stacks; `what` is how many there are.
    TooManyTasks,
    /// An order that makes no sense.
    BadOrder,
    /// The runtime cannot work on this machine.
    Unsupported,
}

/// What came of an order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// What was found. Locations are those of machine code: the module's path as the file, line
    /// zero, the address within the file as the column.
    pub exploration: Exploration,
    /// How a range of executions ended.
    pub end: End,
    /// The files mapped into the program.
    pub modules: Vec<Module>,
    /// What happened and how it ended, failure or not, if the order was for one execution.
    pub followed: Option<(Outcome, Trace)>,
    /// The events of the execution that was watched.
    pub transcript: Option<Transcript>,
    /// The addresses of the objects of the first failure or divergence, or of the one execution that the order
    /// was for, by number; zero where there is none.
    pub addresses: Vec<u64>,
    /// Program counters known to touch shared memory, sorted.
    pub shared: Vec<u64>,
    /// Which of [`Order::named`] were seen to begin.
    pub entered: Vec<bool>,
    /// What went wrong with the work itself.
    pub trouble: Option<Trouble>,
}

/// Bytes before a sealed message: the number of the order, and the sum of what follows.
const SEAL: usize = 16;

/// An answer to the order of this number as bytes that tell whether they are still what was written: the program can
/// write where they lie.
pub fn seal<T: Serialize>(order: u32, message: &T) -> Vec<u8> {
    let bytes = encode(message);
    let mut sealed = Vec::with_capacity(SEAL + bytes.len());
    sealed.extend(u64::from(order).to_le_bytes());
    sealed.extend(sum_of(order, &bytes).to_le_bytes());
    sealed.extend(bytes);
    sealed
}

/// An answer to the order of this number from bytes; `None` if they are none, or were changed.
pub fn unseal<'a, T: Deserialize<'a>>(order: u32, bytes: &'a [u8]) -> Option<T> {
    let (seal, bytes) = bytes.split_at_checked(SEAL)?;
    let (number, sum) = seal.split_at(SEAL / 2);
    let is_whole =
        number == u64::from(order).to_le_bytes() && sum == sum_of(order, bytes).to_le_bytes();
    decode(bytes).filter(|_| is_whole)
}

/// A sum of bytes that few changes leave as it is.
fn sum_of(order: u32, bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sum = u64::from(order) ^ bytes.len() as u64;
    for chunk in bytes.chunks(size_of::<u64>()) {
        let mut word = [0; size_of::<u64>()];
        word[..chunk.len()].copy_from_slice(chunk);
        sum = (sum ^ u64::from_le_bytes(word))
            .wrapping_mul(FACTOR)
            .rotate_left(23);
    }
    sum
}

/// An order as bytes.
pub fn encode<T: Serialize>(message: &T) -> Vec<u8> {
    postcard::to_allocvec(message).expect("internal error: a message cannot be encoded")
}

/// An order from bytes; `None` if they are none.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sealed_message_that_was_changed_is_none() {
        let message = (String::from("some words"), 7_u64, alloc::vec![1_u8, 2, 3]);
        let sealed = seal(5, &message);
        assert_eq!(unseal(5, &sealed), Some(message.clone()));
        let read = |order, bytes: &[u8]| unseal::<(String, u64, Vec<u8>)>(order, bytes);
        assert_eq!(read(6, &sealed), None, "the answer to another order");
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[at] ^= 1 << bit;
                assert_eq!(read(5, &changed), None, "bit {bit} of byte {at}");
            }
            assert_eq!(read(5, &sealed[..at]), None, "the first {at} bytes");
        }
    }
}
