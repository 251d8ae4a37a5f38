//! What is worth asking about: pairs that may race, rings of requests that may deadlock.
//!
//! Both lists are complete: what is not in them is impossible. Most of what is in them is impossible, too;
//! the solver tells.

use crate::model::Model;
use crate::query::conflict;
use std::collections::BTreeMap;
use unpick_engine::transcript::EventId;

impl Model {
    /// The pairs of accesses that are in conflict and not always kept in order, the earlier one first.
    pub fn race_candidates(&self) -> Vec<(EventId, EventId)> {
        let mut accesses: Vec<Vec<EventId>> = vec![Vec::new(); self.initial.len()];
        for (id, event) in self.events.iter().enumerate() {
            if let Some((location, _)) = event.reads().or(event.writes()) {
                accesses[location as usize].push(id);
            }
        }
        let mut candidates = Vec::new();
        for ids in accesses {
            for (at, &second) in ids.iter().enumerate() {
                let before = ids[..at].iter().copied();
                let racing = before.filter(|&first| conflict(self, first, second));
                candidates.extend(racing.map(|first| (first, second)));
            }
        }
        candidates
    }

    /// The rings of at most `length_max` requests for locks, each for a lock that the task of the next one
    /// holds, with no lock held by two of them. The first request of a ring is the earliest.
    pub fn deadlock_candidates(&self, length_max: usize) -> Vec<Vec<EventId>> {
        let opens = |&id: &EventId| self.opens[id].is_some();
        let requests: Vec<Request> = (self.opening..self.events.len())
            .filter(opens)
            .map(|id| Request {
                id,
                held: self.held_at(id),
            })
            .filter(|request| !request.held.is_empty())
            .collect();
        let mut rings = Vec::new();
        for at in 0..requests.len() {
            self.extend_ring(&requests[at..], &mut vec![0], length_max, &mut rings);
        }
        rings
    }

    /// The sets of requests that may wait for ever together with a ring: the ring alone, and with requests of
    /// other tasks for locks that the tasks of the set hold. At most `count_max` of them; whether these are all.
    pub fn stuck_with(&self, ring: &[EventId], count_max: usize) -> (Vec<Vec<EventId>>, bool) {
        let is_apart = |&request: &EventId| {
            let is_other = |&one: &EventId| {
                self.events[one].task != self.events[request].task
                    && !self.order.is_before(one, request)
            };
            self.opens[request].is_some() && ring.iter().all(is_other)
        };
        let requests = self.opening..self.events.len();
        let mut by_task: BTreeMap<u32, Vec<EventId>> = BTreeMap::new();
        for request in requests.filter(is_apart) {
            let task = self.events[request].task;
            by_task.entry(task).or_default().push(request);
        }
        let mut sets = vec![ring.to_vec()];
        let mut is_all = true;
        for requests in by_task.values() {
            for at in 0..sets.len() {
                for &request in requests {
                    is_all &= sets.len() < count_max;
                    if is_all {
                        sets.push([&sets[at], &[request][..]].concat());
                    }
                }
            }
        }
        sets.retain(|set| self.is_stuck(set));
        (sets, is_all)
    }

    /// Whether each request is for a lock that the task of another one holds, and no two tasks hold one lock.
    fn is_stuck(&self, set: &[EventId]) -> bool {
        let held: Vec<Vec<u32>> = set.iter().map(|&request| self.held_at(request)).collect();
        let mut all = held.concat();
        all.sort_unstable();
        let is_held_once = all.windows(2).all(|pair| pair[0] != pair[1]);
        let waits = |&request: &EventId| {
            self.opens[request].is_some_and(|(wanted, _)| all.contains(&wanted))
        };
        is_held_once && set.iter().all(waits)
    }

    /// The locks that the task of an event holds when it comes to it.
    pub(crate) fn held_at(&self, event: EventId) -> Vec<u32> {
        let task = self.events[event].task;
        let mut held = Vec::new();
        for (lock, sections) in self.sections.iter().enumerate() {
            let is_around = sections.iter().any(|span| {
                self.events[span.opens].task == task
                    && span.opens < event
                    && span.closes.is_none_or(|end| end > event)
            });
            if is_around {
                held.push(lock as u32);
            }
        }
        held
    }

    /// Goes on with a ring, given by places in `requests`, of which the first is its first.
    fn extend_ring(
        &self,
        requests: &[Request],
        ring: &mut Vec<usize>,
        length_max: usize,
        rings: &mut Vec<Vec<EventId>>,
    ) {
        let last = &requests[ring[ring.len() - 1]];
        let Some((wanted, _)) = self.opens[last.id] else {
            return;
        };
        if ring.len() > 1 && requests[0].held.contains(&wanted) {
            rings.push(ring.iter().map(|&at| requests[at].id).collect());
            return;
        }
        if ring.len() == length_max {
            return;
        }
        for (at, next) in requests.iter().enumerate().skip(1) {
            let is_apart = |&other: &usize| {
                let other = &requests[other];
                let same_task = self.events[other.id].task == self.events[next.id].task;
                !same_task && !next.held.iter().any(|lock| other.held.contains(lock))
            };
            if next.held.contains(&wanted) && ring.iter().all(is_apart) {
                ring.push(at);
                self.extend_ring(requests, ring, length_max, rings);
                ring.pop();
            }
        }
    }
}

/// A request for a lock by a task that holds others.
struct Request {
    id: EventId,
    held: Vec<u32>,
}
