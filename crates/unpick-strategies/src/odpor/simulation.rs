//! A shared object on its way through part of an execution, to find out whether a blocking operation
//! could be performed then.

use super::race::Races;
use super::units::Unit;
use alloc::vec::Vec;
use unpick_engine::{Access, Execution, Grant, History, Mode};
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

/// An object on its way through the kept part of an execution.
pub(super) struct Simulation {
    object: ObjectId,
    is_held: bool,
    readers: i64,
    /// Writers that have come and wait.
    writers_waiting: i64,
    /// Permits, or messages.
    count: i64,
    /// Messages that were put in, and taken out.
    traffic: (u32, u32),
    /// Messages that fit; `None` if there is no limit.
    room: Option<i64>,
    senders: i64,
    has_receiver: bool,
    /// Whether somebody stands before a receive, which a send without room needs.
    is_receiving: bool,
}

impl Simulation {
    /// The object as it was when the execution began: as it is now, with everything undone.
    pub fn new(execution: &Execution, history: &History, op: &Op) -> Simulation {
        let (permits, senders) = execution.supply(op.object);
        let mut object = Simulation {
            object: op.object,
            is_held: false,
            readers: 0,
            writers_waiting: 0,
            count: 0,
            traffic: (0, 0),
            room: execution.capacity(op.object).map(i64::from),
            senders: 0,
            has_receiver: true,
            is_receiving: false,
        };
        (0..history.events().len()).for_each(|event| object.perform(execution, history, event));
        Simulation {
            is_held: false,
            readers: 0,
            writers_waiting: 0,
            count: match op.kind {
                OpKind::Acquire => i64::from(permits) - object.count,
                _ => 0,
            },
            traffic: (0, 0),
            senders: i64::from(senders) - object.senders,
            has_receiver: true,
            is_receiving: false,
            ..object
        }
    }

    pub fn perform(&mut self, execution: &Execution, history: &History, event: usize) {
        if history.events()[event].op.object == self.object {
            self.apply(history, event);
        }
        if self.room == Some(0) {
            self.is_receiving |= self.comes_to_receive(execution, history, event);
        }
    }

    /// Whether a task comes to stand before a receive within an event: the one that acts, or one
    /// that it creates.
    fn comes_to_receive(&self, execution: &Execution, history: &History, event: usize) -> bool {
        let events = history.events();
        let acts =
            |task: TaskId| task == events[event].task || history.creator_of(task) == Some(event);
        let next = |task: TaskId| {
            let mut later = events[event + 1..].iter();
            let performed = later.find(|later| later.task == task).map(|later| later.op);
            let pending = || {
                execution
                    .is_pending(task)
                    .then(|| execution.pending_op(task))
            };
            performed.or_else(pending)
        };
        let mut tasks = (0..execution.task_count()).map(|index| TaskId(index as u32));
        tasks.any(|task| {
            let op = next(task).filter(|_| acts(task));
            op.is_some_and(|op| op.kind == OpKind::Receive && op.object == self.object)
        })
    }

    fn apply(&mut self, history: &History, event: usize) {
        use OpKind::*;
        let past = &history.events()[event];
        if past.op.kind == Receive {
            self.is_receiving = false;
        }
        match past.op.kind {
            SenderDrop => self.senders -= 1,
            ReceiverDrop => self.has_receiver = false,
            TryWriteLock if past.is_refused => {
                self.writers_waiting += i64::from(past.op.is_arrival());
            }
            _ if past.is_refused => {}
            WriteLock if self.writers_waiting > 0 => {
                self.writers_waiting -= 1;
                self.is_held = true;
            }
            Lock | TryLock | WriteLock | TryWriteLock => self.is_held = true,
            Unlock | WriteUnlock | OnceLeave => self.is_held = false,
            OnceEnter => {
                let mut accesses = history.accesses(event).iter();
                self.is_held |= accesses.any(|access| {
                    access.location.object == self.object && access.mode == Mode::Write
                });
            }
            ReadLock | TryReadLock => self.readers += 1,
            ReadUnlock => self.readers -= 1,
            Acquire | TryAcquire => self.count -= i64::from(past.op.argument),
            Release => self.count += i64::from(past.op.argument),
            Send | TrySend => {
                self.count += 1;
                self.traffic.0 += 1;
            }
            Receive | TryReceive => {
                self.count -= 1;
                self.traffic.1 += 1;
            }
            Unpark => self.count = 1,
            Park => self.count = 0,
            _ => {}
        }
    }

    pub fn admits(&self, op: &Op) -> bool {
        match op.kind {
            OpKind::ReadLock => !self.is_held && self.writers_waiting == 0,
            OpKind::Park => self.count > 0,
            OpKind::Acquire => self.count >= i64::from(op.argument),
            OpKind::Receive => self.count > 0 || self.senders <= 0,
            OpKind::Send if !self.has_receiver => true,
            OpKind::Send if self.room == Some(0) => self.count == 0 && self.is_receiving,
            OpKind::Send => self.room.is_none_or(|room| self.count < room),
            _ => !self.is_held && self.readers == 0,
        }
    }

    /// Adds what an operation on the channel would touch now.
    pub fn add_accesses(
        &self,
        execution: &Execution,
        history: &History,
        op: &Op,
        accesses: &mut Vec<Access>,
    ) {
        let is_send = matches!(op.kind, OpKind::Send | OpKind::TrySend);
        let has_room = self.room.is_none_or(|room| self.count < room);
        let grant = match is_send {
            true if !self.has_receiver => Grant::Closed,
            true if has_room => Grant::Done,
            false if self.count > 0 => Grant::Done,
            false if self.senders <= 0 => Grant::Closed,
            _ => Grant::Refused,
        };
        history.add_on_channel(execution, op, grant, self.traffic, accesses);
    }
}

/// Whether enough tasks have arrived at a barrier, in these events, for the task of a unit to leave it.
pub(super) fn is_round_over(
    races: &Races<'_>,
    kept: impl Iterator<Item = usize>,
    leave: &Unit,
) -> bool {
    let events = kept.map(|event| &races.history.events()[event]);
    let arrivals: Vec<TaskId> = events
        .filter(|event| event.op.is_arrival() && event.op.object == leave.op.object)
        .map(|event| event.task)
        .collect();
    let parties = races.execution.parties(leave.op.object);
    let own = arrivals.iter().rposition(|&task| task == leave.task);
    own.is_some_and(|own| arrivals.len() >= (own / parties + 1) * parties)
}
