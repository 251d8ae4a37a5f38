//! Objects that are the same in different executions.
//!
//! An object is known by its first use, so that its number depends on the schedule. But a task that
//! has seen the same does the same: its next operation means the same object. So objects are
//! recognised by the tasks that use them. What a task sees is the value it is given, or else follows
//! from all that happened before, the order of locking aside.

use crate::names::Names;
use alloc::{collections::BTreeMap, vec, vec::Vec};
use unpick_engine::{Execution, History, Relation};
use unpick_trace::{ObjectId, OpKind, TaskId};

/// A task by name, the number of its events, and a hash of what it has seen.
pub(crate) type Point = (u32, u32, u64);

#[derive(Clone, Default)]
pub(crate) struct Objects {
    /// Which object the next operation of a task means; none if that has turned out not to follow.
    pub(super) known: BTreeMap<Point, Option<u32>>,
    /// By identity: the one it has turned out to be the same as, or itself.
    pub(super) same: Vec<u32>,
    /// By identity: those that were seen to be other objects, as bits.
    pub(super) others: Vec<Vec<u64>>,
    /// By object of the current execution.
    pub(super) identities: Vec<Option<u32>>,
    /// By task of the current execution: what it has seen.
    seen: Vec<u64>,
    event_count: usize,
}

impl Objects {
    /// Prepares for another execution.
    pub fn reset(&mut self) {
        self.identities.clear();
        self.seen.clear();
        self.event_count = 0;
    }

    /// Takes in what has happened since.
    pub fn update(&mut self, execution: &Execution, history: &History, names: &Names) {
        let steps = &execution.trace().steps;
        if self.seen.is_empty() {
            let opening = steps.iter().take_while(|step| !step.is_operation());
            let answers = opening.map(|step| u64::from(step.choice.answer()) + 1);
            self.seen.push(answers.fold(0, mix));
        }
        for number in self.event_count..history.events().len() {
            let event = &history.events()[number];
            let task = event.task.index();
            let mut seen = self.seen[task];
            let rest = steps[event.step + 1..].iter();
            let asked = rest.take_while(|step| !step.is_operation());
            for step in core::iter::once(&steps[event.step]).chain(asked) {
                let what = step.op.kind as u64 | u64::from(event.is_refused) << 8;
                seen = mix(mix(seen, what), step.value);
            }
            if !is_open(history, number) {
                seen = mix(seen, history.event_hash(Relation::Lazy, number) as u64);
            }
            self.seen[task] = seen;
            while history.creator_of(TaskId(self.seen.len() as u32)) == Some(number) {
                self.seen.push(seen);
            }
        }
        self.event_count = history.events().len();
        for (index, info) in execution.trace().tasks.iter().enumerate() {
            let task = TaskId(index as u32);
            let name = names.name(task);
            self.note(info.object, (name, u32::MAX, 0));
            if let Some(buffer) = execution.buffer_of(task) {
                self.note(buffer, (name, u32::MAX - 1, 0));
            }
        }
        for index in 0..self.seen.len() {
            let task = TaskId(index as u32);
            let object = execution.pending_op(task).object;
            if object != ObjectId::NONE && execution.is_pending(task) {
                self.note(object, self.point(history, names, task));
            }
        }
    }

    /// Where a task of the current execution stands.
    pub fn point(&self, history: &History, names: &Names, task: TaskId) -> Point {
        let seen = self.seen.get(task.index()).copied().unwrap_or_default();
        (names.name(task), history.event_count_of(task), seen)
    }

    /// Notes that the next operation at a point means an object.
    fn note(&mut self, object: ObjectId, point: Point) {
        if self.identities.len() <= object.index() {
            self.identities.resize(object.index() + 1, None);
        }
        let known = self.known.get(&point).copied();
        match (known, self.identities[object.index()]) {
            (Some(None), _) => {}
            (Some(Some(other)), Some(mine)) if !self.merge(mine, other) => {
                self.known.insert(point, None);
            }
            (Some(Some(_)), Some(_)) => {}
            (Some(known), None) => self.identities[object.index()] = known,
            (None, mine) => {
                let identity = mine.unwrap_or_else(|| self.new_identity());
                self.identities[object.index()] = Some(identity);
                self.known.insert(point, Some(identity));
            }
        }
    }

    pub(super) fn new_identity(&mut self) -> u32 {
        self.same.push(self.same.len() as u32);
        self.others.push(Vec::new());
        self.same.len() as u32 - 1
    }

    /// Two identities are one object, unless they were seen to be two.
    pub(super) fn merge(&mut self, one: u32, other: u32) -> bool {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            if self.are_different(one, other) {
                return false;
            }
            self.same[other as usize] = one;
            let others = core::mem::take(&mut self.others[other as usize]);
            self.add_others(one, &others);
        }
        true
    }

    pub(super) fn root(&self, mut identity: u32) -> u32 {
        while self.same[identity as usize] != identity {
            identity = self.same[identity as usize];
        }
        identity
    }

    pub(super) fn add_others(&mut self, identity: u32, bits: &[u64]) {
        let mine = &mut self.others[identity as usize];
        if mine.len() < bits.len() {
            mine.resize(bits.len(), 0);
        }
        mine.iter_mut()
            .zip(bits)
            .for_each(|(mine, bits)| *mine |= bits);
    }

    /// At the end of an execution: objects with different numbers are different objects.
    pub fn tell_apart(&mut self) {
        let present = self.identities.iter().flatten();
        let present: Vec<u32> = present.map(|&identity| self.root(identity)).collect();
        let mut bits = vec![0; self.same.len().div_ceil(64)];
        for &identity in &present {
            bits[identity as usize / 64] |= 1 << (identity % 64);
        }
        for &identity in &present {
            self.add_others(identity, &bits);
        }
    }

    fn are_different(&self, one: u32, other: u32) -> bool {
        let has = |one: u32, other: u32| {
            let word = self.others[one as usize].get(other as usize / 64);
            word.is_some_and(|word| word >> (other % 64) & 1 == 1)
        };
        one != other && (has(one, other) || has(other, one))
    }

    /// What an object of the current execution is known as.
    pub fn identity(&self, object: ObjectId) -> Option<u32> {
        self.identities.get(object.index()).copied().flatten()
    }

    /// Whether two objects, possibly of different executions, may be the same.
    pub fn may_be_same(&self, one: Option<u32>, other: Option<u32>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => !self.are_different(self.root(one), self.root(other)),
            _ => true,
        }
    }
}

/// Whether everything that a task learns from an event is in the trace.
fn is_open(history: &History, event: usize) -> bool {
    use OpKind::*;
    let mut accesses = history.accesses(event).iter();
    // The data of a mutex is part 1 of it; so is the end of a task.
    let uses_data = accesses.any(|access| access.location.part == 1);
    match history.events()[event].op.kind {
        Load | Store | ReadModifyWrite | CompareExchange | Spawn | Yield | Fence | Unpark
        | Lock | TryLock | Unlock | NotifyOne | NotifyAll | Wait | PlainWrite | SenderDrop => {
            !uses_data
        }
        _ => false,
    }
}

pub(super) fn mix(seen: u64, word: u64) -> u64 {
    let product =
        u128::from(seen ^ 0x9e37_79b9_7f4a_7c15) * u128::from(word ^ 0xd1b5_4a32_d192_ed03);
    (product as u64 ^ (product >> 64) as u64).wrapping_add(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::panic::Location;
    use unpick_engine::{Begin, Decision, Effect, Settings, Shape, Stop, Strategy, View};
    use unpick_trace::{Choice, Op};

    const MAIN: TaskId = TaskId(0);
    const OTHER: TaskId = TaskId(1);

    /// Who performs what, and what it does to what is inside the mutex.
    type Do = (TaskId, OpKind, Option<fn(ObjectId) -> Effect>);

    /// The tasks to choose, last first.
    struct Script(Vec<TaskId>);

    impl Strategy for Script {
        fn begin(&mut self, _index: u64) -> Begin {
            Begin::Ready
        }

        fn choose(&mut self, _view: &View<'_>) -> Result<TaskId, Stop> {
            Ok(self.0.pop().expect("the script is long enough"))
        }

        fn answer(&mut self, _view: &View<'_>, _question: Choice) -> Result<u32, Stop> {
            Ok(0)
        }
    }

    /// Where the first task stands after it has created the second one and both have done this. All
    /// values are zero.
    fn point_after(done: &[Do]) -> Point {
        let mut execution = Execution::new(Settings::default());
        execution.watch(true);
        execution.add_task(None);
        let mutex = execution.add_object(Shape::Mutex, MAIN);
        let variable = execution.add_object(Shape::Variable, MAIN);
        let last = execution.add_object(Shape::Mutex, MAIN);
        let next = |task: TaskId, from: usize| {
            let kind = done[from..].iter().find(|one| one.0 == task);
            match kind.map(|one| one.1) {
                None => Op::new(OpKind::Lock, last),
                Some(kind @ (OpKind::Lock | OpKind::Unlock)) => Op::new(kind, mutex),
                Some(kind) => Op::new(kind, variable),
            }
        };
        let order = core::iter::once(MAIN).chain(done.iter().map(|one| one.0));
        let mut script = Script(order.rev().collect());
        let spawn = Op::new(OpKind::Spawn, ObjectId::NONE);
        execution.announce(MAIN, spawn, Location::caller());
        assert!(matches!(execution.decide(&mut script), Decision::Run(MAIN)));
        execution.add_task(Some(MAIN));
        execution.announce(OTHER, next(OTHER, 0), Location::caller());
        execution.announce(MAIN, next(MAIN, 0), Location::caller());
        for (at, &(task, kind, effect)) in done.iter().enumerate() {
            assert!(matches!(execution.decide(&mut script), Decision::Run(one) if one == task));
            if matches!(kind, OpKind::Load | OpKind::Store) {
                execution.observe(task, 0, kind == OpKind::Store);
            }
            if let Some(effect) = effect {
                execution.note(effect(mutex));
            }
            execution.announce(task, next(task, at + 1), Location::caller());
        }
        let mut history = History::new(&[Relation::Lazy]);
        history.extend(&execution);
        let mut names = Names::default();
        names.update(execution.trace());
        let mut objects = Objects::default();
        objects.update(&execution, &history, &names);
        objects.point(&history, &names, MAIN)
    }

    #[test]
    fn a_value_that_is_told_counts_whenever_it_was_stored() {
        let (load, store) = ((MAIN, OpKind::Load, None), (OTHER, OpKind::Store, None));
        assert_eq!(point_after(&[load, store]), point_after(&[store, load]));
    }

    #[test]
    fn a_value_that_is_not_told_counts_by_who_wrote_it() {
        let read = (MAIN, OpKind::PlainRead, None);
        let write = (OTHER, OpKind::PlainWrite, None);
        assert_ne!(point_after(&[read, write]), point_after(&[write, read]));
    }

    #[test]
    fn the_order_of_locking_counts_if_what_is_inside_is_used() {
        let points = |reads: Option<fn(ObjectId) -> Effect>, writes| {
            let own: [Do; 2] = [(MAIN, OpKind::Lock, reads), (MAIN, OpKind::Unlock, None)];
            let other: [Do; 2] = [(OTHER, OpKind::Lock, writes), (OTHER, OpKind::Unlock, None)];
            let first = [own[0], own[1], other[0], other[1]];
            let second = [other[0], other[1], own[0], own[1]];
            (point_after(&first), point_after(&second))
        };
        let (first, second) = points(None, None);
        assert_eq!(first, second);
        let (first, second) = points(Some(Effect::ReadsData), Some(Effect::WritesData));
        assert_ne!(first, second);
    }
}
