//! A monitor as an actor: lock, unlock, wait and pulse are messages. The list itself travels with them, so that only
//! who has locked it has it.

use super::state::ListState;
use std::collections::VecDeque;
use unpick_actors::{Reply, actor};

/// A list that somebody has to himself.
pub(super) type Held = Box<ListState>;

/// Keeps those apart who use a list.
#[actor]
pub(super) trait Monitor {
    /// Hands out the list, when it is there.
    fn lock(&mut self, reply: Reply<Held>);
    /// Takes it back.
    fn unlock(&mut self, list: Held);
    /// Takes it back, and hands it out again after a pulse.
    fn wait(&mut self, list: Held, reply: Reply<Held>);
    /// Something has changed. Whoever waits gets the list.
    fn pulse(&mut self);
}

/// A monitor and its list.
pub(super) struct ListMonitor {
    /// None while somebody has it.
    list: Option<Held>,
    queue: VecDeque<Reply<Held>>,
    waiting: Vec<Reply<Held>>,
}

impl ListMonitor {
    pub fn new(list: ListState) -> ListMonitor {
        ListMonitor {
            list: Some(Box::new(list)),
            queue: VecDeque::new(),
            waiting: Vec::new(),
        }
    }

    fn hand_out(&mut self) {
        if !self.queue.is_empty()
            && let Some(list) = self.list.take()
            && let Some(reply) = self.queue.pop_front()
        {
            reply.send(list);
        }
    }
}

impl Monitor for ListMonitor {
    fn lock(&mut self, reply: Reply<Held>) {
        self.queue.push_back(reply);
        self.hand_out();
    }

    fn unlock(&mut self, list: Held) {
        self.list = Some(list);
        self.hand_out();
    }

    fn wait(&mut self, list: Held, reply: Reply<Held>) {
        self.waiting.push(reply);
        self.unlock(list);
    }

    fn pulse(&mut self) {
        self.queue.extend(self.waiting.drain(..));
        self.hand_out();
    }
}
