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
        };
        (0..history.events().len()).for_each(|event| object.perform(history, event));
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
            ..object
        }
    }

    pub fn perform(&mut self, history: &History, event: usize) {
        let past = &history.events()[event];
        if past.op.object == self.object {
            let mut accesses = history.accesses(event).iter();
            let changes = accesses
                .any(|access| access.location.object == self.object && access.mode == Mode::Write);
            self.apply(&past.op, past.is_refused, changes);
        }
        for (op, grant) in history.further(event) {
            if op.object == self.object {
                let is_refused = !matches!(grant, Grant::Done | Grant::Leader);
                self.apply(op, is_refused, *grant == Grant::Leader);
            }
        }
    }

    /// An operation is performed on the object. `changes`: whether one that may begin an initialisation does.
    fn apply(&mut self, op: &Op, is_refused: bool, changes: bool) {
        use OpKind::*;
        match op.kind {
            SenderDrop => self.senders -= 1,
            ReceiverDrop => self.has_receiver = false,
            TryWriteLock if is_refused => {
                self.writers_waiting += i64::from(op.is_arrival());
            }
            // What is offered waits to be taken, and the sender goes on by a second operation.
            TrySend if op.is_arrival() => self.count += i64::from(self.has_receiver),
            Send if self.room == Some(0) => {}
            _ if is_refused => {}
            WriteLock if self.writers_waiting > 0 => {
                self.writers_waiting -= 1;
                self.is_held = true;
            }
            Lock | TryLock | WriteLock | TryWriteLock => self.is_held = true,
            Unlock | WriteUnlock | OnceLeave => self.is_held = false,
            OnceEnter => self.is_held |= changes,
            ReadLock | TryReadLock => self.readers += 1,
            ReadUnlock => self.readers -= 1,
            Acquire | TryAcquire => self.count -= i64::from(op.argument),
            Release => self.count += i64::from(op.argument),
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

/// Whether an operation follows one by which its task has come to wait for what others do at a barrier or a
/// rendezvous.
pub(super) fn follows_arrival(execution: &Execution, op: &Op) -> bool {
    op.kind == OpKind::BarrierWait || execution.capacity(op.object) == Some(0)
}

/// Whether a task that has come to wait can go on after these events: enough others have arrived at the
/// barrier, or its message was taken, or never will be.
pub(super) fn can_go_on(
    races: &Races<'_>,
    kept: impl Iterator<Item = usize>,
    second: &Unit,
) -> bool {
    use OpKind::{Receive, ReceiverDrop, TryReceive, TrySend};
    let (mut came, mut taken): (Vec<TaskId>, usize) = (Vec::new(), 0);
    for event in kept.map(|event| &races.history.events()[event]) {
        match event.op.kind {
            _ if event.op.object != second.op.object => {}
            ReceiverDrop => return true,
            Receive | TryReceive => taken += usize::from(!event.is_refused),
            TrySend if !event.is_refused => came.push(event.task),
            _ if event.op.is_arrival() => came.push(event.task),
            _ => {}
        }
    }
    let Some(own) = came.iter().rposition(|&task| task == second.task) else {
        return false;
    };
    let parties = races.execution.parties(second.op.object);
    match second.op.kind {
        OpKind::BarrierWait => came.len() >= (own / parties + 1) * parties,
        _ => taken > own,
    }
}
