//! Streams in which either side can come first: what is there, and who waits for it.

use std::collections::VecDeque;

/// What is to be delivered, and how often it was asked for. The end of a stream stays: whoever asks after it
/// gets it.
#[derive(Debug)]
pub(crate) struct Stream<T> {
    responses: VecDeque<T>,
    requests: usize,
    has_ended: bool,
}

impl<T> Stream<T> {
    pub fn new() -> Stream<T> {
        Stream {
            responses: VecDeque::new(),
            requests: 0,
            has_ended: false,
        }
    }

    pub fn add(&mut self, response: T) {
        self.responses.push_back(response);
    }

    pub fn end(&mut self) {
        self.has_ended = true;
    }

    pub fn request(&mut self) {
        self.requests += 1;
    }

    /// The next delivery, if somebody waits for it: a response, or the end.
    pub fn next(&mut self) -> Option<Option<T>> {
        if self.requests == 0 {
            return None;
        }
        let next = match self.responses.pop_front() {
            None if !self.has_ended => return None,
            next => next,
        };
        self.requests -= 1;
        Some(next)
    }

    /// Keeps some of what is to be delivered.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        self.responses.retain(|response| keep(response));
    }
}
