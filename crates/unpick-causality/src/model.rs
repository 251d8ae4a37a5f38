//! The maximal causal model of a trace: everything that any program which can produce the trace must be
//! able to do as well.
//!
//! S. Huang, "Maximal Causality Reduction", dissertation, Texas A&M, 2019; the model itself is due to
//! T. F. Şerbănuţă, F. Chen and G. Roşu, "Maximal causal models for sequentially consistent systems",
//! RV 2012. Two axioms carry it: a prefix of what can happen can happen, and what a task does next
//! depends on nothing but what its earlier reads returned. So an event can be performed wherever
//!
//! - everything before it by ≺ has been performed (`order.rs`),
//! - it finds what it found in the trace: a read its value, a lock that nobody holds,
//! - a notification meets no waiter that it did not meet in the trace,
//! - nothing comes between it and the other events of its transition (`groups.rs`).
//!
//! A [`Model`] never changes; [`crate::Solver`] answers [`crate::Query`]s about it.
//!
//! # Departures from the dissertation
//! - A load may take its value from the store buffer of its task, as in the operational models of TSO and
//!   PSO; the printed formula orders it behind its own store.
//! - Read-modify-writes and fences exist. They wait for the store buffer to be empty.
//! - A notification may lie in the windows of other waits if it did so in the trace. Were that forbidden,
//!   as printed, a trace with two waiters and two notifications would not be in its own model.

use crate::groups::Groups;
use crate::order::{Forwarding, Order};
use crate::replay::{Replay, Violation};
use std::collections::HashMap;
use unpick_engine::Memory;
use unpick_engine::transcript::{Event, EventId, Kind};

/// Why a trace has no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// An event stands before one that it must follow.
    #[error("event {event} stands before one it has to follow; check task, place and fork")]
    OutOfOrder {
        /// The event.
        event: EventId,
    },
    /// The trace does not follow from its own events.
    #[error("event {event} cannot be performed there: {violation}; check values and locks")]
    Impossible {
        /// The event.
        event: EventId,
        /// What stands in its way.
        violation: Violation,
    },
    /// Two events of a task have one place.
    #[error(
        "event {event} has the place of another event of task {task}; number them in program order"
    )]
    SamePlace {
        /// The later event.
        event: EventId,
        /// Its task.
        task: u32,
    },
}

/// A stretch of a task that excludes others: a lock held, or a wait for a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Span {
    pub opens: EventId,
    /// None if it is still open at the end of the trace.
    pub closes: Option<EventId>,
}

/// The maximal causal model of a trace.
pub struct Model {
    pub(crate) events: Vec<Event>,
    pub(crate) order: Order,
    /// How many events come before all others, in place of what happened before the trace.
    pub(crate) opening: usize,
    /// What each location holds in the beginning, as far as that is known.
    pub(crate) initial: Vec<Option<u64>>,
    /// The writes to each location, in the order of the trace.
    pub(crate) writers: Vec<Vec<EventId>>,
    /// The times during which each lock is held, in the order of the trace.
    pub(crate) sections: Vec<Vec<Span>>,
    /// The section that an event opens or closes: lock, and place in `sections`.
    pub(crate) opens: Vec<Option<(u32, u32)>>,
    pub(crate) closes: Vec<Option<(u32, u32)>>,
    /// For a notification, the waits that must not be going on.
    pub(crate) avoids: HashMap<EventId, Vec<Span>>,
    /// For the beginning of a wait, its end.
    pub(crate) wakes: HashMap<EventId, EventId>,
    /// The transitions of several events.
    pub(crate) groups: Groups,
}

impl Model {
    /// The model of `events`, which are in the order in which they took effect. `initial` is what the
    /// locations hold in the beginning. If that is not known of a location, what a read saw there before
    /// any write tells it; else no answer has a read before the first write to it.
    ///
    /// # Errors
    /// If the trace itself cannot happen.
    pub fn new(
        memory: Memory,
        initial: &[Option<u64>],
        events: Vec<Event>,
    ) -> Result<Model, ModelError> {
        let performed = events.len();
        Model::build(
            memory,
            Forwarding::Operational,
            initial,
            events,
            (0, performed),
        )
    }

    /// As [`Model::new`], of a trace of the first `performed` events. The others are what tasks were about to
    /// do when it ended, the last of each; what they read is what they would have seen then.
    ///
    /// # Errors
    /// If the trace itself cannot happen.
    pub fn with_pending(
        memory: Memory,
        initial: &[Option<u64>],
        events: Vec<Event>,
        performed: usize,
    ) -> Result<Model, ModelError> {
        Model::window(memory, initial, events, (0, performed))
    }

    /// As [`Model::with_pending`], of a part of a trace: the first `opening` events come before all others, in place
    /// of what happened before.
    pub(crate) fn window(
        memory: Memory,
        initial: &[Option<u64>],
        events: Vec<Event>,
        (opening, performed): (usize, usize),
    ) -> Result<Model, ModelError> {
        let forwarding = Forwarding::Operational;
        Model::build(memory, forwarding, initial, events, (opening, performed))
    }

    /// As [`Model::new`], but as the formula is printed: a load waits for the own stores to its location,
    /// instead of taking its value from the store buffer. For comparisons with published counts.
    ///
    /// # Errors
    /// If the trace itself cannot happen, which is so too if it has a load that did not wait.
    pub fn as_printed(
        memory: Memory,
        initial: &[Option<u64>],
        events: Vec<Event>,
    ) -> Result<Model, ModelError> {
        let performed = events.len();
        Model::build(memory, Forwarding::Printed, initial, events, (0, performed))
    }

    fn build(
        memory: Memory,
        forwarding: Forwarding,
        initial: &[Option<u64>],
        events: Vec<Event>,
        (opening, performed): (usize, usize),
    ) -> Result<Model, ModelError> {
        check_places(&events)?;
        let order = Order::new((memory, forwarding), &events, opening)
            .map_err(|event| ModelError::OutOfOrder { event })?;
        let mut model = Model {
            initial: initial_values(initial, &events, &order),
            writers: Vec::new(),
            sections: Vec::new(),
            opens: vec![None; events.len()],
            closes: vec![None; events.len()],
            avoids: HashMap::new(),
            wakes: HashMap::new(),
            groups: match forwarding {
                Forwarding::Operational => Groups::new(&events, &order),
                Forwarding::Printed => Groups::default(),
            },
            events,
            order,
            opening,
        };
        model.writers = vec![Vec::new(); model.initial.len()];
        for (id, event) in model.events[..performed].iter().enumerate() {
            if let Some((location, _)) = event.writes() {
                model.writers[location as usize].push(id);
            }
        }
        model.find_sections();
        model.find_windows();
        model.check_trace(performed)?;
        Ok(model)
    }

    /// The events of the trace.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Whether `first` comes before `second` in every execution of the model that has both.
    pub fn must_precede(&self, first: EventId, second: EventId) -> bool {
        self.order.is_before(first, second)
    }

    /// The reads, read-modify-writes among them.
    pub fn reads(&self) -> impl Iterator<Item = EventId> + '_ {
        (0..self.events.len()).filter(|&id| self.events[id].reads().is_some())
    }

    /// The writes, or the initial value (`None`), from which `read` might take another value than it
    /// did: what there is to ask about.
    pub fn alternatives(&self, read: EventId) -> Vec<Option<EventId>> {
        let Some((location, seen)) = self.events[read].reads() else {
            return Vec::new();
        };
        let initial = self.initial[location as usize];
        let begin = initial.filter(|&value| value != seen).map(|_| None);
        let writes = self.writers[location as usize].iter().filter(|&&write| {
            let (_, value) = self.written(write);
            value != seen && write != read && !self.order.is_before(read, write)
        });
        begin
            .into_iter()
            .chain(writes.map(|&write| Some(write)))
            .collect()
    }

    /// What a read would see of a write, or in the beginning (`None`), as far as that is known.
    pub fn value_of(&self, read: EventId, write: Option<EventId>) -> Option<u64> {
        let (location, _) = self.events[read].reads()?;
        match write {
            Some(write) => Some(self.written(write).1),
            None => self.initial[location as usize],
        }
    }

    /// Performs a schedule, in which every event finds what it found in the trace; the last one, if it is
    /// a read, may see something else, and that is returned.
    ///
    /// # Errors
    /// The first event that cannot be performed.
    pub fn replay(&self, schedule: &[EventId]) -> Result<Option<u64>, ModelError> {
        let mut replay = Replay::new(self);
        let Some((&last, before)) = schedule.split_last() else {
            return Ok(None);
        };
        let impossible = |event| move |violation| ModelError::Impossible { event, violation };
        for &event in before {
            replay.check(event).map_err(impossible(event))?;
            replay.perform(event);
        }
        replay.check_ready(last).map_err(impossible(last))?;
        Ok(replay.value_for(last))
    }

    /// Location and value of a write.
    pub(crate) fn written(&self, write: EventId) -> (u32, u64) {
        let written = self.events[write].writes();
        written.expect("internal error: not a write")
    }

    fn find_sections(&mut self) {
        let mut depth: HashMap<(u32, u32), u32> = HashMap::new();
        for (id, event) in self.events.iter().enumerate() {
            let (lock, is_acquired) = match event.kind {
                Kind::Lock { lock } => (lock, true),
                Kind::Unlock { lock } | Kind::Wait { lock, .. } => (lock, false),
                _ => continue,
            };
            if self.sections.len() <= lock as usize {
                self.sections.resize(lock as usize + 1, Vec::new());
            }
            let sections = &mut self.sections[lock as usize];
            let depth = depth.entry((event.task, lock)).or_default();
            if is_acquired {
                if *depth == 0 {
                    self.opens[id] = Some((lock, sections.len() as u32));
                    let span = Span {
                        opens: id,
                        closes: None,
                    };
                    sections.push(span);
                }
                *depth += 1;
                continue;
            }
            *depth = depth.saturating_sub(1);
            if *depth > 0 {
                continue;
            }
            let task = event.task;
            let own = |span: &Span| self.events[span.opens].task == task;
            if let Some(at) = sections.iter().rposition(own) {
                sections[at].closes = Some(id);
                self.closes[id] = Some((lock, at as u32));
            }
        }
    }

    fn find_windows(&mut self) {
        let mut windows: Vec<(u32, Span)> = Vec::new();
        for (id, event) in self.events.iter().enumerate() {
            match event.kind {
                Kind::Wait { condvar, .. } => {
                    let span = Span {
                        opens: id,
                        closes: None,
                    };
                    windows.push((condvar, span));
                }
                Kind::Wake { .. } => {
                    let own = |(_, span): &&mut (u32, Span)| {
                        self.events[span.opens].task == event.task && span.closes.is_none()
                    };
                    if let Some((_, span)) = windows.iter_mut().find(own) {
                        span.closes = Some(id);
                        self.wakes.insert(span.opens, id);
                    }
                }
                _ => {}
            }
        }
        for (id, event) in self.events.iter().enumerate() {
            let Kind::Notify { condvar } = event.kind else {
                continue;
            };
            let is_outside =
                |span: &Span| id < span.opens || span.closes.is_some_and(|end| end < id);
            let avoided = windows
                .iter()
                .filter(|(of, span)| *of == condvar && is_outside(span))
                .map(|(_, span)| *span);
            self.avoids.insert(id, avoided.collect());
        }
    }

    fn check_trace(&self, performed: usize) -> Result<(), ModelError> {
        let mut replay = Replay::new(self);
        for event in 0..performed {
            let impossible = |violation| ModelError::Impossible { event, violation };
            replay.check(event).map_err(impossible)?;
            replay.perform(event);
        }
        Ok(())
    }
}

fn check_places(events: &[Event]) -> Result<(), ModelError> {
    let mut seen = std::collections::HashSet::new();
    for (event, Event { task, place, .. }) in events.iter().enumerate() {
        if !seen.insert((*task, *place)) {
            return Err(ModelError::SamePlace { event, task: *task });
        }
    }
    Ok(())
}

/// What is told of the beginning, and what reads tell that come before all writes.
fn initial_values(told: &[Option<u64>], events: &[Event], order: &Order) -> Vec<Option<u64>> {
    let mut values = told.to_vec();
    let mut is_written = vec![false; told.len()];
    for (id, event) in events.iter().enumerate() {
        for (location, _) in event.reads().into_iter().chain(event.writes()) {
            let count = values.len().max(location as usize + 1);
            values.resize(count, None);
            is_written.resize(count, false);
        }
        if let Some((location, value)) = event.reads() {
            let at = location as usize;
            let is_forwarded = order.forwards[id].is_some_and(|write| write > id);
            if !is_written[at] && !is_forwarded && values[at].is_none() {
                values[at] = Some(value);
            }
        }
        if let Some((location, _)) = event.writes() {
            is_written[location as usize] = true;
        }
    }
    values
}
