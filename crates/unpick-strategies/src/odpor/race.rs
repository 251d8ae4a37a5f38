//! Races of a finished execution, and the sequences that reverse them.

use super::sections::{Sections, add_accesses};
use super::simulation::{Simulation, can_go_on, follows_arrival};
use super::units::Units;
use alloc::vec::Vec;
use unpick_engine::{Access, Execution, History, conflict};
use unpick_trace::{Op, OpKind};

/// Units of different tasks, one directly after the other, whose order can be reversed.
pub(crate) struct Reversal {
    /// The unit before which the other one is to be performed.
    pub first: usize,
    /// What to perform instead of it, in order.
    pub sequence: Vec<usize>,
    /// What the last of these touches there for certain, if it need not do what it does here.
    pub touches: Option<Vec<Access>>,
}

/// Whether an operation can be performed at some point.
#[derive(PartialEq, Eq)]
enum Possible {
    Yes,
    No,
    /// The search will find out.
    Perhaps,
}

impl From<bool> for Possible {
    fn from(is_possible: bool) -> Possible {
        match is_possible {
            true => Possible::Yes,
            false => Possible::No,
        }
    }
}

/// The races of a finished execution.
pub(crate) struct Races<'a> {
    pub units: &'a mut Units,
    pub history: &'a History,
    pub sections: &'a Sections,
    pub execution: &'a Execution,
}

impl Races<'_> {
    /// The sequences that reverse them.
    pub fn reversals(&self) -> Vec<Reversal> {
        let mut found = Vec::new();
        for second in 0..self.units.all().len() {
            let direct = self.units.direct(second);
            for (index, first) in direct.iter().enumerate() {
                let is_after =
                    |other: &usize| other != first && self.units.is_before(*first, *other);
                if !direct[..index].contains(first) && !direct.iter().any(is_after) {
                    self.reverse(*first, second, &mut found);
                }
            }
        }
        found
    }

    /// Adds the sequence that performs `second` before `direct`, which it directly follows.
    ///
    /// An operation that blocks may not be possible there: a lock before the release that made it
    /// possible. Then it is tried before what made it impossible, the acquisition.
    fn reverse(&self, direct: usize, second: usize, found: &mut Vec<Reversal>) {
        let units = &*self.units;
        let unit = &units.all()[second];
        let mut wanted = Vec::new();
        self.history
            .add_wanted(self.execution, &unit.op, &mut wanted);
        // What else it follows directly is overtaken first, by a reversal of its own, if there is one.
        let others = units.direct(second).iter();
        let others: Vec<usize> = others
            .copied()
            .filter(|&other| !units.is_before(other, direct) && self.can_overtake(other, second))
            .collect();
        if unit.before.is_some_and(|own| units.is_before(direct, own)) {
            return;
        }
        for first in (0..=direct).rev() {
            let is_obstacle = || conflict(units.accesses(first), &wanted, false);
            if first != direct && !is_obstacle() {
                continue;
            }
            // What has to come before `second` does not end the way back: where it commutes with what
            // lies further back, as reading does with reading, that can be overtaken all the same.
            let is_forced = |other: &usize| units.is_before(first, *other);
            if others.iter().chain(&unit.before).any(is_forced) {
                continue;
            }
            let mut sequence = self.kept(first, second);
            let possible = self.possible(first, &sequence, second);
            if possible != Possible::No {
                let touches = self.touches_elsewhere((direct, first), &sequence, second);
                sequence.push(second);
                found.push(Reversal {
                    first,
                    sequence,
                    touches,
                });
            }
            if possible == Possible::Yes {
                return;
            }
        }
    }

    /// What comes after `first` and does not depend on it, but for `second`.
    fn kept(&self, first: usize, second: usize) -> Vec<usize> {
        let units = &*self.units;
        (first + 1..units.performed())
            .filter(|&other| other != second && !units.is_before(first, other))
            .collect()
    }

    /// Whether `second` may be possible before `first`.
    fn can_overtake(&self, first: usize, second: usize) -> bool {
        let sequence = self.kept(first, second);
        self.possible(first, &sequence, second) != Possible::No
    }

    /// Whether `second` can be performed after everything before `first` and after `sequence`.
    fn possible(&self, first: usize, sequence: &[usize], second: usize) -> Possible {
        let all = self.units.all();
        let op = &all[second].op;
        match op.kind {
            // It comes after everything before it, wherever it stands.
            _ if all[second].follows_all => Possible::No,
            _ if self.execution.may_await_clock(op) => self.was_possible(first, sequence, second),
            _ if op.timed || op.is_arrival() => Possible::Yes,
            OpKind::Join => self.has_ended(first, sequence, op.object).into(),
            OpKind::Drain => self.is_empty(first, sequence, all[second].task).into(),
            OpKind::Flush => self.can_leave(first, sequence, second).into(),
            OpKind::BarrierWait | OpKind::Send if follows_arrival(self.execution, op) => {
                can_go_on(self, self.events(first, sequence), &all[second]).into()
            }
            OpKind::Wait => self.was_possible(first, sequence, second),
            OpKind::Park if self.is_woken(second) => Possible::Yes,
            OpKind::Lock
            | OpKind::ReadLock
            | OpKind::WriteLock
            | OpKind::OnceEnter
            | OpKind::Acquire
            | OpKind::Park
            | OpKind::Receive
            | OpKind::Send => self.simulate(first, sequence, op).admits(op).into(),
            _ => Possible::Yes,
        }
    }

    /// The object of an operation after everything before `first` and after `sequence`.
    fn simulate(&self, first: usize, sequence: &[usize], op: &Op) -> Simulation {
        let mut object = Simulation::new(self.execution, self.history, op);
        for event in self.events(first, sequence) {
            object.perform(self.history, event);
        }
        object
    }

    /// The events of all units before `first` and of `sequence`.
    fn events(&self, first: usize, sequence: &[usize]) -> impl Iterator<Item = usize> {
        let all = self.units.all();
        let kept = (0..first).chain(sequence.iter().copied());
        kept.flat_map(|unit| all[unit].first..=all[unit].last)
    }

    /// What `second` touches after everything before `first` and after `sequence`, as far as that is
    /// certain; `None` if it does there just what it does here.
    ///
    /// It does if it races only by where it leads to, or by failing: then it sees the same without what it
    /// overtakes. Otherwise it may see something else there and lead to something else, or not fail.
    /// Which place a message takes depends on the messages before it, and one that came too late here
    /// may find a place and a receiver there.
    fn touches_elsewhere(
        &self,
        (direct, first): (usize, usize),
        sequence: &[usize],
        second: usize,
    ) -> Option<Vec<Access>> {
        use OpKind::{Receive, Send, TryReceive, TrySend};
        let unit = &self.units.all()[second];
        let op = &unit.op;
        let is_message = matches!(op.kind, Send | TrySend | Receive | TryReceive)
            && self.execution.capacity(op.object) != Some(0);
        if !is_message && !self.leads_somewhere(second) {
            return None;
        }
        let mut touches = Vec::new();
        if second < self.units.performed() {
            let section = self.sections.at(unit.first);
            let deeds = (unit.first..=unit.last).flat_map(|event| self.history.deeds(event));
            add_accesses(deeds, section, &mut touches);
        } else {
            touches.extend_from_slice(self.units.accesses(second));
        }
        if first == direct && !conflict(&touches, self.units.accesses(first), false) {
            return None;
        }
        if is_message {
            touches.retain(|access| access.location.object != op.object);
            let channel = self.simulate(first, sequence, op);
            channel.add_accesses(self.execution, self.history, op, &mut touches);
        }
        Some(touches)
    }

    /// Whether a unit has failed, or done anything else besides its deeds.
    fn leads_somewhere(&self, unit: usize) -> bool {
        let history = self.history;
        let has_marks = |event| history.deeds(event) != history.accesses(event);
        let is_performed = unit < self.units.performed();
        let unit = &self.units.all()[unit];
        is_performed && (unit.is_last || (unit.first..=unit.last).any(has_marks))
    }

    /// As [`Races::possible`], by what the execution saw.
    fn was_possible(&self, first: usize, sequence: &[usize], second: usize) -> Possible {
        let unit = &self.units.all()[second];
        let was_there = unit.before.is_none_or(|before| before < first);
        let has_changed = |other: &usize| self.units.depend(*other, second);
        if !was_there || sequence.iter().any(has_changed) {
            return Possible::Perhaps;
        }
        let step = self.history.events()[self.units.all()[first].first].step;
        self.execution
            .trace()
            .enabled(step)
            .contains(unit.task)
            .into()
    }

    /// Whether a park ends by itself: that was decided when it began.
    fn is_woken(&self, second: usize) -> bool {
        let before = self.units.all()[second].before;
        let event = before.map(|before| self.units.all()[before].last);
        event.is_some_and(|event| self.answers(event).iter().any(|answer| *answer != 0))
    }

    /// The answers given within an event; none if it was not performed.
    pub fn answers(&self, event: usize) -> Vec<u32> {
        let Some(from) = self.history.events().get(event) else {
            return Vec::new();
        };
        let steps = &self.execution.trace().steps[from.step + 1..];
        let within = steps.iter().take_while(|step| !step.is_operation());
        within.map(|step| step.choice.answer()).collect()
    }
}
