//! Visible operations: everything a task can do that another task may notice.

use crate::ObjectId;
use core::sync::atomic::Ordering;
use serde::{Deserialize, Serialize};

/// What kind of thing an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum ObjectKind {
    /// A task, as the object of spawn, join, park and unpark.
    Task,
    /// A memory location accessed by atomic or plain operations.
    Variable,
    /// An exclusive lock.
    Mutex,
    /// A lock with shared and exclusive holders.
    RwLock,
    /// A condition variable.
    Condvar,
    /// A counting semaphore.
    Semaphore,
    /// A cyclic barrier.
    Barrier,
    /// A one-time initialisation.
    Once,
    /// A queue of messages.
    Channel,
    /// The stores of a task that the others cannot see yet.
    Buffer,
}

impl ObjectKind {
    /// The kind in words, for reports.
    pub fn word(self) -> &'static str {
        match self {
            ObjectKind::Task => "task",
            ObjectKind::Variable => "variable",
            ObjectKind::Mutex => "mutex",
            ObjectKind::RwLock => "rwlock",
            ObjectKind::Condvar => "condvar",
            ObjectKind::Semaphore => "semaphore",
            ObjectKind::Barrier => "barrier",
            ObjectKind::Once => "once",
            ObjectKind::Channel => "channel",
            ObjectKind::Buffer => "store buffer",
        }
    }
}

/// The kinds of visible operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum OpKind {
    /// Create one or more tasks. The object is not known before the operation is performed.
    Spawn,
    /// Wait for the end of a task.
    Join,
    /// Let others go first.
    Yield,
    /// Let virtual time pass.
    Sleep,
    /// Acquire a mutex.
    Lock,
    /// Acquire a mutex if it is free.
    TryLock,
    /// Release a mutex.
    Unlock,
    /// Acquire a reader-writer lock for reading.
    ReadLock,
    /// Acquire a reader-writer lock for reading if that is possible at once.
    TryReadLock,
    /// Release one reader.
    ReadUnlock,
    /// Acquire a reader-writer lock for writing.
    WriteLock,
    /// Acquire a reader-writer lock for writing if that is possible at once.
    TryWriteLock,
    /// Release the writer.
    WriteUnlock,
    /// Wait for a notification; the task enlisted as a waiter in the transition before.
    Wait,
    /// Wake one waiter, if there is one.
    NotifyOne,
    /// Wake all waiters.
    NotifyAll,
    /// Take permits of a semaphore.
    Acquire,
    /// Take permits of a semaphore if they are there.
    TryAcquire,
    /// Give permits back.
    Release,
    /// Arrive at a barrier, or leave one at which enough tasks have arrived.
    BarrierWait,
    /// Enter a one-time initialisation, or pass it when it is done.
    OnceEnter,
    /// Finish a one-time initialisation.
    OnceLeave,
    /// Look whether a one-time initialisation is done.
    OnceRead,
    /// Put a message into a channel.
    Send,
    /// Put a message into a channel if there is room.
    TrySend,
    /// Take a message out of a channel.
    Receive,
    /// Take a message out of a channel if there is one.
    TryReceive,
    /// One sender of a channel goes away.
    SenderDrop,
    /// The receiver of a channel goes away.
    ReceiverDrop,
    /// Wait for the own token.
    Park,
    /// Give a task its token.
    Unpark,
    /// Atomic read.
    Load,
    /// Atomic write.
    Store,
    /// Atomic read-modify-write that always writes.
    ReadModifyWrite,
    /// Atomic compare-and-exchange.
    CompareExchange,
    /// Memory fence.
    Fence,
    /// Non-atomic read of a tracked cell.
    PlainRead,
    /// Non-atomic write of a tracked cell.
    PlainWrite,
    /// Begin a function that was named as a scheduling point. What it does is not known.
    Enter,
    /// A store leaves the buffer of its task, and all can see it.
    Flush,
    /// Wait until all can see the own stores.
    Drain,
    /// Wait until nobody else can go on, and all who have not ended wait for messages.
    Quiesce,
    /// End the process, or begin to: what the other tasks have not done by the end they never do.
    End,
    /// Look whether a task has ended.
    TryJoin,
}

#[inline(always)]
const fn order_code(order: Ordering) -> u16 {
    match order {
        Ordering::AcqRel => 1,
        Ordering::Acquire => 2,
        Ordering::Release => 3,
        Ordering::Relaxed => 4,
        _ => 0,
    }
}

/// How an operation uses its object, as reductions see it. Calling anything a write is sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Touches no object.
    None,
    /// Leaves the object as it is.
    Read,
    /// May change the object.
    Write,
}

/// One visible operation, as announced before it is performed.
/// Eight bytes, so that it travels in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(C, align(8))]
pub struct Op {
    /// What is done.
    pub kind: OpKind,
    /// Whether a blocking operation may give up because time has passed.
    pub timed: bool,
    /// Permits for a semaphore, success for the end of an initialisation, [`Op::BUFFERED`] and
    /// [`Op::ORDERED`] for a write, [`Op::IDLE`] for a receive, [`Op::orders`] for an atomic operation and
    /// a fence, [`Op::ARRIVAL`] where a task comes to wait, [`Op::PREFERRED`] for a writer; zero for everything
    /// else.
    pub argument: u16,
    /// To which object.
    pub object: ObjectId,
}

impl Op {
    /// The argument of a write that others cannot see before it has left the buffer of its task; of a fence:
    /// writes behind it leave the buffer after those before it.
    pub const BUFFERED: u16 = 1;
    /// Added to it if the write leaves the buffer after all that are there before it; of a fence: it
    /// waits until the buffer is empty.
    pub const ORDERED: u16 = 2;
    /// The argument of a receive by a task that has nothing else to do: it is no deadlock if no message
    /// comes.
    pub const IDLE: u16 = 1;
    /// The argument of an operation by which a task comes to wait where others can notice it: it is always
    /// possible, and what it waits for is the operation after it.
    pub const ARRIVAL: u16 = 1;
    /// The argument of a wait to write behind which readers wait, and of a reader that does not.
    pub const PREFERRED: u16 = 1;
    /// For a look whether something is initialised by a task that waits for it.
    pub const WAITS: u16 = 1;
    /// Where the memory order of an atomic operation or a fence stands in its argument, and the order of
    /// an exchange that fails.
    const ORDER_SHIFTS: [u32; 2] = [2, 5];
    const ORDER_MASK: u16 = 0b111;

    /// What an atomic operation or a fence adds to its argument: its memory order, and the order of an
    /// exchange that fails. Zero is sequentially consistent, as operations of older traces count.
    #[inline(always)]
    pub const fn orders(success: Ordering, failure: Ordering) -> u16 {
        order_code(success) << Op::ORDER_SHIFTS[0] | order_code(failure) << Op::ORDER_SHIFTS[1]
    }

    /// The memory order of an atomic operation or a fence.
    pub fn order(&self) -> Ordering {
        self.order_at(Op::ORDER_SHIFTS[0])
    }

    /// The memory order of an exchange that fails.
    pub fn failure_order(&self) -> Ordering {
        self.order_at(Op::ORDER_SHIFTS[1])
    }

    fn order_at(&self, shift: u32) -> Ordering {
        match self.argument >> shift & Op::ORDER_MASK {
            1 => Ordering::AcqRel,
            2 => Ordering::Acquire,
            3 => Ordering::Release,
            4 => Ordering::Relaxed,
            _ => Ordering::SeqCst,
        }
    }

    /// The operation without its memory orders: two operations that differ in nothing else are the same
    /// one for schedules.
    #[inline]
    pub fn without_orders(self) -> Op {
        use OpKind::{CompareExchange, Fence, Load, ReadModifyWrite, Store};
        let orders = match self.kind {
            Load | Store | ReadModifyWrite | CompareExchange | Fence => {
                Op::ORDER_SHIFTS.map(|shift| Op::ORDER_MASK << shift)
            }
            _ => [0; 2],
        };
        Op {
            argument: self.argument & !(orders[0] | orders[1]),
            ..self
        }
    }

    /// Whether this is a write that others cannot see at once.
    #[inline]
    pub fn is_buffered(&self) -> bool {
        matches!(self.kind, OpKind::Store | OpKind::PlainWrite) && self.argument & Op::BUFFERED != 0
    }

    /// Whether this is a fence that keeps later writes of its task in the buffer until earlier ones have left.
    #[inline]
    pub fn keeps_order(&self) -> bool {
        self.kind == OpKind::Fence && self.argument & Op::BUFFERED != 0
    }

    /// Whether a task that waits here has nothing to do until a message comes.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.kind == OpKind::Receive && self.argument == Op::IDLE
    }

    /// Whether a task comes to wait by this operation, if it has to: at a barrier, or where an attempt to
    /// write, to send or to receive is refused.
    #[inline]
    pub fn is_arrival(&self) -> bool {
        use OpKind::{BarrierWait, TryReceive, TrySend, TryWriteLock};
        self.argument == Op::ARRIVAL
            && matches!(self.kind, BarrierWait | TryWriteLock | TrySend | TryReceive)
    }

    /// Whether this asks for no permit: a look at how many a semaphore has.
    #[inline]
    pub fn is_look(&self) -> bool {
        self.kind == OpKind::TryAcquire && self.argument == 0
    }

    /// The same operation by which a task comes to wait.
    #[inline]
    pub fn arrival(kind: OpKind, object: ObjectId) -> Op {
        Op {
            argument: Op::ARRIVAL,
            ..Op::new(kind, object)
        }
    }

    /// An untimed operation on `object`.
    #[inline]
    pub fn new(kind: OpKind, object: ObjectId) -> Op {
        Op {
            kind,
            timed: false,
            argument: 0,
            object,
        }
    }

    /// The same operation with a deadline.
    #[inline]
    pub fn timed(kind: OpKind, object: ObjectId) -> Op {
        Op {
            timed: true,
            ..Op::new(kind, object)
        }
    }

    /// The operation as a verb, for reports.
    pub fn verb(&self) -> &'static str {
        match self.kind {
            OpKind::TryWriteLock if self.is_arrival() => OpKind::WriteLock.verb(),
            OpKind::TrySend if self.is_arrival() => OpKind::Send.verb(),
            OpKind::TryReceive if self.is_arrival() => OpKind::Receive.verb(),
            OpKind::TryAcquire if self.is_look() => OpKind::Load.verb(),
            kind => kind.verb(),
        }
    }

    /// Whether the operation is read-like or write-like on its object.
    pub fn access(&self) -> Access {
        use OpKind::*;
        match self.kind {
            Yield | Sleep | Fence | Quiesce => Access::None,
            End if self.object == ObjectId::NONE => Access::None,
            _ if self.is_buffered() => Access::None,
            _ if self.is_arrival() => Access::Write,
            _ if self.is_look() => Access::Read,
            Load | PlainRead | Join | TryJoin | BarrierWait | OnceRead | Drain => Access::Read,
            _ => Access::Write,
        }
    }

    /// Whether the order of two operations of different tasks may matter: same object, and at least
    /// one of them may change it; or one of them ends the process.
    #[inline]
    pub fn conflicts_with(&self, other: &Op) -> bool {
        let is_same = self.object == other.object && self.object != ObjectId::NONE;
        is_same && (self.access() == Access::Write || other.access() == Access::Write)
            || self.kind == OpKind::End
            || other.kind == OpKind::End
    }

    /// Whether the operation has a timer: a sleep, or a blocking operation with a deadline.
    #[inline]
    pub fn has_timer(&self) -> bool {
        self.timed || self.kind == OpKind::Sleep
    }

    /// Whether the operation itself asks to let others go first: a yield, a sleep, or a blocking
    /// operation with a deadline.
    #[inline]
    pub fn yields(&self) -> bool {
        self.has_timer() || self.kind == OpKind::Yield
    }
}

impl OpKind {
    /// How many kinds there are.
    pub const COUNT: usize = OpKind::TryJoin as usize + 1;

    /// The operation as a verb, for reports.
    pub fn verb(self) -> &'static str {
        use OpKind::*;
        match self {
            Spawn => "spawn",
            Join => "join",
            Yield => "yield",
            Sleep => "sleep",
            Lock => "lock",
            TryLock => "try_lock",
            Unlock => "unlock",
            ReadLock => "read",
            TryReadLock => "try_read",
            ReadUnlock => "read_unlock",
            WriteLock => "write",
            TryWriteLock => "try_write",
            WriteUnlock => "write_unlock",
            Wait => "wait",
            NotifyOne => "notify_one",
            NotifyAll => "notify_all",
            Acquire => "acquire",
            TryAcquire => "try_acquire",
            Release => "release",
            BarrierWait => "barrier",
            OnceEnter => "call_once",
            OnceLeave => "once_done",
            OnceRead => "is_completed",
            Send => "send",
            TrySend => "try_send",
            Receive => "recv",
            TryReceive => "try_recv",
            SenderDrop => "drop_sender",
            ReceiverDrop => "drop_receiver",
            Park => "park",
            Unpark => "unpark",
            Load => "load",
            Store => "store",
            ReadModifyWrite => "rmw",
            CompareExchange => "compare_exchange",
            Fence => "fence",
            PlainRead => "cell_read",
            PlainWrite => "cell_write",
            Enter => "enter",
            Flush => "flush",
            Drain => "drain",
            Quiesce => "quiesce",
            End => "exit",
            TryJoin => "is_finished",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

    #[test]
    fn orders_are_read_back_and_leave_the_rest_alone() {
        for success in [SeqCst, AcqRel, Acquire, Release, Relaxed] {
            for failure in [SeqCst, Acquire, Relaxed] {
                let argument = Op::BUFFERED | Op::ORDERED;
                let bare = Op {
                    argument,
                    ..Op::new(OpKind::Store, ObjectId(3))
                };
                let op = Op {
                    argument: argument | Op::orders(success, failure),
                    ..bare
                };
                assert_eq!((op.order(), op.failure_order()), (success, failure));
                assert_eq!(op.without_orders(), bare);
                assert!(op.is_buffered());
            }
        }
        // The argument of everything else has nothing to do with orders.
        let permits = Op {
            argument: u16::MAX,
            ..Op::new(OpKind::Acquire, ObjectId(3))
        };
        assert_eq!(permits.without_orders(), permits);
    }
}
