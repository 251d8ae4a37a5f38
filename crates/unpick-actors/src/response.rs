//! Requests and their answers.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use unpick::mailbox::{Mailbox, Patience};

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
    mailbox: Mailbox<T>,
    location: &'static Location<'static>,
    limit: Option<Duration>,
}

impl<T: Send + 'static> Response<T> {
    pub(crate) fn pair(location: &'static Location<'static>) -> (Reply<T>, Response<T>) {
        let mailbox = Mailbox::new(None);
        let reply = Reply {
            mailbox: Some(mailbox.clone()),
        };
        let response = Response {
            mailbox,
            location,
            limit: None,
        };
        (reply, response)
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
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let (patience, otherwise) = match self.limit {
            None => (Patience::Busy, NoAnswer::Dropped),
            Some(limit) => (Patience::Until(limit), NoAnswer::TimedOut),
        };
        let answer = self.mailbox.receive(patience, self.location);
        Poll::Ready(answer.ok_or(otherwise))
    }
}

impl<T> fmt::Debug for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response").finish_non_exhaustive()
    }
}

/// Where the answer to a request goes. If it is dropped, there will be none.
pub struct Reply<T> {
    mailbox: Option<Mailbox<T>>,
}

impl<T: Send + 'static> Reply<T> {
    /// Answers.
    #[track_caller]
    pub fn send(mut self, answer: T) {
        if let Some(mailbox) = self.mailbox.take() {
            // Nobody has to wait for an answer.
            drop(mailbox.send(answer, Location::caller()));
        }
    }
}

impl<T> Drop for Reply<T> {
    #[track_caller]
    fn drop(&mut self) {
        if let Some(mailbox) = self.mailbox.take() {
            mailbox.close();
        }
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").finish_non_exhaustive()
    }
}
