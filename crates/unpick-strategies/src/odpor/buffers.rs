//! Stores on their way out of the buffers of their tasks, where memory is weak.

use super::race::Races;
use unpick_trace::{ObjectId, Op};

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

    /// Whether a store could leave its buffer after everything before `first` and after `sequence`: it is
    /// there, and if it is ordered, those before it have left.
    pub(super) fn can_leave(&self, first: usize, sequence: &[usize], second: usize) -> bool {
        let all = self.units.all();
        let is_kept = |unit: usize| unit < first || sequence.contains(&unit);
        let Some((number, store)) = self.store_of(second) else {
            return false;
        };
        let is_ordered = self.history.events()[store].op.argument & Op::ORDERED != 0;
        let mut later = first..self.units.performed();
        let is_missing = |unit: usize| {
            let is_store = (all[unit].first..=all[unit].last).contains(&store);
            let owner_of = |unit: usize| self.execution.agent(all[unit].task).map(|one| one.0);
            let is_older = || {
                let other = self.store_of(unit).map(|(number, _)| number);
                owner_of(unit) == owner_of(second) && other.is_some_and(|other| other < number)
            };
            is_store || is_ordered && unit != second && is_older()
        };
        later.all(|unit| is_kept(unit) || !is_missing(unit))
    }

    /// The store that a flush lets out: how many of its task came before, and the event.
    fn store_of(&self, unit: usize) -> Option<(usize, usize)> {
        let unit = &self.units.all()[unit];
        let (owner, variable) = self.execution.agent(unit.task)?;
        let events = self.history.events();
        let is_store =
            |event: &usize| events[*event].task == owner && events[*event].op.is_buffered();
        let stores = (0..events.len()).filter(is_store).enumerate();
        let mut its = stores.filter(|(_, event)| {
            variable.is_none_or(|variable| variable == events[*event].op.object)
        });
        its.nth(unit.ordinal as usize)
    }
}
