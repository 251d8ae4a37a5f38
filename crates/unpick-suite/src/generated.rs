//! Random small programs, for judging techniques by their hundreds and thousands.
//!
//! A program is data: it can be made from a number ([`generate`]), printed, executed by the little
//! interpreter here ([`run`]), and made smaller while it keeps showing a fault ([`shrink`]). While
//! it is executed it keeps a [`Record`] outside of everything the engine knows of, so that the
//! state of an execution that ends in the middle is known too.
//!
//! Programs keep to the rule on which reductions stand: tasks influence each other through visible
//! operations only. So a task unparks or joins nobody but its kin, whose handles it was given, and
//! every task has a sender of its own.

mod generator;
mod interpreter;
mod record;
mod shared_cell;
mod shrinker;
mod strewn;
mod text;

pub(crate) use generator::SplitMix64;
pub use generator::generate;
pub use interpreter::run;
pub use record::{DataAccess, Deviation, Log, Ordered, Record, TaskRecord};
pub(crate) use shared_cell::SharedCell;
pub use shrinker::shrink;
use std::sync::atomic::Ordering;
pub use strewn::{strew_cells, strew_orders};

/// How many mutexes, with a number inside each, a program has.
pub const MUTEXES: usize = 2;
/// How many atomic numbers.
pub const ATOMICS: usize = 2;
/// How many plain cells; cell `i` is meant to be used under mutex `i`.
pub const CELLS: usize = 2;
/// How many condition variables.
pub const CONDVARS: usize = 1;
/// How many reader-writer locks, with a number inside each.
pub const RWLOCKS: usize = 1;
/// How many tasks meet at the barrier; a program may have more.
pub const PARTIES: usize = 2;

/// Which operations a program is made of. One flavour for each kind, so that what goes wrong can be
/// put down to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flavour {
    /// Mutexes, nested too, the data inside them, and atomics.
    Locks,
    /// As locks, with `try_lock` and branches on what came of it.
    Tries,
    /// Atomics, and branches on what was read.
    Atomics,
    /// Mutexes and plain cells, sometimes without the mutex.
    Cells,
    /// Mutexes and condition variables without predicates.
    Condvars,
    /// All of the above.
    Mixed,
    /// Reader-writer locks and atomics.
    Rwlocks,
    /// A channel with or without a limit, and atomics.
    Channels,
    /// A channel without room.
    Rendezvous,
    /// Park and unpark, and atomics.
    Parks,
    /// Mutexes, atomics, and panics that depend on what was read.
    Panics,
    /// A barrier for fewer tasks than there may be, atomics, park and unpark, and panics.
    Barriers,
}

impl Flavour {
    /// All of them.
    pub const ALL: &'static [Flavour] = &[
        Flavour::Locks,
        Flavour::Tries,
        Flavour::Atomics,
        Flavour::Cells,
        Flavour::Condvars,
        Flavour::Mixed,
        Flavour::Rwlocks,
        Flavour::Channels,
        Flavour::Rendezvous,
        Flavour::Parks,
        Flavour::Panics,
        Flavour::Barriers,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Flavour::Locks => "locks",
            Flavour::Tries => "tries",
            Flavour::Atomics => "atomics",
            Flavour::Cells => "cells",
            Flavour::Condvars => "condvars",
            Flavour::Mixed => "mixed",
            Flavour::Rwlocks => "rwlocks",
            Flavour::Channels => "channels",
            Flavour::Rendezvous => "rendezvous",
            Flavour::Parks => "parks",
            Flavour::Panics => "panics",
            Flavour::Barriers => "barriers",
        }
    }

    /// The flavour of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Flavour> {
        Flavour::ALL
            .iter()
            .copied()
            .find(|flavour| flavour.name() == name)
    }
}

/// Something a task does: one visible operation, a block with one at its beginning and one at its
/// end, or a branch. Every task has one local number, `r`, which is zero at first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Create the task of this number.
    Spawn(usize),
    /// Wait for the end of a child; nothing if it was not created or joined before.
    Join(usize),
    /// Lock, the statements, unlock.
    Lock(usize, Vec<Statement>),
    /// Try to lock; the first statements and unlock if it worked, the second ones if not.
    TryLock(usize, Vec<Statement>, Vec<Statement>),
    /// Read the number inside the innermost mutex that is held into `r`.
    DataRead,
    /// Write the number inside the innermost mutex that is held.
    DataWrite(u32),
    /// Add to the number inside the innermost mutex that is held; `r` is what it was before.
    DataAdd(u32),
    /// Wait, with the innermost mutex that is held.
    Wait(usize),
    /// Wake one waiter.
    NotifyOne(usize),
    /// Wake all waiters.
    NotifyAll(usize),
    /// Read an atomic into `r`.
    Load(usize),
    /// Write a constant into an atomic.
    Store(usize, u32),
    /// Write `r` into an atomic.
    StoreLocal(usize),
    /// Add to an atomic; `r` is what it was before.
    Add(usize, u32),
    /// Exchange the first value for the second; `r` is what it was before.
    CompareExchange(usize, u32, u32),
    /// The statements, if `r` has this value.
    If(u32, Vec<Statement>),
    /// Read a plain cell into `r`.
    CellRead(usize),
    /// Write a plain cell.
    CellWrite(usize, u32),
    /// Lock for reading, read the number inside into `r`, the statements, unlock.
    ReadLock(usize, Vec<Statement>),
    /// Lock for writing, write the number inside, the statements, unlock.
    WriteLock(usize, u32, Vec<Statement>),
    /// Try to lock for reading; read the number inside and unlock if it worked.
    TryReadLock(usize),
    /// Try to lock for writing; write the number inside and unlock if it worked.
    TryWriteLock(usize, u32),
    /// Send.
    Send(u32),
    /// Send if there is room; as `Send` if the channel has no limit.
    TrySend(u32),
    /// Receive into `r`. Only the receiving task can.
    Receive,
    /// Receive into `r` if there is something. Only the receiving task can.
    TryReceive,
    /// Wait for the own token.
    Park,
    /// Give a forebear or a child its token; nothing if it is neither.
    Unpark(usize),
    /// Panic if `r` has this value.
    PanicIf(u32),
    /// Meet others at the barrier; `r` is whether the task leads.
    Meet,
    /// A statement about an atomic in these memory orders, as far as they fit it; without this, it is
    /// sequentially consistent.
    Ordered(Orders, Box<Statement>),
    /// A memory fence; nothing if it is relaxed.
    Fence(Ordering),
}

/// The memory order of an atomic operation, and of an exchange that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orders {
    /// The order.
    pub success: Ordering,
    /// That of an exchange that fails.
    pub failure: Ordering,
}

impl Orders {
    /// What all operations have that say nothing.
    pub const SEQ_CST: Orders = Orders {
        success: Ordering::SeqCst,
        failure: Ordering::SeqCst,
    };
}

/// The channel of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// How many messages fit in; `None` is no limit.
    pub capacity: Option<usize>,
    /// The task that receives.
    pub receiver: usize,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What each task does. The first one is there from the beginning; another one exists once it
    /// has been created, which at most one statement does, in a task before it.
    pub tasks: Vec<Vec<Statement>>,
    /// The channel, if there is one.
    pub channel: Option<Channel>,
}

impl Statement {
    /// The blocks of statements inside this one.
    fn blocks(&self) -> Vec<&Vec<Statement>> {
        match self {
            Statement::Lock(_, body)
            | Statement::If(_, body)
            | Statement::ReadLock(_, body)
            | Statement::WriteLock(_, _, body) => vec![body],
            Statement::TryLock(_, taken, refused) => vec![taken, refused],
            _ => Vec::new(),
        }
    }

    fn blocks_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::Lock(_, body)
            | Statement::If(_, body)
            | Statement::ReadLock(_, body)
            | Statement::WriteLock(_, _, body) => vec![body],
            Statement::TryLock(_, taken, refused) => vec![taken, refused],
            _ => Vec::new(),
        }
    }
}
