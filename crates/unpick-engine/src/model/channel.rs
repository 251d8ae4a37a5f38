//! Channels: queues with a limit, and rendezvous.

use crate::{Effect, Execution, Grant, object::State};
use unpick_trace::{ObjectId, Op, OpKind, TaskId};

impl Execution {
    pub(super) fn is_receiving(&self, channel: ObjectId) -> bool {
        let mut waiting = self.objects[channel.index()].waiting.bits().iter();
        waiting.any(|task| self.tasks[task.index()].op.kind == OpKind::Receive)
    }

    /// Takes in a task that is about to use a channel.
    #[inline(never)]
    pub(crate) fn arrive_at_channel(&mut self, task: TaskId, op: Op) {
        let object = &mut self.objects[op.object.index()];
        let State::Channel {
            capacity,
            queued,
            senders,
            ..
        } = object.state
        else {
            panic!("internal error: {op:?} needs a channel");
        };
        let mut enabled = true;
        if op.kind == OpKind::Receive {
            object.begin_wait(task);
            enabled = op.timed || queued > 0 || senders == 0;
            if capacity == Some(0) {
                // A rendezvous needs to see that the receiver is there.
                self.refresh(op.object);
                self.note(Effect::Arrives(op.object));
            }
        } else if op.kind == OpKind::Send && capacity.is_some() {
            object.begin_wait(task);
            enabled = op.timed || self.is_possible(task, &op);
        }
        self.set_enabled(task, enabled);
    }

    /// Performs an operation without a deadline on a channel.
    #[inline(never)]
    pub(crate) fn perform_on_channel(&mut self, task: TaskId, op: Op) {
        self.objects[op.object.index()].end_wait(task);
        let grant = self.apply_channel(&op);
        self.tasks[task.index()].grant = grant;
        match grant {
            Grant::Refused => self.note_idle(task),
            _ => self.note_change(task),
        }
        if grant != Grant::Done {
            self.note(Effect::Granted(grant));
        }
        self.refresh(op.object);
    }

    #[inline]
    pub(super) fn apply_channel(&mut self, op: &Op) -> Grant {
        let is_rendezvous = matches!(
            self.objects[op.object.index()].state,
            State::Channel {
                capacity: Some(0),
                ..
            }
        );
        let receiving = is_rendezvous && self.is_receiving(op.object);
        let State::Channel {
            capacity,
            queued,
            senders,
            receiver,
        } = &mut self.objects[op.object.index()].state
        else {
            panic!("internal error: {op:?} needs a channel");
        };
        match op.kind {
            OpKind::Send | OpKind::TrySend => {
                let room = match *capacity {
                    None => true,
                    Some(0) => *queued == 0 && receiving,
                    Some(limit) => *queued < limit,
                };
                match (*receiver, room) {
                    (false, _) => return Grant::Closed,
                    (true, false) => return Grant::Refused,
                    (true, true) => *queued += 1,
                }
            }
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

    /// Another sender of a channel comes into being, within the transition of some other operation.
    pub fn add_sender(&mut self, channel: ObjectId) {
        if let State::Channel { senders, .. } = &mut self.objects[channel.index()].state {
            *senders += 1;
        }
    }
}
