//! Stores that wait in the buffers of their tasks: the write is where it takes effect.

use super::event::{Event, Kind};
use super::writer::Writer;
use super::{Deed, Place};
use unpick_trace::{ObjectId, Op, TaskId};

/// A store that waits in its buffer.
pub(super) struct Waiting {
    owner: TaskId,
    variable: ObjectId,
    number: u32,
    event: Event,
    place: Place,
    step: usize,
    plain: u64,
}

impl Writer<'_> {
    /// A store goes into the buffer of its task.
    pub(super) fn wait(&mut self, op: Op, kind: Kind, step: usize) {
        let task = self.acting.task;
        let (place, position) = self.next_place();
        let made = Event::new(task.0, position, kind);
        let ordered = op.argument & Op::ORDERED != 0;
        let stores = &mut self.stores[task.index()];
        *stores += 1;
        self.waiting.push(Waiting {
            owner: task,
            variable: op.object,
            number: *stores - 1,
            event: if ordered { made.ordered() } else { made },
            place,
            step,
            plain: self.plain_site(),
        });
    }

    pub(super) fn write_flush(&mut self, owner: TaskId, variable: Option<ObjectId>) {
        let is_it = |one: &Waiting| {
            one.owner == owner && variable.is_none_or(|variable| one.variable == variable)
        };
        let found = self.waiting.iter().position(is_it);
        let found = found.expect("internal error: a flush of what was not stored");
        let waiting = self.waiting.remove(found);
        self.let_out(waiting);
    }

    fn let_out(&mut self, waiting: Waiting) {
        if let Kind::Write { location, value } = waiting.event.kind {
            self.versions[location as usize] = value;
        }
        self.transcript.events.push(waiting.event);
        self.transcript.places.push(waiting.place);
        self.transcript.steps.push(waiting.step);
        self.transcript.plain.push(waiting.plain);
        self.transcript.deeds.push(Deed::Flush {
            task: self.keys[waiting.owner.index()],
            number: waiting.number,
        });
    }

    /// An execution that ended early has left stores in buffers, which can leave them any time.
    pub(super) fn write_waiting_stores(&mut self) {
        for waiting in core::mem::take(&mut self.waiting) {
            self.let_out(waiting);
        }
    }

    /// What a task sees of a location: its newest own store that waits, or what all see.
    pub(super) fn visible(&self, task: TaskId, location: u32) -> u64 {
        let own = self.waiting.iter().rev().filter(|one| one.owner == task);
        let values = own.filter_map(|one| one.event.writes());
        let mut values = values.filter(|(at, _)| *at == location);
        let newest = values.next().map(|(_, value)| value);
        newest.unwrap_or(self.versions[location as usize])
    }
}
