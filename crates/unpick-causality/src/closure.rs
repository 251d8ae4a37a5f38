//! What must be performed, and in which order, for the answer to be yes.
//!
//! Starts with what a plan requires and ≺ and adds what follows: if only one write can give a read its
//! value, that write must be performed and come before the read, and no other write between them; if one
//! section of a lock begins before another ends, it is over when the other begins. A contradiction means
//! no, often at once; otherwise what was found shortens the work of the next in the chain.
//!
//! Cf. T. L. Bui, K. Chatterjee et al., "The reads-from equivalence for the TSO and PSO memory models", OOPSLA
//! 2021, where such a closure stands before a search as well.

use crate::model::{Model, Span};
use crate::query::Plan;
use unpick_engine::transcript::EventId;

/// The question has the answer no.
pub(crate) struct Refuted;

/// What follows from a plan.
pub(crate) struct Closure<'m> {
    model: &'m Model,
    plan: &'m Plan,
    /// The events that must be performed, as prefixes of the chains.
    must: Vec<u32>,
    /// As those of ≺, but with the edges found.
    clocks: Vec<u32>,
    /// The edges found.
    pub edges: Vec<(EventId, EventId)>,
    has_changed: bool,
}

/// Where a read can find its value.
#[derive(Default)]
pub(crate) struct Candidates {
    /// Writes that have taken effect.
    pub writes: Vec<EventId>,
    /// Whether it can be there from the beginning.
    pub initial: bool,
    /// A write in the buffer of the own task.
    pub forward: Option<EventId>,
}

impl Candidates {
    fn is_empty(&self) -> bool {
        self.writes.is_empty() && !self.initial && self.forward.is_none()
    }

    /// Whether it must be one of `writes`.
    fn is_a_write(&self) -> bool {
        !self.initial && self.forward.is_none()
    }
}

impl<'m> Closure<'m> {
    /// Finds all that follows from a plan.
    pub fn new(model: &'m Model, plan: &'m Plan) -> Result<Closure<'m>, Refuted> {
        let mut closure = Closure::bare(model, plan);
        while closure.has_changed {
            closure.has_changed = false;
            closure.close_target()?;
            for chain in 0..closure.must.len() {
                let mut at = 0;
                while at < closure.must[chain] {
                    closure.close_read(model.order.chains[chain][at as usize])?;
                    at += 1;
                }
            }
            for sections in &model.sections {
                closure.close_sections(sections)?;
            }
        }
        Ok(closure)
    }

    /// What a plan says, without anything that follows.
    pub fn bare(model: &'m Model, plan: &'m Plan) -> Closure<'m> {
        Closure {
            model,
            plan,
            must: plan.required.clone(),
            clocks: model.order.clocks().to_vec(),
            edges: Vec::new(),
            has_changed: true,
        }
    }

    /// Whether an event must be performed.
    pub fn must_perform(&self, event: EventId) -> bool {
        let (chain, place) = self.model.order.place[event];
        place < self.must[chain as usize]
    }

    /// Whether `first` comes before `second` if both are performed.
    pub fn is_before(&self, first: EventId, second: EventId) -> bool {
        let (chain, place) = self.model.order.place[first];
        let count = self.model.order.chain_count();
        self.clocks[second * count + chain as usize] > place
    }

    /// Where a read in the schedule can find the value that it saw in the trace.
    pub fn candidates(&self, read: EventId) -> Candidates {
        let Some((location, value)) = self.model.events[read].reads() else {
            return Candidates::default();
        };
        let is_right = |write: EventId| self.model.written(write).1 == value;
        let writers = &self.model.writers[location as usize];
        let hides = |write: EventId| write != read && !is_right(write) && self.must_perform(write);
        let hiding: Vec<EventId> = writers
            .iter()
            .copied()
            .filter(|&write| hides(write) && self.is_before(write, read))
            .collect();
        let own = self.model.order.forwards[read];
        let is_own_stuck =
            own.is_some_and(|own| !is_right(own) && !self.plan.may_perform(self.model, own));
        let is_candidate = |&write: &EventId| {
            is_right(write)
                && write != read
                && !is_own_stuck
                && self.plan.may_perform(self.model, write)
                && !self.is_before(read, write)
                && !hiding.iter().any(|&other| self.is_before(write, other))
        };
        Candidates {
            writes: writers.iter().copied().filter(is_candidate).collect(),
            initial: self.model.initial[location as usize] == Some(value)
                && hiding.is_empty()
                && own.is_none_or(is_right),
            forward: own.filter(|&own| is_right(own) && !self.is_before(own, read)),
        }
    }

    /// Where the target can find what it is to see.
    pub fn target_candidates(&self) -> Candidates {
        let Some((read, location, wanted)) = self.plan.target else {
            return Candidates::default();
        };
        let is_right = |write: EventId| wanted.allows(self.model, location, Some(write));
        let writers = &self.model.writers[location as usize];
        let hides = |write: &EventId| !is_right(*write) && self.must_perform(*write);
        let hiding: Vec<EventId> = writers.iter().copied().filter(hides).collect();
        let own = self.model.order.forwards[read];
        let is_own_stuck =
            own.is_some_and(|own| !is_right(own) && !self.plan.may_perform(self.model, own));
        let is_candidate = |&write: &EventId| {
            is_right(write)
                && !is_own_stuck
                && self.plan.may_perform(self.model, write)
                && !hiding.iter().any(|&other| self.is_before(write, other))
        };
        Candidates {
            writes: writers.iter().copied().filter(is_candidate).collect(),
            initial: wanted.allows(self.model, location, None)
                && hiding.is_empty()
                && own.is_none(),
            forward: own.filter(|&own| is_right(own) && !self.must_perform(own)),
        }
    }

    fn close_target(&mut self) -> Result<(), Refuted> {
        let Some((read, location, wanted)) = self.plan.target else {
            return Ok(());
        };
        let candidates = self.target_candidates();
        if candidates.is_empty() {
            return Err(Refuted);
        }
        if !candidates.is_a_write() {
            return Ok(());
        }
        if let Some(first) = self.first_of_one_chain(&candidates.writes) {
            self.require(first)?;
        }
        let &[source] = candidates.writes.as_slice() else {
            return Ok(());
        };
        if let Some(own) = self.model.order.forwards[read] {
            self.require(own)?;
        }
        let model = self.model;
        for &other in &model.writers[location as usize] {
            if !wanted.allows(model, location, Some(other)) && self.must_perform(other) {
                self.add(other, source)?;
            }
        }
        Ok(())
    }

    fn close_read(&mut self, read: EventId) -> Result<(), Refuted> {
        let model = self.model;
        let Some((location, value)) = model.events[read].reads() else {
            return Ok(());
        };
        let candidates = self.candidates(read);
        if candidates.is_empty() {
            return Err(Refuted);
        }
        let is_other = |&write: &EventId| write != read && model.written(write).1 != value;
        let others = model.writers[location as usize]
            .iter()
            .copied()
            .filter(is_other);
        if candidates.writes.is_empty() {
            if candidates.initial {
                for other in others {
                    if self.must_perform(other) {
                        self.add(read, other)?;
                    }
                }
            } else if let Some(own) = candidates.forward
                && self.must_perform(own)
            {
                self.add(read, own)?;
            }
            return Ok(());
        }
        if !candidates.is_a_write() {
            return Ok(());
        }
        if let Some(first) = self.first_of_one_chain(&candidates.writes) {
            self.require(first)?;
            self.add(first, read)?;
        }
        let &[source] = candidates.writes.as_slice() else {
            return Ok(());
        };
        let own = model.order.forwards[read];
        if let Some(own) = own.filter(|&own| model.written(own).1 != value) {
            self.require(own)?;
            self.add(own, read)?;
        }
        for other in others {
            if !self.must_perform(other) {
                continue;
            }
            if self.is_before(other, read) {
                self.add(other, source)?;
            } else if self.is_before(source, other) {
                self.add(read, other)?;
            }
        }
        Ok(())
    }

    fn close_sections(&mut self, sections: &[Span]) -> Result<(), Refuted> {
        let opened = sections.iter().filter(|span| self.must_perform(span.opens));
        let opened: Vec<Span> = opened.copied().collect();
        for (at, &one) in opened.iter().enumerate() {
            for &other in &opened[..at] {
                let is_first = self.comes_first(one, other);
                let is_second = self.comes_first(other, one);
                match (is_first, is_second) {
                    (true, true) => return Err(Refuted),
                    (true, false) => self.separate(one, other)?,
                    (false, true) => self.separate(other, one)?,
                    (false, false) => {}
                }
            }
        }
        Ok(())
    }

    /// Whether it is known that `first` must be over before `second` begins.
    fn comes_first(&self, first: Span, second: Span) -> bool {
        let end = second
            .closes
            .filter(|&end| self.plan.may_perform(self.model, end));
        match end {
            None => true,
            Some(end) => self.is_before(first.opens, end),
        }
    }

    fn separate(&mut self, first: Span, second: Span) -> Result<(), Refuted> {
        let end = first.closes.ok_or(Refuted)?;
        self.require(end)?;
        self.add(end, second.opens)
    }

    /// The first of some events that are all in one chain.
    fn first_of_one_chain(&self, events: &[EventId]) -> Option<EventId> {
        let place = |&event: &EventId| self.model.order.place[event];
        let (chain, _) = place(events.first()?);
        let in_one = events.iter().all(|event| place(event).0 == chain);
        let first = events.iter().copied().min_by_key(|event| place(event).1);
        first.filter(|_| in_one)
    }

    fn require(&mut self, event: EventId) -> Result<(), Refuted> {
        if !self.plan.may_perform(self.model, event) {
            return Err(Refuted);
        }
        let count = self.must.len();
        let clock = &self.clocks[event * count..][..count];
        let (chain, place) = self.model.order.place[event];
        for (at, must) in self.must.iter_mut().enumerate() {
            let own = if at == chain as usize { place + 1 } else { 0 };
            let needed = clock[at].max(own);
            if needed > *must {
                *must = needed;
                self.has_changed = true;
            }
        }
        Ok(())
    }

    /// Adds an edge, and what follows from it by transitivity.
    fn add(&mut self, first: EventId, second: EventId) -> Result<(), Refuted> {
        if first == second || self.is_before(second, first) {
            return Err(Refuted);
        }
        if self.is_before(first, second) {
            return Ok(());
        }
        self.has_changed = true;
        self.edges.push((first, second));
        let count = self.must.len();
        let mut added = self.clocks[first * count..][..count].to_vec();
        let (chain, place) = self.model.order.place[first];
        added[chain as usize] = added[chain as usize].max(place + 1);
        for chain in &self.model.order.chains {
            let start =
                chain.partition_point(|&event| event != second && !self.is_before(second, event));
            for &event in &chain[start..] {
                // Clocks grow along a chain: the first that knows it all ends it.
                if !join(&mut self.clocks[event * count..][..count], &added) {
                    break;
                }
            }
        }
        Ok(())
    }
}

/// Takes in another clock; whether that was news.
fn join(clock: &mut [u32], other: &[u32]) -> bool {
    let mut is_news = false;
    for (own, &other) in clock.iter_mut().zip(other) {
        is_news |= *own < other;
        *own = (*own).max(other);
    }
    is_news
}
