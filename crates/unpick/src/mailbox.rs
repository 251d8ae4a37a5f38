//! Mailboxes: queues of messages for tasks that do nothing but handle messages.
//!
//! What actors are made of (`unpick-actors`); a program of its own uses [`sync::mpsc`](crate::sync::mpsc).
//! A mailbox differs from a channel in three things. All who know it can send, and nobody counts them: it is
//! open until somebody closes it. A task that waits for its next message is *idle*, which is no deadlock.
//! And there are mailboxes inside an exploration only.

use crate::rt::{self, Shared};
use crate::sync::mpsc::channel::Channel;
use std::fmt;
use std::panic::Location;
use std::time::Duration;
use unpick_engine::Grant;
use unpick_trace::{Op, OpKind};

/// How long a task waits for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// As long as the mailbox is open. If nothing ever comes, that is a deadlock.
    Busy,
    /// As long as the mailbox is open, with nothing else to do: it may wait for ever.
    Idle,
    /// This long, at most.
    Until(Duration),
}

/// Why there is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMessage {
    /// The mailbox was closed, and nothing is in it.
    Closed,
    /// Time was up.
    TimedOut,
}

/// A queue of messages. Its copies are the same mailbox.
pub struct Mailbox<T>(Shared<Channel<(T, &'static str)>>);

impl<T> Mailbox<T> {
    /// A mailbox of the current execution. With a bound, senders wait for room.
    ///
    /// # Panics
    /// Outside an exploration.
    #[track_caller]
    pub fn new(bound: Option<usize>) -> Mailbox<T> {
        assert!(
            rt::is_in_task(),
            "a mailbox is made outside an exploration; make it inside the closure that is explored"
        );
        Mailbox(Shared::new(Channel::new(bound)))
    }

    /// Names the mailbox in reports.
    pub fn set_name(&self, name: &str) {
        rt::name_object(&*self.0, name);
    }

    /// Sends a message, at this place of the program. It comes back if nobody will receive it. The name
    /// is what it is called in reports; it may be empty.
    #[inline]
    #[track_caller]
    pub fn send(
        &self,
        message: T,
        name: &'static str,
        location: &'static Location<'static>,
    ) -> Result<(), T> {
        self.0.check();
        let grant = rt::operate_at(OpKind::Send, &*self.0, location);
        if !name.is_empty() {
            rt::label(name);
        }
        let sent = self.0.put((message, name), grant);
        sent.map_err(|(message, _)| message)
    }

    /// Takes the next message, at this place of the program.
    #[inline]
    #[track_caller]
    pub fn receive(
        &self,
        patience: Patience,
        location: &'static Location<'static>,
    ) -> Result<T, NoMessage> {
        self.0.check();
        let channel = &*self.0;
        let grant = match patience {
            Patience::Busy => rt::operate_at(OpKind::Receive, channel, location),
            Patience::Idle => {
                rt::operate_fully(OpKind::Receive, false, Op::IDLE, channel, location)
            }
            Patience::Until(limit) => {
                rt::operate_until_at(OpKind::Receive, channel, limit, location)
            }
        };
        let grant = grant.expect("internal error: an execution without a task");
        if grant == Grant::TimedOut {
            return Err(NoMessage::TimedOut);
        }
        let (message, name) = self.0.take(grant).ok_or(NoMessage::Closed)?;
        if !name.is_empty() {
            rt::label(name);
        }
        Ok(message)
    }

    /// Closes the mailbox: what is in it can be received, and nothing comes after that.
    /// To be called once.
    #[track_caller]
    pub fn close(&self) {
        self.0.drop_sender();
    }

    /// Tells that nobody will receive any more. What is in it is dropped, and what is sent comes back.
    /// To be called once.
    #[track_caller]
    pub fn abandon(&self) {
        self.0.close_receiver();
    }
}

impl<T> Clone for Mailbox<T> {
    fn clone(&self) -> Mailbox<T> {
        Mailbox(Shared::clone(&self.0))
    }
}

impl<T> fmt::Debug for Mailbox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailbox").finish_non_exhaustive()
    }
}

/// Tells that the program owes something: the monitor of this name is hot, in this state. If the state
/// neither changes nor cools down for so many rounds, in each of which every task that could go on did, that is a
/// livelock, and also if the execution ends. `None` is cold. Does nothing outside an exploration.
pub fn heat(monitor: &str, hot: Option<(&str, u64)>) {
    rt::heat(monitor, hot);
}

/// Waits until nobody else can go on: all other tasks have ended or are idle, or wait for this, too. If one
/// of them waits for anything else, that is a deadlock. Does nothing outside an exploration.
#[track_caller]
pub fn quiesce() {
    rt::operate_without_object(OpKind::Quiesce);
}
