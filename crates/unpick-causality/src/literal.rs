//! The seeds of a trace as published: Maximal Causality Reduction, and SE-MCR on top of it.
//!
//! S. Huang, *Maximal Causality Reduction* (PhD dissertation, Texas A&M, 2019), chapters 3 and 5. A seed is
//! the shortest schedule that makes a read see another value. The prefix of a trace stays literally in
//! front of the seeds that come of it, and its events are no longer part of what is analysed. Both lose
//! states, SE-MCR more than MCR; `complete.rs` does not. This is for comparison with published counts.

use crate::complete::values_for;
use crate::model::Model;
use crate::query::{Goal, Query};
use crate::seed::{Continuation, Seed};
use crate::solver::{Answer, Solver};
use std::collections::{BTreeSet, HashMap, HashSet};
use unpick_engine::transcript::{EventId, Kind};
use unpick_engine::transcript::{Place, Transcript};

/// A way to make a read see another value: the events behind the prefix.
struct Found {
    events: Vec<EventId>,
    read: EventId,
    value: u64,
}

/// A trace whose seeds are wanted.
pub(crate) struct Analysis<'a> {
    pub transcript: &'a Transcript,
    pub model: &'a Model,
    pub seed: &'a Seed,
    pub solver: &'a mut Solver,
    /// Whether a question was too hard.
    pub is_cut: bool,
}

impl Analysis<'_> {
    /// The prefixes to explore from here. With `is_switching`, those are left out that a sibling explores.
    pub fn seeds(&mut self, is_switching: bool) -> Vec<Seed> {
        let prefix = self.prefix();
        let found = self.search_new_prefixes(&prefix);
        let mut seeds: Vec<Seed> = found.iter().map(|one| self.seed_of(&prefix, one)).collect();
        if !is_switching {
            return seeds;
        }
        for (first, seed) in seeds.iter_mut().enumerate() {
            for second in first + 1..found.len() {
                let switched = self.equivalent(&prefix, &found[first], &found[second]);
                seed.ignored.extend(switched);
            }
        }
        let ignored = &self.seed.ignored;
        let is_new = |one: &Found| !ignored.iter().any(|known| self.is_it(known, one));
        let kept = found.iter().map(is_new);
        let pairs = kept.zip(seeds);
        pairs
            .filter_map(|(is_new, seed)| is_new.then_some(seed))
            .collect()
    }

    /// The events of the trace that the seed consists of.
    fn prefix(&self) -> Vec<EventId> {
        let deeds: HashSet<_> = self.seed.deeds.iter().collect();
        let events = 0..self.transcript.events.len();
        events
            .filter(|&event| deeds.contains(&self.transcript.deeds[event]))
            .collect()
    }

    /// Algorithm 8, SearchNewPrefixes: one for each read behind the prefix and each value that it can see.
    fn search_new_prefixes(&mut self, prefix: &[EventId]) -> Vec<Found> {
        let inside: HashSet<_> = prefix.iter().copied().collect();
        let mut found = Vec::new();
        for read in self.model.reads().filter(|read| !inside.contains(read)) {
            for value in values_for(self.model, read) {
                let goal = Goal::Value { read, value };
                let query = Query::new(goal).following(prefix.to_vec());
                match self.solver.solve_shortest(self.model, &query) {
                    Answer::Sat(schedule) => {
                        let events = schedule.into_iter().filter(|event| !inside.contains(event));
                        let events = events.collect();
                        found.push(Found {
                            events,
                            read,
                            value,
                        });
                    }
                    Answer::Unsat => {}
                    Answer::Unknown => self.is_cut = true,
                }
            }
        }
        found
    }

    fn seed_of(&self, prefix: &[EventId], found: &Found) -> Seed {
        let schedule = [prefix, &found.events].concat();
        Seed::new(self.transcript, &schedule, Some((found.read, found.value)))
    }

    /// Algorithm 9, Equivalent: what shows up below the first one if the second one follows it, if the
    /// same comes of both orders.
    fn equivalent(
        &self,
        prefix: &[EventId],
        first: &Found,
        second: &Found,
    ) -> Option<Continuation> {
        let (one, other) = (first.read, second.read);
        if one == other
            || self.model.must_precede(one, other)
            || self.model.must_precede(other, one)
        {
            return None;
        }
        let first_whole = self.extend(&first.events);
        let second_whole = self.extend(&second.events);
        let is_same = |one: &[EventId], other: &[EventId]| {
            let joined = join(one, other);
            [first, second]
                .into_iter()
                .all(|wanted| self.value_in(prefix, &joined, wanted.read) == Some(wanted.value))
        };
        if !is_same(&first_whole, &second_whole) || !is_same(&second_whole, &first_whole) {
            return None;
        }
        let places = |events: Vec<EventId>| -> BTreeSet<Place> {
            let places = events
                .into_iter()
                .map(|event| self.transcript.places[event]);
            places.collect()
        };
        let rest = |of: &[EventId]| -> Vec<EventId> {
            let is_in_first = |event: &&EventId| first.events.contains(event);
            of.iter()
                .filter(|event| !is_in_first(event))
                .copied()
                .collect()
        };
        Some(Continuation {
            needed: places(rest(&second.events)),
            allowed: places([rest(&first_whole), rest(&second.events)].concat()),
            target: self.transcript.places[second.read],
            value: second.value,
        })
    }

    /// A prefix that leaves a lock held goes on to where it is released.
    fn extend(&self, events: &[EventId]) -> Vec<EventId> {
        let mut whole = events.to_vec();
        let mut held: HashMap<(u32, u32), EventId> = HashMap::new();
        for &event in events {
            let made = &self.model.events()[event];
            match made.kind {
                Kind::Lock { lock } => drop(held.insert((made.task, lock), event)),
                Kind::Unlock { lock } => drop(held.remove(&(made.task, lock))),
                _ => {}
            }
        }
        let mut ends: Vec<EventId> = held
            .into_iter()
            .filter_map(|((task, lock), _)| {
                let last = events
                    .iter()
                    .rposition(|&event| self.model.events()[event].task == task)?;
                let later = events[last] + 1..self.model.events().len();
                let releases = |&event: &EventId| {
                    let made = &self.model.events()[event];
                    made.task == task && made.kind == Kind::Unlock { lock }
                };
                later.clone().find(releases)
            })
            .collect();
        ends.sort_unstable();
        for end in ends {
            let before = (0..end).filter(|&event| self.model.must_precede(event, end));
            let missing: Vec<EventId> = before.chain([end]).collect();
            let task = self.model.events()[end].task;
            let missing = missing
                .into_iter()
                .filter(|&event| self.model.events()[event].task == task);
            whole = join(&whole, &missing.collect::<Vec<_>>());
        }
        whole
    }

    /// What a read sees if these events follow the prefix, whatever else they see.
    fn value_in(&self, prefix: &[EventId], events: &[EventId], read: EventId) -> Option<u64> {
        let (location, _) = self.model.events()[read].reads()?;
        let end = events.iter().position(|&event| event == read)?;
        let before = prefix.iter().chain(&events[..end]).rev();
        let mut writes = before.filter_map(|&event| self.model.events()[event].writes());
        let last = writes.find(|(at, _)| *at == location);
        last.map(|(_, value)| value)
            .or_else(|| self.model.value_of(read, None))
    }

    fn is_it(&self, known: &Continuation, found: &Found) -> bool {
        let places = found
            .events
            .iter()
            .map(|&event| self.transcript.places[event]);
        let places: BTreeSet<Place> = places.collect();
        self.transcript.places[found.read] == known.target
            && found.value == known.value
            && known.needed.is_subset(&places)
            && places.is_subset(&known.allowed)
    }
}

/// P ◇ Q: P and then what Q has besides.
fn join(one: &[EventId], other: &[EventId]) -> Vec<EventId> {
    let rest = other.iter().filter(|event| !one.contains(event));
    one.iter().chain(rest).copied().collect()
}
