//! States of shared objects.

use alloc::vec::Vec;
use unpick_trace::{ObjectId, ObjectKind, SiteId, TaskId, TaskSet};

/// What an object is made as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A memory location.
    Variable,
    /// An exclusive lock.
    Mutex,
    /// A reader-writer lock.
    RwLock,
    /// A condition variable.
    Condvar,
    /// A semaphore with this many permits.
    Semaphore {
        /// Permits at the start.
        permits: u32,
    },
    /// A barrier for this many tasks; zero and one never block.
    Barrier {
        /// Tasks that must arrive.
        size: u32,
    },
    /// A one-time initialisation.
    Once {
        /// Whether it was done before the execution began.
        done: bool,
    },
    /// A channel with one sender and one receiver.
    Channel {
        /// Messages it holds before senders block: zero is a rendezvous, `None` has no limit.
        capacity: Option<u32>,
    },
}

impl Shape {
    pub(crate) fn kind(self) -> ObjectKind {
        match self {
            Shape::Variable => ObjectKind::Variable,
            Shape::Mutex => ObjectKind::Mutex,
            Shape::RwLock => ObjectKind::RwLock,
            Shape::Condvar => ObjectKind::Condvar,
            Shape::Semaphore { .. } => ObjectKind::Semaphore,
            Shape::Barrier { .. } => ObjectKind::Barrier,
            Shape::Once { .. } => ObjectKind::Once,
            Shape::Channel { .. } => ObjectKind::Channel,
        }
    }
}

/// A lock that a task holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The lock.
    pub object: ObjectId,
    /// Where it was taken.
    pub site: SiteId,
    /// Whether others may hold it, too.
    pub is_shared: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Task {
        finished: bool,
        token: bool,
    },
    Variable,
    Mutex {
        owner: Option<TaskId>,
    },
    RwLock {
        writer: Option<TaskId>,
        readers: u32,
    },
    /// `serial` numbers the waiters in order of enlistment; `waiting` counts those not yet woken.
    Condvar {
        serial: u32,
        waiting: u32,
    },
    Semaphore {
        permits: u32,
    },
    /// `generation` counts the rounds that are over.
    Barrier {
        size: u32,
        arrived: u32,
        generation: u32,
    },
    Once {
        runner: Option<TaskId>,
        done: bool,
    },
    /// `offered` counts the messages that were put into a rendezvous, also those that wait there.
    Channel {
        capacity: Option<u32>,
        queued: u32,
        senders: u32,
        receiver: bool,
        offered: u32,
    },
    /// The stores of a task that wait.
    Buffer {
        queued: u32,
    },
}

impl From<Shape> for State {
    fn from(shape: Shape) -> State {
        match shape {
            Shape::Variable => State::Variable,
            Shape::Mutex => State::Mutex { owner: None },
            Shape::RwLock => State::RwLock {
                writer: None,
                readers: 0,
            },
            Shape::Condvar => State::Condvar {
                serial: 0,
                waiting: 0,
            },
            Shape::Semaphore { permits } => State::Semaphore { permits },
            Shape::Barrier { size } => State::Barrier {
                size,
                arrived: 0,
                generation: 0,
            },
            Shape::Once { done } => State::Once { runner: None, done },
            Shape::Channel { capacity } => State::Channel {
                capacity,
                queued: 0,
                senders: 1,
                receiver: true,
                offered: 0,
            },
        }
    }
}

/// A slot for an object; slots are reused from execution to execution.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub state: State,
    /// The tasks whose next operation is one on this object that is not always possible. A mutex, a task
    /// and a channel without a limit leave out those that can give up.
    pub waiting: TaskSet,
    /// Invariant: the size of `waiting`.
    pub waiting_count: usize,
    /// Notifications of a condition variable that no waiter has consumed yet. Each is the serial
    /// below which a waiter may consume it.
    ///
    /// Invariant: ascending, and at most as many as there are waiters (a notification beyond that
    /// is lost), so that each can still be consumed whichever waiter comes first.
    pub tokens: Vec<u32>,
}

impl Object {
    pub fn new(state: State) -> Object {
        Object {
            state,
            waiting: TaskSet::new(),
            waiting_count: 0,
            tokens: Vec::new(),
        }
    }

    /// Uses the slot for another object.
    #[inline]
    pub fn renew(&mut self, state: State) {
        self.state = state;
        if self.waiting_count > 0 {
            self.waiting.clear();
            self.waiting_count = 0;
        }
        self.tokens.clear();
    }

    /// Whether there is a notification that the waiter with this serial may consume.
    #[inline]
    pub fn has_token_for(&self, serial: u32) -> bool {
        self.tokens.last().is_some_and(|&top| serial < top)
    }

    /// Notes that a task waits, which did not.
    #[inline]
    pub fn begin_wait(&mut self, task: TaskId) {
        self.waiting.insert(task);
        self.waiting_count += 1;
    }

    /// Notes that a task no longer waits, which did.
    #[inline]
    pub fn end_wait(&mut self, task: TaskId) {
        self.waiting.remove(task);
        self.waiting_count -= 1;
    }

    /// Notes that a task no longer waits, if it did.
    #[inline]
    pub fn end_any_wait(&mut self, task: TaskId) {
        self.waiting_count -= usize::from(self.waiting.remove(task));
    }
}
