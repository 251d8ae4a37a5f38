//! What a transition touches, as reductions see it.
//!
//! Two transitions of different tasks are independent if they touch no common location, or touch it
//! in modes that commute: reads commute with reads and additions with additions. Calling anything a
//! write is sound. The *lazy* relation of the thesis differs in one thing: acquiring and releasing a
//! mutex commute, also on the same mutex, while the data inside it is a location of its own. (An
//! attempt to lock tells something about the mutex and does not commute with them.)

use crate::{Effect, Execution, Grant, Ration, object::State};
use alloc::vec::Vec;
use unpick_trace::{ObjectId, Op, OpKind};

/// How a transition touches a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Leaves it as it is.
    Read,
    /// Changes it in a way that commutes with other additions.
    Add,
    /// May change it in any way.
    Write,
}

impl Mode {
    /// Whether two accesses in these modes commute.
    #[inline]
    pub fn commutes_with(self, other: Mode) -> bool {
        self == other && self != Mode::Write
    }
}

/// Something two tasks can disagree about: an object, or an aspect of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The object.
    pub object: ObjectId,
    /// Which aspect of it.
    pub part: u32,
}

impl Location {
    /// The part that is the object itself.
    pub const WHOLE: u32 = WHOLE;
    /// The part of a mutex that is what it contains.
    pub const DATA: u32 = DATA;
    /// The part of a task that is whether it has ended.
    pub const END: u32 = END;
    /// The part of a variable that a task reads while it is alone; the next one is what it writes.
    pub const ALONE: u32 = ALONE;

    /// Whether this is a place for a message in a channel, or for a store in a buffer.
    pub(crate) fn is_slot(self) -> bool {
        self.part >= SLOTS
    }
}

/// The object itself.
pub(crate) const WHOLE: u32 = 0;
/// What a mutex contains.
pub(crate) const DATA: u32 = 1;
/// Who stands before a plain access of a cell. Whether two accesses race depends on the order of
/// mutexes, which the lazy relation leaves out; but if two tasks stand before accesses that conflict,
/// these race, whatever the mutexes did. Where there is no race this orders nothing: what orders an
/// access after another one comes before the task stands there. The ordinary relation keeps the order of
/// mutexes, and with it the races; there, who stands where does not matter.
const USERS: u32 = 1;
/// What a variable holds, for a task that is alone: all that others did with it comes before or after in any
/// case, so that this conflicts with nothing of theirs.
pub(crate) const ALONE: u32 = 2;
/// Whether a task has ended.
pub(crate) const END: u32 = 1;
/// Whether a task may pass a park.
const TOKEN: u32 = 2;
/// The clock, which all executions have. It counts as a part of the first object, which is the first task.
pub(crate) const CLOCK: Location = Location {
    object: ObjectId(0),
    part: 3,
};
/// What is left of each ration, as parts of the first task like the clock.
const WEAK_FAILURES: u32 = 4;
const SPURIOUS_WAKES: u32 = 5;
/// Whether a mutex is poisoned.
const POISON: u32 = 2;
/// The order of messages put in.
const TAIL: u32 = 1;
/// The order of messages taken out.
const HEAD: u32 = 2;
/// Whether there are senders left.
const SENDERS: u32 = 3;
/// Whether there is a receiver left.
const RECEIVER: u32 = 4;
/// How many stores are in a buffer.
pub(crate) const LEVEL: u32 = 1;
/// The places for messages, and for stores.
pub(crate) const SLOTS: u32 = 8;

/// One access of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// What is touched.
    pub location: Location,
    /// How.
    pub mode: Mode,
    /// How, in the lazy relation.
    pub lazy: Mode,
}

/// Whether two transitions, given by what they touch, depend on each other.
pub fn conflict(one: &[Access], other: &[Access], is_lazy: bool) -> bool {
    one.iter().any(|mine| {
        other.iter().any(|theirs| {
            mine.location == theirs.location
                && match is_lazy {
                    false => !mine.mode.commutes_with(theirs.mode),
                    true => !mine.lazy.commutes_with(theirs.lazy),
                }
        })
    })
}

/// How many messages went through a channel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traffic {
    pub sent: u32,
    pub received: u32,
}

/// What is known of how an operation went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Result {
    /// It has not been performed.
    Unknown,
    Granted(Grant),
    LeftUnchanged,
}

/// Adds what an operation touches.
pub(crate) fn add_operation(
    accesses: &mut Vec<Access>,
    execution: &Execution,
    op: &Op,
    result: Result,
    traffic: &mut Traffic,
) {
    use OpKind::*;
    let mut touch = |part, mode| {
        let object = op.object;
        let location = Location { object, part };
        let (mode, lazy) = match op.kind {
            // Not a read: a refused attempt to lock tells whether somebody holds the mutex.
            Lock | Unlock if !op.timed => (mode, Mode::Add),
            PlainRead | PlainWrite if part == USERS => (Mode::Read, mode),
            _ => (mode, mode),
        };
        merge_access(
            accesses,
            Access {
                location,
                mode,
                lazy,
            },
        );
    };
    let refused = matches!(
        result,
        Result::Granted(Grant::Refused | Grant::TimedOut) | Result::LeftUnchanged
    );
    let unless_refused = if refused { Mode::Read } else { Mode::Write };
    match op.kind {
        // What comes before it is not told by what it touches: see `history.rs`.
        Spawn | Yield | Sleep | Fence | Quiesce => {}
        // That it cuts others off shows when it is over.
        End if op.object == ObjectId::NONE => {}
        // What it does to the buffer is an effect.
        Store if op.is_buffered() => {}
        // Who stands before it may race all the same.
        PlainWrite if op.is_buffered() => touch(USERS, Mode::Write),
        Drain => touch(LEVEL, Mode::Read),
        // Others notice it, also if it is refused.
        BarrierWait | TryWriteLock if op.is_arrival() => touch(WHOLE, Mode::Write),
        Load | OnceRead | BarrierWait => touch(WHOLE, Mode::Read),
        TryAcquire if op.is_look() => touch(WHOLE, Mode::Read),
        PlainRead => {
            touch(WHOLE, Mode::Read);
            touch(USERS, Mode::Read);
        }
        PlainWrite => {
            touch(WHOLE, Mode::Write);
            touch(USERS, Mode::Write);
        }
        TryReadLock | ReadLock if refused => touch(WHOLE, Mode::Read),
        // Readers commute, but an attempt to write that fails sees that they are there.
        ReadLock | ReadUnlock | TryReadLock => touch(WHOLE, Mode::Add),
        Join | TryJoin => touch(END, Mode::Read),
        Wait => touch(WHOLE, Mode::Write),
        Park => touch(TOKEN, Mode::Write),
        Unpark => touch(TOKEN, Mode::Add),
        OnceEnter if result == Result::Granted(Grant::Done) => touch(WHOLE, Mode::Read),
        Send | TrySend | Receive | TryReceive | SenderDrop | ReceiverDrop => {
            add_channel_operation(&mut touch, execution, op, result, traffic);
        }
        _ => touch(WHOLE, unless_refused),
    }
}

/// Messages are a queue: the order of senders matters, the order of receivers matters, and a
/// message is received after it was sent; a sender and a receiver at different places commute.
fn add_channel_operation(
    touch: &mut dyn FnMut(u32, Mode),
    execution: &Execution,
    op: &Op,
    result: Result,
    traffic: &mut Traffic,
) {
    let State::Channel { capacity, .. } = execution.objects[op.object.index()].state else {
        panic!("internal error: {op:?} needs a channel");
    };
    if capacity == Some(0) {
        // A rendezvous: all in one.
        return touch(WHOLE, Mode::Write);
    }
    let slot = |number: u32| SLOTS + capacity.map_or(number, |places| number % places);
    let succeeds = matches!(result, Result::Unknown | Result::Granted(Grant::Done));
    let mode = if succeeds { Mode::Write } else { Mode::Read };
    let is_closed = result == Result::Granted(Grant::Closed);
    match op.kind {
        OpKind::SenderDrop => touch(SENDERS, Mode::Add),
        OpKind::ReceiverDrop => {
            touch(HEAD, Mode::Write);
            touch(RECEIVER, Mode::Write);
        }
        OpKind::Send | OpKind::TrySend => {
            touch(RECEIVER, Mode::Read);
            if !is_closed {
                touch(TAIL, mode);
                touch(slot(traffic.sent), mode);
                traffic.sent += u32::from(result == Result::Granted(Grant::Done));
            }
        }
        _ => {
            touch(HEAD, mode);
            touch(slot(traffic.received), mode);
            // Who finds a message does not look whether there are senders.
            if !succeeds || result == Result::Unknown {
                touch(SENDERS, Mode::Read);
            }
            traffic.received += u32::from(result == Result::Granted(Grant::Done));
        }
    }
}

/// Whether an effect only marks where a task comes to stand: it looks at nothing.
pub(crate) fn is_mark(execution: &Execution, effect: Effect) -> bool {
    match effect {
        Effect::Enlists(_)
        | Effect::ReadsNext(_)
        | Effect::WritesNext(_)
        | Effect::Ends(_)
        | Effect::LeavesOff(_) => true,
        // What a semaphore stands for was seen to be possible.
        Effect::Arrives(object) => {
            let state = &execution.objects[object.index()].state;
            !matches!(state, State::Semaphore { .. })
        }
        _ => false,
    }
}

/// Adds what an effect touches.
pub(crate) fn add_effect(accesses: &mut Vec<Access>, effect: Effect) {
    let (object, part, mode) = match effect {
        Effect::Enlists(condvar) => (condvar, WHOLE, Mode::Write),
        Effect::Arrives(object) | Effect::Destroys(object) => (object, WHOLE, Mode::Write),
        Effect::ReadsNext(cell) => return add_user(accesses, cell, Mode::Read),
        Effect::WritesNext(cell) => return add_user(accesses, cell, Mode::Write),
        Effect::Ends(task) => (task, END, Mode::Write),
        // Who joins follows all of these; which of them comes last, nobody can tell.
        Effect::LeavesOff(task) => (task, END, Mode::Add),
        Effect::LooksAtEnd(task) => (task, END, Mode::Read),
        Effect::ReadsData(mutex) => (mutex, DATA, Mode::Read),
        Effect::WritesData(mutex) => (mutex, DATA, Mode::Write),
        Effect::ReadsPoison(mutex) => (mutex, POISON, Mode::Read),
        Effect::WritesPoison(mutex) => (mutex, POISON, Mode::Write),
        Effect::ReadsAlone(variable) => (variable, ALONE, Mode::Read),
        Effect::WritesAlone(variable) => (variable, ALONE + 1, Mode::Write),
        Effect::Buffers(buffer, number) => (buffer, SLOTS + number, Mode::Write),
        Effect::Flushes {
            task,
            buffer,
            number,
            after,
        } => {
            // Those of several agents commute, unless one has to wait for the other.
            for earlier in after.0..after.1 {
                add_access(accesses, buffer, SLOTS + earlier, Mode::Read);
            }
            add_access(accesses, buffer, LEVEL, Mode::Add);
            add_access(accesses, task, END, Mode::Add);
            (buffer, SLOTS + number, Mode::Write)
        }
        Effect::UsesClock(mode) => (CLOCK.object, CLOCK.part, mode),
        Effect::UsesRation(Ration::WeakFailures, mode) => (CLOCK.object, WEAK_FAILURES, mode),
        Effect::UsesRation(Ration::SpuriousWakes, mode) => (CLOCK.object, SPURIOUS_WAKES, mode),
        Effect::Granted(_)
        | Effect::LeavesUnchanged
        | Effect::Stores(_)
        | Effect::FollowsAll
        | Effect::GoesOn => return,
    };
    add_access(accesses, object, part, mode);
}

/// Adds that a task stands before a plain access.
fn add_user(accesses: &mut Vec<Access>, cell: ObjectId, lazy: Mode) {
    let location = Location {
        object: cell,
        part: USERS,
    };
    let access = Access {
        location,
        mode: Mode::Read,
        lazy,
    };
    merge_access(accesses, access);
}

fn add_access(accesses: &mut Vec<Access>, object: ObjectId, part: u32, mode: Mode) {
    let location = Location { object, part };
    let access = Access {
        location,
        mode,
        lazy: mode,
    };
    merge_access(accesses, access);
}

/// A transition that touches a location twice touches it once, in the mode that covers both.
pub fn merge_access(accesses: &mut Vec<Access>, access: Access) {
    let cover = |one: Mode, other: Mode| if one == other { one } else { Mode::Write };
    let mut known = accesses.iter_mut();
    match known.find(|known| known.location == access.location) {
        Some(known) => {
            known.mode = cover(known.mode, access.mode);
            known.lazy = cover(known.lazy, access.lazy);
        }
        None => accesses.push(access),
    }
}
