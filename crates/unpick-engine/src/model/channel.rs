//! Channels: queues with a limit, and rendezvous.
//!
//! At a rendezvous a task comes to send or to receive, and both are noticed: an attempt to receive takes what
//! a sender offers who waits, and an attempt to send succeeds if a receiver waits who was offered nothing.
//! Whoever comes and finds the other one goes on at once; otherwise it waits, by a second operation.

use crate::{Execution, Grant, object::State, recording::Call};
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

impl Execution {
    pub(super) fn is_receiving(&self, channel: ObjectId) -> bool {
        let mut waiting = self.objects[channel.index()].waiting.bits().iter();
        waiting.any(|task| self.tasks[task.index()].op.kind == OpKind::Receive)
    }

    /// Takes in a task that is about to send or to receive.
    #[inline(always)]
    pub(crate) fn arrive_at_channel(&mut self, task: TaskId, op: Op) {
        let object = &mut self.objects[op.object.index()];
        let State::Channel { capacity: None, .. } = object.state else {
            return self.arrive_at_limited_channel(task, op);
        };
        if op.kind == OpKind::Receive && !op.timed {
            self.arrive_at_receive(task, op);
        }
    }

    /// Takes in a task that is about to receive from a channel without a limit, without a deadline.
    #[inline(never)]
    fn arrive_at_receive(&mut self, task: TaskId, op: Op) {
        let object = &mut self.objects[op.object.index()];
        object.begin_wait(task);
        if let State::Channel {
            queued: 0,
            senders: 1..,
            ..
        } = object.state
        {
            self.hold_up(task);
        }
    }

    #[inline(never)]
    fn arrive_at_limited_channel(&mut self, task: TaskId, op: Op) {
        let mut enabled = true;
        if op.kind == OpKind::Receive || op.kind == OpKind::Send {
            self.objects[op.object.index()].begin_wait(task);
            enabled = op.timed || self.is_possible(task, &op);
        }
        self.set_enabled(task, enabled);
    }

    /// Sends or receives without a deadline. Channels without a limit have a short way; only receivers wait
    /// for them, and all for the same.
    #[inline(never)]
    pub(crate) fn perform_on_channel(&mut self, task: TaskId, op: Op) {
        let object = &mut self.objects[op.object.index()];
        let State::Channel {
            capacity: None,
            queued,
            senders,
            receiver,
            ..
        } = &mut object.state
        else {
            return self.perform_on_other_channel(task, op);
        };
        if op.kind == OpKind::Receive {
            if *queued == 0 {
                return self.perform_on_other_channel(task, op);
            }
            *queued -= 1;
            let is_dry = *queued == 0 && *senders > 0;
            object.end_wait(task);
            if is_dry && object.waiting_count > 0 {
                self.enabled_count -= object.waiting_count;
                self.enabled.remove_all(object.waiting.bits());
            }
        } else {
            if !*receiver {
                return self.perform_on_other_channel(task, op);
            }
            *queued += 1;
            if *queued == 1 && *senders > 0 && object.waiting_count > 0 {
                self.enable_receivers(op.object);
            }
        }
        self.note_change(task);
    }

    /// Performs an operation on a channel that is always possible. The ends of channels without a limit have
    /// a short way.
    #[inline(never)]
    pub(crate) fn perform_at_once_on_channel(&mut self, task: TaskId, op: Op) {
        let object = &mut self.objects[op.object.index()];
        let State::Channel {
            capacity: None,
            queued,
            senders,
            receiver,
            ..
        } = &mut object.state
        else {
            return self.perform_on_other_channel(task, op);
        };
        match op.kind {
            OpKind::SenderDrop => {
                *senders -= 1;
                if *senders == 0 && *queued == 0 && object.waiting_count > 0 {
                    self.enable_receivers(op.object);
                }
            }
            OpKind::ReceiverDrop => *receiver = false,
            _ => return self.perform_on_other_channel(task, op),
        }
        self.note_change(task);
    }

    /// There is something to receive, or never will be.
    #[inline(never)]
    fn enable_receivers(&mut self, channel: ObjectId) {
        let object = &self.objects[channel.index()];
        self.enabled_count += object.waiting_count;
        self.enabled.insert_all(object.waiting.bits());
    }

    #[inline(never)]
    fn perform_on_other_channel(&mut self, task: TaskId, op: Op) {
        self.objects[op.object.index()].end_any_wait(task);
        let grant = self.apply_channel(task, &op);
        self.granted = grant;
        match grant {
            Grant::Refused if !op.is_arrival() => self.note_idle(task),
            _ => self.note_change(task),
        }
        if grant != Grant::Done {
            self.note_deviation(grant);
        }
        self.refresh(op.object);
    }

    pub(super) fn apply_channel(&mut self, task: TaskId, op: &Op) -> Grant {
        let State::Channel {
            capacity,
            queued,
            senders,
            receiver,
            ..
        } = &mut self.objects[op.object.index()].state
        else {
            not_a_channel(*op);
        };
        let has_room = match *capacity {
            None => true,
            Some(0) => return self.apply_rendezvous(task, op),
            Some(limit) => *queued < limit,
        };
        use_channel(op.kind, has_room, queued, senders, receiver)
    }

    fn apply_rendezvous(&mut self, task: TaskId, op: &Op) -> Grant {
        let is_receiving = self.is_receiving(op.object);
        let State::Channel {
            queued,
            senders,
            receiver,
            offered,
            ..
        } = &mut self.objects[op.object.index()].state
        else {
            not_a_channel(*op);
        };
        let meets = *queued == 0 && is_receiving;
        match op.kind {
            OpKind::Send if *offered - *queued >= self.tasks[task.index()].ticket => Grant::Done,
            OpKind::Send => Grant::Closed,
            OpKind::TrySend if *receiver && (meets || op.is_arrival()) => {
                *queued += 1;
                *offered += 1;
                self.tasks[task.index()].ticket = *offered;
                if meets { Grant::Done } else { Grant::Refused }
            }
            kind => use_channel(kind, false, queued, senders, receiver),
        }
    }

    /// Another sender of a channel comes into being, within the transition of some other operation.
    pub fn add_sender(&mut self, channel: ObjectId) {
        self.record(Call::AddSender(channel));
        if let State::Channel { senders, .. } = &mut self.objects[channel.index()].state {
            *senders += 1;
        }
    }
}

/// Performs an operation on the parts of a channel.
#[inline(always)]
fn use_channel(
    kind: OpKind,
    has_room: bool,
    queued: &mut u32,
    senders: &mut u32,
    receiver: &mut bool,
) -> Grant {
    match kind {
        OpKind::Send | OpKind::TrySend => match (*receiver, has_room) {
            (false, _) => return Grant::Closed,
            (true, false) => return Grant::Refused,
            (true, true) => *queued += 1,
        },
        OpKind::Receive | OpKind::TryReceive => match (*queued, *senders) {
            (0, 0) => return Grant::Closed,
            (0, _) => return Grant::Refused,
            _ => *queued -= 1,
        },
        OpKind::SenderDrop => *senders -= 1,
        _ => *receiver = false,
    }
    Grant::Done
}

#[cold]
fn not_a_channel(op: Op) -> ! {
    panic!("internal error: {op:?} needs a channel");
}
