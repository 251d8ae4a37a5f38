//! Channels that belong to an execution.
//!
//! The engine decides who may send and receive; the messages themselves wait here. A channel may
//! outlive its execution, in a static or a thread-local. Then its ends can only be dropped.

use super::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use crate::rt::{self, Modelled, ObjectCell, Queue, Shared};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;
use unpick_engine::{Grant, Shape};
use unpick_trace::{Op, OpKind};

pub(crate) struct Channel<T> {
    /// Known from the beginning, so that it also tells the execution.
    object: ObjectCell,
    capacity: Option<u32>,
    /// Closed once the receiver is gone.
    messages: Queue<T>,
    /// The messages of a rendezvous, with their numbers. Those that nobody takes go back to their senders.
    offers: Queue<(u32, T)>,
    offered: AtomicU32,
}

impl<T> Modelled for Channel<T> {
    #[inline]
    fn cell(&self) -> &ObjectCell {
        &self.object
    }

    fn shape(&self) -> Shape {
        Shape::Channel {
            capacity: self.capacity,
        }
    }
}

impl<T> Channel<T> {
    /// Whether the execution it belongs to still runs, on this thread.
    #[inline]
    fn is_current(&self) -> bool {
        self.object.get_usual(rt::stamp()).is_some()
    }

    #[inline]
    #[track_caller]
    pub(crate) fn check(&self) {
        if !self.is_current() {
            used_outside();
        }
    }

    #[inline(always)]
    #[track_caller]
    pub(crate) fn operate(&self, kind: OpKind) -> Grant {
        // In a closure, the place of the caller would be lost.
        match rt::operate_inside(kind, &self.object) {
            Some(grant) => grant,
            None => used_outside(),
        }
    }

    #[inline]
    fn push(&self, value: T) {
        // Refused only while an execution is torn down.
        drop(self.messages.push(value));
    }

    /// A channel of the current execution. It holds `bound` messages, or as many as come.
    pub(crate) fn new(bound: Option<usize>) -> Channel<T> {
        let channel = Channel {
            object: ObjectCell::new(),
            capacity: bound.map(|bound| u32::try_from(bound).unwrap_or(u32::MAX)),
            messages: Queue::new(),
            offers: Queue::new(),
            offered: AtomicU32::new(0),
        };
        // Named by the task that makes it, not by the one that happens to use it first.
        rt::add_object(&channel.object, channel.shape());
        channel
    }

    fn is_rendezvous(&self) -> bool {
        self.capacity == Some(0)
    }

    /// Comes to send or to receive at a rendezvous.
    #[track_caller]
    fn arrive(&self, kind: OpKind) -> Grant {
        self.check();
        let grant = rt::operate_with(kind, false, Op::ARRIVAL, self);
        grant.unwrap_or_else(|| used_outside())
    }

    /// Offers a message at a rendezvous. Answers its number.
    fn offer(&self, value: T) -> u32 {
        let number = self.offered.fetch_add(1, Relaxed);
        // Refused only while an execution is torn down.
        drop(self.offers.push((number, value)));
        number
    }

    /// Takes the oldest message that is offered.
    fn take_offer(&self) -> Option<T> {
        self.offers.pop().map(|(_, value)| value)
    }

    /// Takes back a message that nobody will take. The order of the others does not matter any more.
    fn take_back(&self, number: u32) -> Option<T> {
        for _ in 0..self.offered.load(Relaxed) {
            let (other, value) = self.offers.pop()?;
            if other == number {
                return Some(value);
            }
            drop(self.offers.push((other, value)));
        }
        None
    }

    #[cold]
    #[track_caller]
    fn send_at_rendezvous(&self, value: T) -> Result<(), SendError<T>> {
        match self.arrive(OpKind::TrySend) {
            Grant::Closed => Err(SendError(value)),
            Grant::Refused => {
                let number = self.offer(value);
                match self.operate(OpKind::Send) {
                    // Not there only while an execution is torn down.
                    Grant::Closed => Err(SendError(
                        self.take_back(number).unwrap_or_else(|| rt::abandon()),
                    )),
                    _ => Ok(()),
                }
            }
            _ => {
                self.offer(value);
                Ok(())
            }
        }
    }

    #[cold]
    #[track_caller]
    fn receive_at_rendezvous(&self, limit: Option<Duration>) -> Result<T, RecvTimeoutError> {
        let mut grant = self.arrive(OpKind::TryReceive);
        if grant == Grant::Refused {
            grant = match limit {
                None => self.operate(OpKind::Receive),
                Some(limit) => rt::operate_until(OpKind::Receive, self, limit)
                    .unwrap_or_else(|| used_outside()),
            };
        }
        match grant {
            Grant::TimedOut => Err(RecvTimeoutError::Timeout),
            Grant::Closed => Err(RecvTimeoutError::Disconnected),
            // Empty only while an execution is torn down: nobody will ever send.
            _ => Ok(self.take_offer().unwrap_or_else(|| rt::abandon())),
        }
    }

    /// Puts in a message that may be sent. It comes back if the receiver is gone.
    #[inline]
    pub(crate) fn put(&self, value: T, grant: Option<Grant>) -> Result<(), T> {
        match grant {
            Some(Grant::Closed) => Err(value),
            _ => {
                self.push(value);
                Ok(())
            }
        }
    }

    /// What a receive that was granted gives; `None` if no sender is left.
    #[inline]
    pub(crate) fn take(&self, grant: Grant) -> Option<T> {
        match grant {
            Grant::Closed => None,
            // Empty only while an execution is torn down: nobody will ever send.
            _ => Some(self.messages.pop().unwrap_or_else(|| rt::abandon())),
        }
    }

    /// The receiver goes away. What nobody will receive is dropped.
    #[inline]
    #[track_caller]
    pub(crate) fn close_receiver(&self) {
        // Declared first, so that it acts last, also if the operation unwinds. The messages are
        // dropped here as in std, not with the last sender, which may be one of them.
        let _discard = Discard(self);
        rt::operate_inside(OpKind::ReceiverDrop, &self.object);
    }

    /// A sender goes away.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn drop_sender(&self) {
        rt::operate_inside(OpKind::SenderDrop, &self.object);
    }
}

#[cold]
#[track_caller]
fn used_outside() -> ! {
    panic!(
        "a channel that was made inside an exploration is used outside of its execution; create the \
         channel anew inside the closure that is explored"
    );
}

/// The two ends of a new channel of the current execution.
pub(super) fn ends<T>(bound: Option<usize>) -> (SendingEnd<T>, ReceivingEnd<T>) {
    let channel = Shared::new(Channel::new(bound));
    (SendingEnd(Shared::clone(&channel)), ReceivingEnd(channel))
}

/// One of the senders of a channel.
pub(super) struct SendingEnd<T>(Shared<Channel<T>>);

impl<T> SendingEnd<T> {
    #[inline(always)]
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        if self.0.is_rendezvous() {
            return self.0.send_at_rendezvous(value);
        }
        let grant = self.0.operate(OpKind::Send);
        self.0.put(value, Some(grant)).map_err(SendError)
    }

    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        match self.0.operate(OpKind::TrySend) {
            Grant::Closed => Err(TrySendError::Disconnected(value)),
            Grant::Refused => Err(TrySendError::Full(value)),
            _ if self.0.is_rendezvous() => {
                self.0.offer(value);
                Ok(())
            }
            _ => {
                self.0.push(value);
                Ok(())
            }
        }
    }
}

impl<T> Clone for SendingEnd<T> {
    #[inline]
    fn clone(&self) -> SendingEnd<T> {
        rt::add_sender(&self.0.object);
        SendingEnd(Shared::clone(&self.0))
    }
}

impl<T> Drop for SendingEnd<T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        self.0.drop_sender();
    }
}

/// The receiver of a channel.
pub(super) struct ReceivingEnd<T>(Shared<Channel<T>>);

impl<T> ReceivingEnd<T> {
    #[inline(always)]
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        if self.0.is_rendezvous() {
            let received = self.0.receive_at_rendezvous(None);
            return received.map_err(|_| RecvError);
        }
        let grant = self.0.operate(OpKind::Receive);
        self.0.take(grant).ok_or(RecvError)
    }

    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match self.0.operate(OpKind::TryReceive) {
            Grant::Closed => Err(TryRecvError::Disconnected),
            Grant::Refused => Err(TryRecvError::Empty),
            _ if self.0.is_rendezvous() => self.0.take_offer().ok_or(TryRecvError::Disconnected),
            // Empty only while an execution is torn down.
            _ => self.0.messages.pop().ok_or(TryRecvError::Disconnected),
        }
    }

    #[track_caller]
    pub fn recv_timeout(&self, limit: Duration) -> Result<T, RecvTimeoutError> {
        if self.0.is_rendezvous() {
            return self.0.receive_at_rendezvous(Some(limit));
        }
        self.0.check();
        match rt::operate_until(OpKind::Receive, &*self.0, limit) {
            Some(Grant::TimedOut) => Err(RecvTimeoutError::Timeout),
            Some(Grant::Closed) => Err(RecvTimeoutError::Disconnected),
            // Empty only while an execution is torn down.
            _ => self.0.messages.pop().ok_or(RecvTimeoutError::Disconnected),
        }
    }
}

impl<T> Drop for ReceivingEnd<T> {
    #[inline]
    #[track_caller]
    fn drop(&mut self) {
        self.0.close_receiver();
    }
}

/// Drops the messages of a channel that nobody will receive.
struct Discard<'a, T>(&'a Channel<T>);

impl<T> Drop for Discard<'_, T> {
    fn drop(&mut self) {
        self.0.messages.close();
    }
}
