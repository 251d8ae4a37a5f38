//! Stores on their way out of the buffers of their tasks, where memory is weak.

use super::race::Races;
use alloc::{vec, vec::Vec};
use unpick_trace::{ObjectId, Op, TaskId};

/// A store that a task has put into its buffer.
struct Store {
    /// The event.
    event: usize,
    variable: ObjectId,
    /// Leaves after the stores of its task below this number.
    after: usize,
}

impl Races<'_> {
    /// Whether a task has ended after everything before `first` and after `sequence`: it has nothing more to
    /// do, and its stores have left the buffer.
    pub(super) fn has_ended(&self, first: usize, sequence: &[usize], object: ObjectId) -> bool {
        let joined = self.execution.task_of(object);
        let is_its = |unit: usize| {
            let task = self.units.all()[unit].task;
            let owner = self.execution.agent(task).map(|(owner, _)| owner);
            Some(owner.unwrap_or(task)) == joined
        };
        let mut later = (first..self.units.performed()).rev();
        later.all(|unit| !is_its(unit) || sequence.contains(&unit))
    }

    /// Whether the buffer of a task is empty after everything before `first` and after `sequence`.
    pub(super) fn is_empty(&self, first: usize, sequence: &[usize], owner: TaskId) -> bool {
        let is_kept = self.kept_events(first, sequence);
        let has_left = self.departures(owner, &is_kept);
        let stores = self.stores(owner);
        let mut stores = stores.iter().enumerate();
        stores.all(|(number, store)| !is_kept[store.event] || has_left[number])
    }

    /// Whether a store could leave its buffer after everything before `first` and after `sequence`: it is
    /// there, and those that must leave before it have left.
    pub(super) fn can_leave(&self, first: usize, sequence: &[usize], second: usize) -> bool {
        let Some((owner, variable)) = self.execution.agent(self.units.all()[second].task) else {
            return false;
        };
        let is_kept = self.kept_events(first, sequence);
        let has_left = self.departures(owner, &is_kept);
        let stores = self.stores(owner);
        let is_queued = |store: &Store| variable.is_none_or(|variable| variable == store.variable);
        let Some(number) = self.number_of(second, owner, &stores, &is_queued) else {
            return false;
        };
        let store = &stores[number];
        let mut earlier = stores[..number].iter().enumerate();
        is_kept[store.event]
            && earlier.all(|(other, earlier)| {
                has_left[other] || other >= store.after && !is_queued(earlier)
            })
    }

    /// The store that a flush lets out: how many of its task came before.
    fn number_of(
        &self,
        flush: usize,
        owner: TaskId,
        stores: &[Store],
        is_queued: &dyn Fn(&Store) -> bool,
    ) -> Option<usize> {
        let buffer = self.execution.buffer_of(owner)?;
        if flush < self.units.performed() {
            let event = self.units.all()[flush].first;
            let mut flushed = self.history.flushes(event, buffer);
            return flushed.next().map(|number| number as usize);
        }
        // It has not happened: the first store that is still there.
        let has_left = self.departures(owner, &vec![true; self.history.events().len()]);
        (0..stores.len()).find(|&number| !has_left[number] && is_queued(&stores[number]))
    }

    /// By event: whether it is before `first` or in `sequence`.
    fn kept_events(&self, first: usize, sequence: &[usize]) -> Vec<bool> {
        let mut is_kept = vec![false; self.history.events().len()];
        for unit in (0..first).chain(sequence.iter().copied()) {
            let unit = &self.units.all()[unit];
            is_kept[unit.first..=unit.last].fill(true);
        }
        is_kept
    }

    /// By store of a task: whether it leaves the buffer with one of these events.
    fn departures(&self, owner: TaskId, is_kept: &[bool]) -> Vec<bool> {
        let events = self.history.events().iter();
        let mut has_left = vec![false; events.filter(|event| event.task == owner).count()];
        let Some(buffer) = self.execution.buffer_of(owner) else {
            return has_left;
        };
        for event in (0..is_kept.len()).filter(|&event| is_kept[event]) {
            for number in self.history.flushes(event, buffer) {
                has_left[number as usize] = true;
            }
        }
        has_left
    }

    /// The stores of a task that went into its buffer, in order.
    fn stores(&self, owner: TaskId) -> Vec<Store> {
        let (mut stores, mut fenced) = (Vec::new(), 0);
        let events = self.history.events().iter().enumerate();
        for (number, event) in events.filter(|(_, event)| event.task == owner) {
            if event.op.keeps_order() {
                fenced = stores.len();
            }
            if event.op.is_buffered() {
                let is_ordered = event.op.argument & Op::ORDERED != 0;
                stores.push(Store {
                    event: number,
                    variable: event.op.object,
                    after: if is_ordered { stores.len() } else { fenced },
                });
            }
        }
        stores
    }
}
