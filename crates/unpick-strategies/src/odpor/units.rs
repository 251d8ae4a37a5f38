//! The happens-before relation of a finished execution over units: the pieces that a search moves
//! as a whole. A unit is one event, or a whole critical section.

use super::chains::Chains;
use super::objects::Objects;
use super::sections::{Sections, add_accesses};
use super::unit::Rank;
pub(crate) use super::unit::Unit;
use crate::names::Names;
use alloc::vec::Vec;
use unpick_engine::{Access, Execution, History, Mode, conflict};
use unpick_trace::{Op, OpKind, TaskId};

/// The units of an execution: the performed ones in order, then the pending ones.
#[derive(Clone, Default)]
pub(crate) struct Units {
    pub(super) units: Vec<Unit>,
    performed: usize,
    pub(super) accesses: Vec<Access>,
    direct: Vec<usize>,
    /// Clocks of the performed units, `width` entries each.
    clocks: Vec<u32>,
    width: usize,
    chains: Chains,
    /// If they are taken from another execution: objects below this number are the same there.
    pub(super) foreign_from: Option<u32>,
    /// By task: its last unit or the one that created it, and its number of units.
    tasks: Vec<(Option<usize>, u32)>,
}

impl Units {
    /// Works out the units of an execution that has ended.
    pub fn build(
        &mut self,
        execution: &Execution,
        history: &History,
        names: &Names,
        (sections, objects): (&Sections, &Objects),
    ) {
        self.clear(execution.task_count());
        let events = history.events();
        let mut own = Vec::new();
        let mut event = 0;
        while event < events.len() {
            let section = sections.at(event);
            let last = section.map_or(event, |section| section.last);
            let accesses = (event..=last).flat_map(|event| history.accesses(event));
            add_accesses(accesses, section, &mut own);
            let first = &events[event];
            let rank = Rank {
                is_last: events[last].is_last,
                follows_all: first.follows_all,
            };
            let range = (event, last);
            self.push(names, first.task, first.op, range, rank, &mut own);
            self.perform(history);
            event = last + 1;
        }
        self.add_pending(execution, history, names, (sections, objects));
    }

    fn clear(&mut self, task_count: usize) {
        self.units.clear();
        self.performed = 0;
        self.accesses.clear();
        self.direct.clear();
        self.clocks.clear();
        self.width = task_count;
        self.chains.clear();
        self.tasks.clear();
        self.tasks.resize(task_count, (None, 0));
    }

    /// The next operations of tasks that have not ended. They follow a failure, or the end of the process.
    fn add_pending(
        &mut self,
        execution: &Execution,
        history: &History,
        names: &Names,
        (sections, objects): (&Sections, &Objects),
    ) {
        let is_cut_short = execution.is_cut_short();
        let end = history.events().len();
        let mut own = Vec::new();
        for index in 0..execution.task_count() {
            let task = TaskId(index as u32);
            if execution.is_pending(task) {
                history.add_pending(execution, task, &mut own);
                let key = objects.point(history, names, task);
                if sections.was_movable(key) {
                    own.iter_mut().for_each(|lock| lock.mode = Mode::Read);
                }
                let op = execution.pending_op(task);
                let rank = Rank {
                    is_last: false,
                    follows_all: op.kind == OpKind::Quiesce,
                };
                let number = self.push(names, task, op, (end, end), rank, &mut own);
                self.units[number].is_partial = sections.is_movable(execution, key, task);
                let last = self.performed.checked_sub(1).filter(|_| is_cut_short);
                if let Some(last) = last.filter(|&last| self.units[last].task != task) {
                    self.direct.push(last);
                    self.units[number].direct.1 += 1;
                }
            }
        }
    }

    fn push(
        &mut self,
        names: &Names,
        task: TaskId,
        op: Op,
        (first, last): (usize, usize),
        rank: Rank,
        own: &mut Vec<Access>,
    ) -> usize {
        let (before, ordinal) = self.tasks[task.index()];
        let (start, direct) = (self.accesses.len(), self.direct.len());
        for access in own.iter() {
            let units = &self.units;
            let before = self.chains.before(access).iter();
            let others = before.filter(|&&unit| units[unit].task != task);
            self.direct.extend(others);
        }
        if rank.is_last || rank.follows_all {
            for other in self.tasks.iter().filter_map(|(last, _)| *last) {
                if self.units[other].task != task {
                    self.direct.push(other);
                }
            }
        }
        self.accesses.append(own);
        self.units.push(Unit {
            task,
            name: names.name(task),
            ordinal,
            before,
            first,
            last,
            op,
            is_last: rank.is_last,
            follows_all: rank.follows_all,
            is_partial: false,
            accesses: (start, self.accesses.len()),
            direct: (direct, self.direct.len()),
        });
        self.units.len() - 1
    }

    /// Lets the unit added last take effect: later ones may depend on it.
    fn perform(&mut self, history: &History) {
        let number = self.units.len() - 1;
        let unit = self.units[number];
        let width = self.width;
        self.clocks.resize((number + 1) * width, 0);
        let (earlier, clock) = self.clocks.split_at_mut(number * width);
        let (start, end) = unit.direct;
        for &other in self.direct[start..end].iter().chain(&unit.before) {
            for (mine, theirs) in clock.iter_mut().zip(&earlier[other * width..][..width]) {
                *mine = (*mine).max(*theirs);
            }
        }
        clock[unit.task.index()] = unit.ordinal + 1;
        for index in unit.accesses.0..unit.accesses.1 {
            self.chains.add(&self.accesses[index], number);
        }
        self.tasks[unit.task.index()] = (Some(number), unit.ordinal + 1);
        for (index, task) in self.tasks.iter_mut().enumerate() {
            let creator = history.creator_of(TaskId(index as u32));
            if creator.is_some_and(|event| (unit.first..=unit.last).contains(&event)) {
                task.0 = Some(number);
            }
        }
        self.performed += 1;
    }

    /// Adds a unit as it would be elsewhere, where it touches this for certain and need not fail.
    pub fn add_moved(&mut self, unit: usize, accesses: &[Access]) -> usize {
        let start = self.accesses.len();
        self.accesses.extend_from_slice(accesses);
        self.units.push(Unit {
            accesses: (start, self.accesses.len()),
            is_last: false,
            ..self.units[unit]
        });
        self.units.len() - 1
    }

    /// All of them.
    pub fn all(&self) -> &[Unit] {
        &self.units
    }

    /// The number of performed ones, which come first.
    pub fn performed(&self) -> usize {
        self.performed
    }

    /// What a unit touches.
    pub fn accesses(&self, unit: usize) -> &[Access] {
        let (start, end) = self.units[unit].accesses;
        &self.accesses[start..end]
    }

    /// The units of other tasks that a unit follows directly through some location.
    pub fn direct(&self, unit: usize) -> &[usize] {
        let (start, end) = self.units[unit].direct;
        &self.direct[start..end]
    }

    /// By task: how many of its units happen before a performed unit, or are this one.
    pub fn clock(&self, unit: usize) -> &[u32] {
        &self.clocks[unit * self.width..][..self.width]
    }

    /// Whether a performed unit happens before another performed one, or is the same.
    pub fn is_before(&self, one: usize, other: usize) -> bool {
        let unit = &self.units[one];
        self.clock(other)[unit.task.index()] > unit.ordinal
    }

    /// Whether two units of one execution cannot be swapped where they stand side by side.
    pub fn depend(&self, one: usize, other: usize) -> bool {
        let (first, second) = (&self.units[one], &self.units[other]);
        first.task == second.task
            || second.before == Some(one)
            || first.is_last
            || second.is_last
            || first.is_partial
            || second.is_partial
            || conflict(self.accesses(one), self.accesses(other), false)
    }
}
