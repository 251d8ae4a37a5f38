//! Drop-in for `std::sync::mpsc`.
//!
//! A channel that is made inside an exploration belongs to its execution: sending, receiving and
//! dropping one of its ends are visible operations. A channel that is made outside is a standard
//! one. It can be used inside an exploration as long as nothing blocks there, since the engine could
//! not see for whom a task waits.

pub(crate) mod channel;
mod iterate;

pub use iterate::{IntoIter, Iter, TryIter};
pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use crate::rt;
use channel::{ReceivingEnd, SendingEnd};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::Duration;

/// One end of a channel: of a standard one, or of one that the engine controls.
enum End<O, I> {
    Outside(O),
    Inside(I),
}

/// Creates a channel without a limit.
#[must_use]
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = if rt::is_in_task() {
        let (sender, receiver) = channel::ends(None);
        (End::Inside(sender), End::Inside(receiver))
    } else {
        let (sender, receiver) = std::sync::mpsc::channel();
        (End::Outside(sender), End::Outside(receiver))
    };
    (Sender { end: sender }, Receiver::new(receiver))
}

/// Creates a channel that holds `bound` messages. With zero, a sender waits for the receiver.
#[must_use]
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (sender, receiver) = if rt::is_in_task() {
        let (sender, receiver) = channel::ends(Some(bound));
        (End::Inside(sender), End::Inside(receiver))
    } else {
        let (sender, receiver) = std::sync::mpsc::sync_channel(bound);
        (End::Outside(sender), End::Outside(receiver))
    };
    (SyncSender { end: sender }, Receiver::new(receiver))
}

/// Refuses to block on a standard channel inside an exploration.
#[track_caller]
fn must_not_block(operation: &str) {
    assert!(
        !rt::is_in_task(),
        "{operation} inside an exploration on a channel that was made outside of it; create the \
         channel inside the closure that is explored"
    );
}

/// The sending end of an unlimited channel, as [`std::sync::mpsc::Sender`].
pub struct Sender<T> {
    end: End<std::sync::mpsc::Sender<T>, SendingEnd<T>>,
}

impl<T> Sender<T> {
    /// Sends a value. It comes back if the receiver is gone.
    #[inline(always)]
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match &self.end {
            End::Outside(sender) => sender.send(t),
            End::Inside(sender) => sender.send(t),
        }
    }
}

/// The sending end of a channel with a limit, as [`std::sync::mpsc::SyncSender`].
pub struct SyncSender<T> {
    end: End<std::sync::mpsc::SyncSender<T>, SendingEnd<T>>,
}

impl<T> SyncSender<T> {
    /// Sends a value, blocking until there is room. It comes back if the receiver is gone.
    #[inline(always)]
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match &self.end {
            End::Outside(sender) => {
                must_not_block("SyncSender::send");
                sender.send(t)
            }
            End::Inside(sender) => sender.send(t),
        }
    }

    /// Sends a value if there is room.
    #[track_caller]
    pub fn try_send(&self, t: T) -> Result<(), TrySendError<T>> {
        match &self.end {
            End::Outside(sender) => sender.try_send(t),
            End::Inside(sender) => sender.try_send(t),
        }
    }
}

macro_rules! sender_traits {
    ($($name:ident),*) => {
        $(
            impl<T> Clone for $name<T> {
                #[inline(always)]
                fn clone(&self) -> $name<T> {
                    $name {
                        end: match &self.end {
                            End::Outside(sender) => End::Outside(sender.clone()),
                            End::Inside(sender) => End::Inside(sender.clone()),
                        },
                    }
                }
            }

            impl<T> fmt::Debug for $name<T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_struct(stringify!($name)).finish_non_exhaustive()
                }
            }

            impl<T> UnwindSafe for $name<T> {}
            impl<T> RefUnwindSafe for $name<T> {}
        )*
    };
}

sender_traits!(Sender, SyncSender);

/// The receiving end of a channel, as [`std::sync::mpsc::Receiver`].
pub struct Receiver<T> {
    end: End<std::sync::mpsc::Receiver<T>, ReceivingEnd<T>>,
    /// There is one receiver, so references to it stay in one task.
    not_sync: PhantomData<Cell<()>>,
}

impl<T> Receiver<T> {
    fn new(end: End<std::sync::mpsc::Receiver<T>, ReceivingEnd<T>>) -> Receiver<T> {
        Receiver {
            end,
            not_sync: PhantomData,
        }
    }

    /// Takes the next message if there is one.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.end {
            End::Outside(receiver) => receiver.try_recv(),
            End::Inside(receiver) => receiver.try_recv(),
        }
    }

    /// Takes the next message, blocking until there is one or no sender is left.
    #[inline(always)]
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.end {
            End::Outside(receiver) => {
                must_not_block("Receiver::recv");
                receiver.recv()
            }
            End::Inside(receiver) => receiver.recv(),
        }
    }

    /// Takes the next message, but does not wait for it longer than `timeout`.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.end {
            End::Outside(receiver) => {
                must_not_block("Receiver::recv_timeout");
                receiver.recv_timeout(timeout)
            }
            End::Inside(receiver) => receiver.recv_timeout(timeout),
        }
    }

    /// Iterates over the messages, blocking for each, until no sender is left.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }

    /// Iterates over the messages that are there.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter { receiver: self }
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}

impl<T> UnwindSafe for Receiver<T> {}
impl<T> RefUnwindSafe for Receiver<T> {}
