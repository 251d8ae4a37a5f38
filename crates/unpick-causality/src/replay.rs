//! Performing events of a model, one after the other, and taking them back.
//!
//! The state is how far each chain has come, what the locations hold, and which locks are held. This is
//! the operational reading of the model; searching and checking share it.

use crate::model::Model;
use unpick_engine::transcript::EventId;

/// Why an event cannot be performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// An event that comes before it has not been performed, or it has been performed itself.
    #[error("it is not the turn of this event")]
    Order,
    /// Another task holds the lock.
    #[error("the lock is held")]
    Held,
    /// A task waits that did not wait when this notification was made.
    #[error("the notification meets another waiter")]
    Heard,
    /// A read would see something else.
    #[error("the location holds another value")]
    Value,
}

/// A state on the way through some events of a model.
pub(crate) struct Replay<'m> {
    model: &'m Model,
    /// How many events of each chain have been performed.
    pub position: Vec<u32>,
    /// What each location holds, as far as that is known.
    pub values: Vec<Option<u64>>,
    /// The last write to each location.
    pub writers: Vec<Option<EventId>>,
    is_held: Vec<bool>,
    /// What was performed, with what the location written held before.
    log: Vec<(EventId, Option<u64>, Option<EventId>)>,
}

impl<'m> Replay<'m> {
    /// The state in the beginning.
    pub fn new(model: &'m Model) -> Replay<'m> {
        Replay {
            model,
            position: vec![0; model.order.chain_count()],
            values: model.initial.clone(),
            writers: vec![None; model.initial.len()],
            is_held: vec![false; model.sections.len()],
            log: Vec::new(),
        }
    }

    /// Whether an event has been performed.
    pub fn is_done(&self, event: EventId) -> bool {
        let (chain, place) = self.model.order.place[event];
        self.position[chain as usize] > place
    }

    /// What a read would see now.
    pub fn value_for(&self, read: EventId) -> Option<u64> {
        let (location, _) = self.model.events[read].reads()?;
        match self.forwarder(read) {
            Some(write) => Some(self.model.written(write).1),
            None => self.values[location as usize],
        }
    }

    /// The own write in the store buffer that a read would see now.
    pub fn forwarder(&self, read: EventId) -> Option<EventId> {
        self.model.order.forwards[read].filter(|&write| !self.is_done(write))
    }

    /// Whether it is an event's turn and nothing keeps it from being performed, whatever it reads.
    pub fn check_ready(&self, event: EventId) -> Result<(), Violation> {
        let order = &self.model.order;
        let (chain, place) = order.place[event];
        if self.position[chain as usize] != place
            || !order.across[event]
                .iter()
                .all(|&before| self.is_done(before))
        {
            return Err(Violation::Order);
        }
        if let Some((lock, _)) = self.model.opens[event]
            && self.is_held[lock as usize]
        {
            return Err(Violation::Held);
        }
        if self.model.avoids.is_empty() {
            return Ok(());
        }
        let mut avoided = self.model.avoids.get(&event).into_iter().flatten();
        let is_open = |closes: Option<EventId>| closes.is_none_or(|end| !self.is_done(end));
        match avoided.any(|span| self.is_done(span.opens) && is_open(span.closes)) {
            true => Err(Violation::Heard),
            false => Ok(()),
        }
    }

    /// Whether an event can be performed now and sees what it saw in the trace.
    pub fn check(&self, event: EventId) -> Result<(), Violation> {
        self.check_ready(event)?;
        match self.model.events[event].reads() {
            Some((_, value)) if self.value_for(event) != Some(value) => Err(Violation::Value),
            _ => Ok(()),
        }
    }

    /// Performs an event.
    pub fn perform(&mut self, event: EventId) {
        let (chain, place) = self.model.order.place[event];
        self.position[chain as usize] = place + 1;
        let mut before = (None, None);
        if let Some((location, value)) = self.model.events[event].writes() {
            let at = location as usize;
            before = (
                self.values[at].replace(value),
                self.writers[at].replace(event),
            );
        }
        if let Some((lock, _)) = self.model.opens[event] {
            self.is_held[lock as usize] = true;
        }
        if let Some((lock, _)) = self.model.closes[event] {
            self.is_held[lock as usize] = false;
        }
        self.log.push((event, before.0, before.1));
    }

    /// Takes the last event back.
    pub fn take_back(&mut self) -> Option<EventId> {
        let (event, value, writer) = self.log.pop()?;
        let (chain, place) = self.model.order.place[event];
        self.position[chain as usize] = place;
        if let Some((location, _)) = self.model.events[event].writes() {
            self.values[location as usize] = value;
            self.writers[location as usize] = writer;
        }
        if let Some((lock, _)) = self.model.opens[event] {
            self.is_held[lock as usize] = false;
        }
        if let Some((lock, _)) = self.model.closes[event] {
            self.is_held[lock as usize] = true;
        }
        Some(event)
    }

    /// The event performed last.
    pub fn last(&self) -> Option<EventId> {
        self.log.last().map(|&(event, ..)| event)
    }

    /// How many events have been performed.
    pub fn len(&self) -> usize {
        self.log.len()
    }

    /// The events performed, in order.
    pub fn schedule(&self) -> Vec<EventId> {
        self.log.iter().map(|&(event, ..)| event).collect()
    }
}
