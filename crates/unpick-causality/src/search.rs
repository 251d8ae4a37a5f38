//! Answering a question by trying: a depth-first search through the states of the model.
//!
//! A state is how far each chain has come and what the locations hold; none is looked at twice. What can
//! only help is done at once: reads that see their value, releases, and all that changes nothing. Only
//! writes, acquisitions and the beginnings of waits are tried in turn, in the order of the trace. This is
//! P. B. Gibbons and E. Korach, "Testing shared memories", SIAM J. Computing 1997, on prefixes:
//! polynomial for a fixed number of tasks, hopeless for many, and unbeaten for short traces.

use crate::model::Model;
use crate::query::{Plan, Wanted};
use crate::replay::Replay;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use unpick_engine::transcript::{EventId, Kind};

/// What a search came to.
pub(crate) enum Found {
    /// The events before the ending of the plan, in order.
    Schedule(Vec<EventId>),
    /// There is no such schedule.
    Nothing,
    /// Too many states.
    GaveUp,
}

/// Looks at `state_count_max` states at most.
pub(crate) fn search(model: &Model, plan: &Plan, state_count_max: usize) -> Found {
    Search::new(model, plan).run(state_count_max)
}

struct Search<'m> {
    model: &'m Model,
    plan: &'m Plan,
    replay: Replay<'m>,
    /// A hash of the state. Sums of parts, so that it is kept up to date by differences.
    hash: u128,
    seen: HashSet<u128, BuildHasherDefault<Identity>>,
    /// The choices still to be tried, of all states on the way.
    choices: Vec<EventId>,
    frames: Vec<Frame>,
}

/// A state on the way.
struct Frame {
    /// How many events had been performed.
    depth: usize,
    /// Where its choices begin.
    choices: usize,
}

impl<'m> Search<'m> {
    fn new(model: &'m Model, plan: &'m Plan) -> Search<'m> {
        Search {
            model,
            plan,
            replay: Replay::new(model),
            hash: 0,
            seen: HashSet::default(),
            choices: Vec::new(),
            frames: Vec::new(),
        }
    }

    fn run(mut self, state_count_max: usize) -> Found {
        loop {
            self.settle();
            if self.is_answered() {
                return Found::Schedule(self.replay.schedule());
            }
            if self.seen.insert(self.hash) {
                if self.seen.len() > state_count_max {
                    return Found::GaveUp;
                }
                self.branch();
            }
            if !self.try_next() {
                return Found::Nothing;
            }
        }
    }

    fn is_answered(&self) -> bool {
        let mut chains = self.replay.position.iter().zip(&self.plan.required);
        chains.all(|(position, required)| position >= required)
            && self.plan.is_met(self.model, &self.replay)
    }

    /// Performs everything that can only help.
    fn settle(&mut self) {
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for chain in 0..self.replay.position.len() {
                while let Some(event) = self.next_of(chain)
                    && self.only_helps(event)
                    && self.replay.check(event).is_ok()
                {
                    self.perform(event);
                    is_settled = false;
                }
            }
        }
    }

    fn next_of(&self, chain: usize) -> Option<EventId> {
        let position = self.replay.position[chain];
        let is_open = position < self.plan.limit[chain];
        is_open.then(|| self.model.order.chains[chain][position as usize])
    }

    fn only_helps(&self, event: EventId) -> bool {
        match self.model.events[event].kind {
            Kind::Write { .. } | Kind::ReadModifyWrite { .. } | Kind::Wait { .. } => false,
            Kind::Lock { .. } => self.model.opens[event].is_none(),
            _ => true,
        }
    }

    /// Notes what can be tried here; what comes first in the trace is tried first.
    fn branch(&mut self) {
        let start = self.choices.len();
        for chain in 0..self.replay.position.len() {
            let possible = |&event: &EventId| self.replay.check(event).is_ok();
            self.choices.extend(self.next_of(chain).filter(possible));
        }
        self.choices[start..].sort_unstable_by(|one, other| other.cmp(one));
        self.frames.push(Frame {
            depth: self.replay.len(),
            choices: start,
        });
    }

    /// Goes back to the last state with something left to try, and tries it.
    fn try_next(&mut self) -> bool {
        while let Some(frame) = self.frames.last() {
            let (depth, choices) = (frame.depth, frame.choices);
            while self.replay.len() > depth {
                self.take_back();
            }
            if self.choices.len() > choices
                && let Some(event) = self.choices.pop()
            {
                self.perform(event);
                return true;
            }
            self.frames.pop();
        }
        false
    }

    fn perform(&mut self, event: EventId) {
        self.hash = self.hash.wrapping_sub(self.parts(event));
        self.replay.perform(event);
        self.hash = self.hash.wrapping_add(self.parts(event));
    }

    fn take_back(&mut self) {
        let events = self.replay.last();
        let event = events.expect("internal error: nothing to take back");
        self.hash = self.hash.wrapping_sub(self.parts(event));
        self.replay.take_back();
        self.hash = self.hash.wrapping_add(self.parts(event));
    }

    /// What an event changes of the hash.
    fn parts(&self, event: EventId) -> u128 {
        let (chain, _) = self.model.order.place[event];
        let position = self.replay.position[chain as usize];
        let mut sum = mix(u64::from(chain) << 32 | u64::from(position), 1);
        if let Some((location, _)) = self.model.events[event].writes() {
            let content = match self.plan.target {
                Some((_, at, Wanted::Write(_))) if at == location => {
                    let writer = self.replay.writers[location as usize];
                    writer.map(|writer| writer as u64)
                }
                _ => self.replay.values[location as usize],
            };
            let key = u64::from(location) << 1 | u64::from(content.is_some());
            let content = content.unwrap_or_default();
            sum = sum.wrapping_add(mix(content, key.wrapping_mul(2) + 2));
        }
        sum
    }
}

/// Two numbers as 128 bits without visible structure: two rounds of splitmix64 with different seeds.
fn mix(first: u64, second: u64) -> u128 {
    let lane = |seed: u64| {
        let mut word = first ^ second.wrapping_mul(seed);
        for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
            word = word.wrapping_add(seed);
            word = (word ^ (word >> 30)).wrapping_mul(factor);
            word ^= word >> 27;
        }
        word ^ (word >> 31)
    };
    u128::from(lane(0x9e37_79b9_7f4a_7c15)) << 64 | u128::from(lane(0xd1b5_4a32_d192_ed03))
}

/// Hashes of hashes: they are spread well already.
#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("internal error: only u128 is hashed");
    }

    fn write_u128(&mut self, value: u128) {
        self.0 = value as u64;
    }
}
