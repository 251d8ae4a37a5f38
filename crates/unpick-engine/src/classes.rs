//! Classes of schedules: relations and final states that cannot be told apart.
//!
//! However a program is explored, there are at most as many final states as lazy happens-before
//! relations, at most as many of these as relations, and at most as many of these as schedules. Only
//! hashes are kept, so that parts of an exploration can be put together.

use crate::footprint::{DATA, END, Location, Mode, WHOLE};
use crate::history::{mix, tag};
use crate::{Execution, History, Relation};
use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};
use serde::{Deserialize, Serialize};
use unpick_trace::{FailureKind, ObjectId, ObjectKind, OpKind, Outcome, TaskId};

/// The classes that the schedules of an exploration belong to, as hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Classes {
    /// Happens-before relations.
    pub hbrs: BTreeSet<u128>,
    /// Those that leave out the order of acquiring and releasing mutexes.
    pub lazy_hbrs: BTreeSet<u128>,
    /// Final states.
    pub states: BTreeSet<u128>,
    /// What each read of each task has seen.
    #[serde(default)]
    pub reads: BTreeSet<u128>,
}

impl Classes {
    /// Joins what was found in another part of the exploration.
    pub fn merge(&mut self, other: Classes) {
        self.hbrs.extend(other.hbrs);
        self.lazy_hbrs.extend(other.lazy_hbrs);
        self.states.extend(other.states);
        self.reads.extend(other.reads);
    }

    /// Adds an execution that has ended.
    pub(crate) fn add(&mut self, execution: &Execution, history: &mut History) {
        history.reset();
        history.extend(execution);
        self.hbrs.insert(history.hash(Relation::Regular));
        self.lazy_hbrs.insert(history.hash(Relation::Lazy));
        self.states.insert(state_hash(execution, history));
        self.reads.insert(reads_hash(execution, history));
    }
}

/// The hash of what each read of a variable has seen, task by task.
fn reads_hash(execution: &Execution, history: &History) -> u128 {
    let names = Names::new(execution, history);
    let mut seen = names.tasks.clone();
    for event in history.events() {
        if matches!(
            event.op.kind,
            OpKind::Load | OpKind::ReadModifyWrite | OpKind::CompareExchange
        ) {
            let seen = &mut seen[event.task.index()];
            *seen = mix(*seen, execution.trace().steps[event.step].value);
        }
    }
    let agents = (0..seen.len()).filter(|&task| !execution.is_agent(TaskId(task as u32)));
    agents.fold(0, |sum: u128, task| sum.wrapping_add(mix(seen[task], 1)))
}

/// The hash of the state in which an execution ended: what the variables contain, where each task
/// stands, and the kind of outcome.
///
/// A value that is not known as a number is told by everything that led to its last write, so that
/// states may be taken for different that are the same. Equal lazy relations have equal hashes.
pub fn state_hash(execution: &Execution, history: &History) -> u128 {
    let names = Names::new(execution, history);
    let mut writers: BTreeMap<Location, usize> = BTreeMap::new();
    let mut ended: BTreeSet<ObjectId> = BTreeSet::new();
    for number in 0..history.events().len() {
        for access in history.accesses(number) {
            let location = access.location;
            let kind = execution.trace().objects[location.object.index()].kind;
            if kind == ObjectKind::Task && location.part == END {
                let own = execution.object_of(history.events()[number].task);
                if access.lazy != Mode::Read && own == location.object {
                    ended.insert(location.object);
                }
            } else if access.lazy == Mode::Write && holds_data(kind, location.part) {
                writers.insert(location, number);
            }
        }
    }
    let mut sum = u128::from(outcome_number(execution.outcome()));
    for (location, writer) in writers {
        let name = mix(names.object(location.object), u64::from(location.part));
        let stored = history.events()[writer].stored;
        let value = match stored.filter(|_| location.part == WHOLE) {
            Some(value) => mix(mix(name, 1), value),
            None => mix_hash(name, history.event_hash(Relation::Lazy, writer)),
        };
        sum = sum.wrapping_add(value);
    }
    for (index, info) in execution.trace().tasks.iter().enumerate() {
        let task = TaskId(index as u32);
        if execution.is_agent(task) {
            continue;
        }
        let place = match ended.contains(&info.object) {
            true => mix(names.tasks[index], 0),
            false => {
                let op = execution.pending_op(task);
                mix_hash(mix(names.tasks[index], tag(&op)), names.object(op.object))
            }
        };
        sum = sum.wrapping_add(place);
    }
    sum
}

/// Whether what a program computes can be found there, as opposed to who may go on.
fn holds_data(kind: ObjectKind, part: u32) -> bool {
    match kind {
        ObjectKind::Variable => part == WHOLE,
        ObjectKind::RwLock | ObjectKind::Once | ObjectKind::Channel => true,
        ObjectKind::Mutex => part == DATA,
        ObjectKind::Task
        | ObjectKind::Condvar
        | ObjectKind::Semaphore
        | ObjectKind::Barrier
        | ObjectKind::Buffer => false,
    }
}

fn outcome_number(outcome: Option<&Outcome>) -> u64 {
    match outcome {
        None | Some(Outcome::Pass) => 0,
        Some(Outcome::Deadlock(_)) => 1,
        Some(Outcome::StepLimit { .. }) => 2,
        Some(Outcome::Diverged(_)) => 3,
        Some(Outcome::Cut) => 4,
        Some(Outcome::Fail(failure)) => match failure.kind {
            FailureKind::Panic => 5,
            FailureKind::Misuse => 6,
            FailureKind::DataRace => 7,
            FailureKind::StackOverflow => 8,
            FailureKind::Abort => 9,
            FailureKind::Signal => 10,
            FailureKind::ExitCode => 11,
            FailureKind::UseAfterFree => 12,
            FailureKind::InvalidFree => 13,
            FailureKind::Livelock => 14,
            FailureKind::OutOfBounds => 15,
            FailureKind::StepLimit => 16,
        },
    }
}

fn mix_hash(hash: u128, other: u128) -> u128 {
    mix(mix(hash, other as u64), (other >> 64) as u64)
}

/// Names of tasks and objects that do not depend on the order of independent events.
struct Names {
    tasks: Vec<u128>,
    objects: BTreeMap<ObjectId, u128>,
}

impl Names {
    /// A task is named by its creator and index, an object by the first use that the foremost of
    /// its users made of it. Foremost is the order of creation in the tree of tasks.
    fn new(execution: &Execution, history: &History) -> Names {
        let mut paths: Vec<Vec<u32>> = Vec::new();
        let mut tasks: Vec<u128> = Vec::new();
        for info in &execution.trace().tasks {
            let parent = info.parent.index();
            let mut path = paths.get(parent).cloned().unwrap_or_default();
            path.push(info.index);
            paths.push(path);
            let creator = tasks.get(parent).copied().unwrap_or_default();
            tasks.push(mix(creator, u64::from(info.index) + 1));
        }
        let mut first_uses = BTreeMap::new();
        for (number, event) in history.events().iter().enumerate() {
            for (position, access) in history.accesses(number).iter().enumerate() {
                let place = (
                    &paths[event.task.index()],
                    event.ordinal,
                    position,
                    event.task,
                );
                let known = first_uses.entry(access.location.object).or_insert(place);
                *known = (*known).min(place);
            }
        }
        let name = |(_, ordinal, position, task): (&Vec<u32>, u32, usize, TaskId)| {
            mix(
                mix(tasks[task.index()], u64::from(ordinal)),
                position as u64,
            )
        };
        let objects = first_uses.into_iter();
        Names {
            objects: objects
                .map(|(object, place)| (object, name(place)))
                .collect(),
            tasks,
        }
    }

    fn object(&self, object: ObjectId) -> u128 {
        self.objects.get(&object).copied().unwrap_or_default()
    }
}
