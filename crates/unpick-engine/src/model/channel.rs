//! Channels: queues with a limit, and rendezvous.

use crate::{Execution, Grant, object::State};
use unpick_trace::{ObjectId, Op, OpKind};

impl Execution {
    pub(super) fn is_receiving(&self, channel: ObjectId) -> bool {
        self.conditional.bits().iter().any(|task| {
            let op = &self.tasks[task.index()].op;
            op.kind == OpKind::Receive && op.object == channel
        })
    }

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
