//! A part of a long trace, looked at for itself.
//!
//! Everything before a window stays as it was: the window begins with the contents of memory and the locks that
//! were held then, and its schedules go on from there. What such a schedule shows is possible, therefore. What it
//! does not show may be possible in an order that reaches beyond the window. Questions about a few hundred events
//! are answered in a fraction of the time of those about thousands.

use crate::model::{Model, ModelError};
use std::collections::BTreeMap;
use std::ops::Range;
use unpick_engine::transcript::{Event, EventId, Kind, Transcript};

/// A part of a trace, with its model.
pub(crate) struct Window {
    /// Its model, in which events have numbers of their own.
    pub model: Model,
    range: Range<EventId>,
    /// How many events of the model stand for what was before.
    opening: usize,
}

impl Window {
    /// A part of the events of a transcript. If it goes to the end of what was performed, what was about to
    /// happen then is part of it as well.
    ///
    /// # Errors
    /// If something has changed what the program reads besides the events that were seen.
    pub fn new(transcript: &Transcript, part: Range<EventId>) -> Result<Window, ModelError> {
        let all = &transcript.events;
        let is_last = part.end == transcript.performed;
        let range = part.start..if is_last { all.len() } else { part.end };
        let mut initial = transcript.initial.clone();
        let mut held: BTreeMap<(u32, u32), u32> = BTreeMap::new();
        for event in &all[..range.start] {
            if let Some((location, value)) = event.writes() {
                initial[location as usize] = Some(value);
            }
            match event.kind {
                Kind::Lock { lock } => *held.entry((event.task, lock)).or_default() += 1,
                Kind::Unlock { lock } | Kind::Wait { lock, .. } => {
                    let depth = held.entry((event.task, lock)).or_default();
                    *depth = depth.saturating_sub(1);
                }
                _ => {}
            }
        }
        let locks = held
            .into_iter()
            .flat_map(|((task, lock), depth)| (0..depth).map(move |_| (task, Kind::Lock { lock })));
        let mut events: Vec<Event> = (0..)
            .zip(locks)
            .map(|(place, (task, kind))| Event::new(task, place, kind))
            .collect();
        let opening = events.len();
        events.extend(all[range.clone()].iter().map(|event| Event {
            place: event.place + opening as u32,
            ..*event
        }));
        let performed = opening + part.len();
        let model = Model::window(transcript.memory, &initial, events, (opening, performed))?;
        Ok(Window {
            model,
            range,
            opening,
        })
    }

    /// The number of an event in the model, if it is in the window.
    pub fn local(&self, event: EventId) -> Option<EventId> {
        let is_inside = self.range.contains(&event);
        is_inside.then(|| event - self.range.start + self.opening)
    }

    /// The number of an event of the model in the trace.
    pub fn global(&self, event: EventId) -> EventId {
        event - self.opening + self.range.start
    }

    /// The events of the model that are in the window.
    pub fn events(&self) -> Range<EventId> {
        self.opening..self.model.events().len()
    }

    /// A schedule of the model as one of the whole trace: what was before, and then its events.
    pub fn whole(&self, schedule: &[EventId]) -> Vec<EventId> {
        let own = schedule.iter().filter(|&&event| event >= self.opening);
        let own = own.map(|&event| self.global(event));
        (0..self.range.start).chain(own).collect()
    }
}

/// The parts of so many events that are looked at, at most `size` events each: two neighbours share half of their
/// events, so that whatever is less than half a window apart is seen together.
pub(crate) fn parts(count: usize, size: usize) -> Vec<Range<EventId>> {
    let size = size.max(2);
    let stride = size.div_ceil(2);
    let mut parts = Vec::new();
    let mut start = 0;
    loop {
        let end = (start + size).min(count);
        parts.push(start..end);
        if end == count {
            return parts;
        }
        start += stride;
    }
}

/// The events of each part that are asked about there: those with most of the others around them. Every event is in
/// one of these.
pub(crate) fn cores(parts: &[Range<EventId>]) -> Vec<Range<EventId>> {
    let middle = |one: &Range<EventId>, next: &Range<EventId>| next.start.midpoint(one.end);
    let mut cores = Vec::new();
    let mut start = 0;
    for (at, part) in parts.iter().enumerate() {
        let end = parts
            .get(at + 1)
            .map_or(usize::MAX, |next| middle(part, next));
        cores.push(start..end);
        start = end;
    }
    cores
}

#[cfg(test)]
mod tests;
