//! Requests and responses of which either can come first: section 6.5 of the thesis.

use std::collections::VecDeque;

/// What becomes of a request and a response that met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Removal {
    /// Both are done with.
    Both,
    /// The response stays: the end of a stream, which everybody gets who asks from then on.
    Request,
    /// The request stays: somebody who gets whatever comes, without asking again.
    Response,
    /// They cannot be delivered yet.
    Neither,
}

/// Requests and responses that wait for each other, each in its order.
#[derive(Debug)]
pub(crate) struct Buffer<Q, R> {
    requests: VecDeque<Q>,
    responses: VecDeque<R>,
}

impl<Q, R> Buffer<Q, R> {
    pub fn new() -> Buffer<Q, R> {
        Buffer {
            requests: VecDeque::new(),
            responses: VecDeque::new(),
        }
    }

    pub fn add_request(&mut self, request: Q) {
        self.requests.push_back(request);
    }

    pub fn add_response(&mut self, response: R) {
        self.responses.push_back(response);
    }

    pub fn has_request(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Hands pairs to `deliver`, until there are none or one has to wait.
    pub fn process_matching(&mut self, mut deliver: impl FnMut(&Q, &R) -> Removal) {
        while let (Some(request), Some(response)) = (self.requests.front(), self.responses.front())
        {
            let removal = deliver(request, response);
            if matches!(removal, Removal::Both | Removal::Request) {
                self.requests.pop_front();
            }
            if matches!(removal, Removal::Both | Removal::Response) {
                self.responses.pop_front();
            }
            if removal == Removal::Neither {
                return;
            }
        }
    }

    /// Keeps some of the responses.
    pub fn retain_responses(&mut self, keep: impl Fn(&R) -> bool) {
        self.responses.retain(|response| keep(response));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert, proptest};

    fn delivered(buffer: &mut Buffer<u32, Option<u32>>) -> Vec<(u32, Option<u32>)> {
        let mut pairs = Vec::new();
        buffer.process_matching(|&request, &response| {
            pairs.push((request, response));
            match response {
                Some(_) => Removal::Both,
                None => Removal::Request,
            }
        });
        pairs
    }

    #[test]
    fn either_side_comes_first_and_the_end_stays() {
        let mut buffer = Buffer::new();
        buffer.add_request(1);
        assert_eq!(delivered(&mut buffer), []);
        buffer.add_response(Some(10));
        buffer.add_response(None);
        assert_eq!(delivered(&mut buffer), [(1, Some(10))]);
        buffer.add_request(2);
        buffer.add_request(3);
        assert_eq!(delivered(&mut buffer), [(2, None), (3, None)]);
    }

    proptest! {
        /// The n-th request gets the n-th response, as soon as both are there, and the end if there is none left.
        #[test]
        fn requests_get_responses_in_order(deeds in vec(0..3_u8, 0..40)) {
            let mut buffer = Buffer::new();
            let (mut requests, mut responses, mut has_ended) = (0, 0, false);
            let mut got = Vec::new();
            for deed in deeds {
                match deed {
                    0 => {
                        buffer.add_request(requests);
                        requests += 1;
                    }
                    1 if !has_ended => {
                        buffer.add_response(Some(responses));
                        responses += 1;
                    }
                    2 if !has_ended => {
                        buffer.add_response(None);
                        has_ended = true;
                    }
                    _ => {}
                }
                got.extend(delivered(&mut buffer));
                let due = if has_ended { requests } else { requests.min(responses) };
                let expected = (0..due).map(|one| (one, (one < responses).then_some(one)));
                prop_assert!(got.iter().copied().eq(expected));
            }
        }
    }

    #[test]
    fn a_pair_that_cannot_be_delivered_waits() {
        let mut buffer = Buffer::new();
        buffer.add_request(1);
        buffer.add_response(Some(10));
        let mut looks = 0;
        buffer.process_matching(|_, _| {
            looks += 1;
            Removal::Neither
        });
        assert_eq!(looks, 1);
        assert_eq!(delivered(&mut buffer), [(1, Some(10))]);
    }

    #[test]
    fn a_request_that_stays_gets_all() {
        let mut buffer = Buffer::new();
        buffer.add_request(1);
        buffer.add_response(10);
        buffer.add_response(11);
        let mut pairs = Vec::new();
        buffer.process_matching(|&request, &response| {
            pairs.push((request, response));
            Removal::Response
        });
        assert_eq!(pairs, [(1, 10), (1, 11)]);
    }
}
