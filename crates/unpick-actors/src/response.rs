//! Requests and their answers.

use crate::runtime::Runtime;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use unpick::mailbox::{Mailbox, NoMessage, Patience};

/// There is no answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The actor ended before it answered, or it dropped the request.
    Dropped,
    /// It did not answer in time.
    TimedOut,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoAnswer::Dropped => "the actor ended or dropped the request before it answered",
            NoAnswer::TimedOut => "the actor did not answer in time",
        })
    }
}

impl Error for NoAnswer {}

/// The answer to a request, which may still have to come.
#[must_use = "the answer is lost; `forget` it if it does not matter"]
pub struct Response<T> {
    source: Source<T>,
    limit: Option<Duration>,
}

enum Source<T> {
    Controlled(Mailbox<T>, &'static Location<'static>),
    #[cfg(feature = "tokio")]
    Production {
        receiver: tokio::sync::oneshot::Receiver<T>,
        /// Where time passes: who waits may be outside of it.
        tokio: tokio::runtime::Handle,
        sleep: Option<Pin<Box<tokio::time::Sleep>>>,
    },
}

impl<T: Send + 'static> Response<T> {
    pub(crate) fn pair(
        runtime: &Runtime,
        location: &'static Location<'static>,
    ) -> (Reply<T>, Response<T>) {
        let (target, source) = match runtime {
            Runtime::Controlled(_) => {
                let mailbox = Mailbox::new(None);
                let target = Target::Controlled(mailbox.clone());
                (target, Source::Controlled(mailbox, location))
            }
            #[cfg(feature = "tokio")]
            Runtime::Production(tokio) => {
                let (sender, receiver) = tokio::sync::oneshot::channel();
                let source = Source::Production {
                    receiver,
                    tokio: tokio.clone(),
                    sleep: None,
                };
                (Target::Production(sender), source)
            }
        };
        let response = Response {
            source,
            limit: None,
        };
        (Reply(Some(target)), response)
    }

    /// Does not wait for the answer: the request was sent, and that is all that matters.
    pub fn forget(self) {}

    /// The same response, but it is not waited for longer than this.
    pub fn within(mut self, limit: Duration) -> Response<T> {
        self.limit = Some(limit);
        self
    }
}

impl<T: Send + 'static> Future for Response<T> {
    type Output = Result<T, NoAnswer>;

    /// Under control an actor that waits for an answer blocks: it handles one message at a time.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Response { source, limit } = self.get_mut();
        match source {
            Source::Controlled(mailbox, location) => {
                let _ = context;
                let patience = limit.map_or(Patience::Busy, Patience::Until);
                let answer = mailbox.receive(patience, location);
                Poll::Ready(answer.map_err(|reason| match reason {
                    NoMessage::Closed => NoAnswer::Dropped,
                    NoMessage::TimedOut => NoAnswer::TimedOut,
                }))
            }
            #[cfg(feature = "tokio")]
            Source::Production {
                receiver,
                tokio,
                sleep,
            } => {
                if let Poll::Ready(answer) = Pin::new(receiver).poll(context) {
                    return Poll::Ready(answer.map_err(|_| NoAnswer::Dropped));
                }
                let Some(limit) = limit else {
                    return Poll::Pending;
                };
                let _inside = tokio.enter();
                let sleep = sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep(*limit)));
                sleep
                    .as_mut()
                    .poll(context)
                    .map(|()| Err(NoAnswer::TimedOut))
            }
        }
    }
}

impl<T> fmt::Debug for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").finish_non_exhaustive()
    }
}

/// Where the answer to a request goes. If it is dropped, there will be none.
pub struct Reply<T>(Option<Target<T>>);

enum Target<T> {
    Controlled(Mailbox<T>),
    #[cfg(feature = "tokio")]
    Production(tokio::sync::oneshot::Sender<T>),
}

impl<T: Send + 'static> Reply<T> {
    /// Answers. Nobody has to wait for that.
    #[track_caller]
    pub fn send(mut self, answer: T) {
        match self.0.take() {
            Some(Target::Controlled(mailbox)) => {
                drop(mailbox.send(answer, "answer", Location::caller()))
            }
            #[cfg(feature = "tokio")]
            Some(Target::Production(sender)) => drop(sender.send(answer)),
            None => {}
        }
    }
}

/// A copy answers nobody: there is one answer to a request.
impl<T> Clone for Reply<T> {
    fn clone(&self) -> Reply<T> {
        Reply(None)
    }
}

impl<T> Drop for Reply<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let Some(Target::Controlled(mailbox)) = self.0.take() {
            mailbox.close();
        }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").finish_non_exhaustive()
    }
}
