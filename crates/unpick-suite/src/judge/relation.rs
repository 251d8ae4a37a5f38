//! The happens-before relation of an execution, by its definition and at quadratic cost.
//!
//! P. Thomson, *Practical systematic concurrency testing for concurrent and distributed software*,
//! PhD thesis, Imperial College London, 2016, sections 4.2 and 4.3: two operations are dependent if
//! one task performs both, or if both touch one thing and at least one of them may change it, unless
//! the changes give the same in either order. The relation is the closure of the dependent pairs in the order of the execution. In the *lazy*
//! relation, acquiring and releasing mutexes does not make operations of different tasks dependent,
//! but what is inside the mutexes does.
//!
//! Nothing here is shared with the engine's own account of happens-before, on purpose.

use super::arrivals::belongings;
use crate::generated::Record;
use unpick::Execution;
use unpick::trace::{Access, ObjectId, Op, OpKind, Outcome, Trace};

/// A relation in a form that does not depend on the order of independent operations: equal for
/// equal relations. Tasks are named by creator and number, operations by task and number.
///
/// It lists the dependent pairs of different tasks. Their closure need not be taken: two executions
/// with the same operations have the same closure if and only if they order these pairs the same way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Relation(Vec<u32>);

/// Which pairs of operations are dependent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependence {
    /// All that touch one thing.
    Regular,
    /// Not those that acquire or release a mutex.
    Lazy,
}

/// The operations of an execution with what they touch.
pub struct Operations {
    list: Vec<Operation>,
    /// The number of each task in the order of the names.
    rank: Vec<u32>,
}

struct Operation {
    task: usize,
    /// Its number among the operations of its task.
    index: u32,
    /// The operation of the program that it belongs to.
    operation: usize,
    op: Op,
    /// Answers to questions that were put within its transition, as one number.
    answers: u32,
    touches: Vec<Touch>,
    /// The operation of its task before it.
    before: Option<usize>,
}

/// A thing and what is done to it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Touch {
    thing: Thing,
    mode: Mode,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// It stays as it is.
    Read,
    /// It changes, but two of these give the same in either order.
    Add,
    /// It may change in any way.
    Write,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Thing {
    Object(ObjectId),
    /// What is inside a mutex.
    Data(ObjectId),
    /// Whether a task has ended.
    End(ObjectId),
    /// Whether a task may pass a park.
    Token(ObjectId),
    /// Whether a channel has senders left.
    Senders(ObjectId),
    /// Whether a channel has a receiver left.
    Receiver(ObjectId),
    /// Where the next message goes in.
    Tail(ObjectId),
    /// Where the next message comes out.
    Head(ObjectId),
    /// A place for a message.
    Slot(ObjectId, usize),
}

/// How an operation went.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Course {
    Done,
    /// Refused, or left its object as it was.
    Idle,
    /// The other side of the channel was gone.
    Closed,
}

impl Operations {
    /// The operations of an execution of a generated program.
    #[must_use]
    pub fn of(execution: &Execution, record: &Record) -> Operations {
        let trace = execution.trace();
        let mut last = vec![None; trace.tasks.len()];
        let mut list: Vec<Operation> = Vec::with_capacity(trace.steps.len());
        let belongings = belongings(trace);
        for (step, belonging) in trace.steps.iter().zip(belongings) {
            let task = step.task.index();
            let before: Option<usize> = last[task];
            if !step.is_operation() {
                if let Some(asking) = before {
                    let answers = &mut list[asking].answers;
                    *answers = 7 * *answers + 1 + step.choice.answer();
                }
                continue;
            }
            last[task] = Some(list.len());
            list.push(Operation {
                task,
                index: before.map_or(0, |at| list[at].index + 1),
                operation: belonging.operation,
                op: step.op,
                answers: 0,
                touches: Vec::new(),
                before,
            });
        }
        let mut operations = Operations {
            list,
            rank: ranks(trace),
        };
        operations.add_direct(record);
        for at in 0..operations.list.len() {
            let Operation {
                task, before, op, ..
            } = operations.list[at];
            operations.add_arrival(trace, task, before, &op);
        }
        if let Some(Outcome::Deadlock(deadlock)) = execution.outcome() {
            for blocked in &deadlock.blocked {
                let task = blocked.task.index();
                operations.add_arrival(trace, task, last[task], &blocked.op);
            }
        }
        operations.add_data(record);
        operations
    }

    /// The waiter of a condition variable enlists within the transition before, and others notice it.
    fn add_arrival(&mut self, trace: &Trace, task: usize, before: Option<usize>, op: &Op) {
        if op.kind != OpKind::Wait {
            return;
        }
        // The first operation of a task is reached within the transition that creates it.
        if let Some(before) = before.or_else(|| self.creation(trace, task)) {
            self.list[before].touches.push(Touch {
                thing: Thing::Object(op.object),
                mode: Mode::Write,
            });
        }
    }

    /// What operations touch by themselves.
    fn add_direct(&mut self, record: &Record) {
        // Messages that went in and out.
        let (mut sent, mut received) = (0, 0);
        for operation in &mut self.list {
            let number = record.created[operation.task];
            let mut deviations = record.deviations.iter();
            let deviation =
                deviations.find(|one| (one.task, one.operation) == (number, operation.operation));
            let course = match deviation {
                None => Course::Done,
                Some(deviation) if deviation.is_closed => Course::Closed,
                Some(_) => Course::Idle,
            };
            let op = &operation.op;
            operation.touches = match op.kind {
                OpKind::SenderDrop | OpKind::ReceiverDrop => {
                    direct_on_channel(op, course, 0, record.capacity)
                }
                OpKind::Send | OpKind::TrySend | OpKind::Receive | OpKind::TryReceive => {
                    let is_send = matches!(op.kind, OpKind::Send | OpKind::TrySend);
                    let count = if is_send { &mut sent } else { &mut received };
                    let touches = direct_on_channel(op, course, *count, record.capacity);
                    *count += usize::from(course == Course::Done);
                    touches
                }
                _ => direct(op, course).into_iter().collect(),
            };
        }
    }

    /// The operation that created a task.
    fn creation(&self, trace: &Trace, task: usize) -> Option<usize> {
        let info = &trace.tasks[task];
        let spawns = (0..self.list.len()).filter(|&at| {
            let one = &self.list[at];
            one.task == info.parent.index() && one.op.kind == OpKind::Spawn
        });
        spawns.into_iter().nth(info.index as usize)
    }

    /// What is inside a mutex is touched within the transition of some other operation.
    fn add_data(&mut self, record: &Record) {
        for access in &record.data {
            let Some(task) = record.created.iter().position(|&one| one == access.task) else {
                continue;
            };
            let find = |index: usize| {
                self.list
                    .iter()
                    .position(|one| one.task == task && one.operation == index)
            };
            let (Some(at), Some(lock)) = (find(access.operation), find(access.acquired_by)) else {
                continue;
            };
            let mutex = self.list[lock].op.object;
            self.list[at].touches.push(Touch {
                thing: Thing::Data(mutex),
                mode: match access.is_write {
                    true => Mode::Write,
                    false => Mode::Read,
                },
            });
        }
    }

    /// The relation.
    #[must_use]
    pub fn relation(&self, dependence: Dependence) -> Relation {
        let name = |one: &Operation| self.rank[one.task] << 16 | one.index;
        let mut order: Vec<usize> = (0..self.list.len()).collect();
        order.sort_unstable_by_key(|&at| name(&self.list[at]));
        let mut encoded = Vec::with_capacity(8 * order.len());
        for later in &order {
            let operation = &self.list[*later];
            encoded.extend([name(operation), operation.op.kind as u32, operation.answers]);
            // In the order of the names again.
            for earlier in &order {
                let other = &self.list[*earlier];
                if earlier < later
                    && other.task != operation.task
                    && are_dependent(other, operation, dependence)
                {
                    encoded.push(name(other));
                }
            }
            encoded.push(u32::MAX);
        }
        Relation(encoded)
    }
}

/// Whether the order of two operations of different tasks may matter. The one place that says so.
fn are_dependent(one: &Operation, other: &Operation, dependence: Dependence) -> bool {
    for touch in &one.touches {
        for other_touch in &other.touches {
            let commute = touch.mode == other_touch.mode && touch.mode != Mode::Write;
            if touch.thing != other_touch.thing || commute {
                continue;
            }
            let is_exempt = dependence == Dependence::Lazy
                && is_of_mutex(&one.op)
                && is_of_mutex(&other.op)
                && touch.thing == Thing::Object(one.op.object);
            if !is_exempt {
                return true;
            }
        }
    }
    false
}

/// Whether an operation acquires or releases a mutex and gives nothing else away. Trying to lock
/// tells whether the mutex is free, so it is not one of these.
fn is_of_mutex(op: &Op) -> bool {
    matches!(op.kind, OpKind::Lock | OpKind::Unlock)
}

/// What an operation touches by itself, unless it is about a channel.
fn direct(op: &Op, course: Course) -> Option<Touch> {
    use OpKind::*;
    let object = op.object;
    let (thing, mode) = match op.kind {
        _ if object == ObjectId::NONE => return None,
        Join | TryJoin => (Thing::End(object), Mode::Read),
        Park => (Thing::Token(object), Mode::Write),
        Unpark => (Thing::Token(object), Mode::Add),
        _ if course != Course::Done => (Thing::Object(object), Mode::Read),
        // A refused attempt to write has seen that there are readers.
        ReadLock | TryReadLock | ReadUnlock => (Thing::Object(object), Mode::Add),
        _ => match op.access() {
            Access::None => return None,
            Access::Read => (Thing::Object(object), Mode::Read),
            Access::Write => (Thing::Object(object), Mode::Write),
        },
    };
    Some(Touch { thing, mode })
}

/// What an operation about a channel touches: senders are in order, receivers are in order, and a
/// message is received after it was sent. Without room all of them meet.
fn direct_on_channel(
    op: &Op,
    course: Course,
    number: usize,
    capacity: Option<usize>,
) -> Vec<Touch> {
    let channel = op.object;
    let touch = |thing, mode| Touch { thing, mode };
    if capacity == Some(0) {
        return vec![touch(Thing::Object(channel), Mode::Write)];
    }
    let slot = Thing::Slot(channel, capacity.map_or(number, |room| number % room));
    let mode = match course {
        Course::Done => Mode::Write,
        _ => Mode::Read,
    };
    match op.kind {
        OpKind::SenderDrop => vec![touch(Thing::Senders(channel), Mode::Add)],
        OpKind::ReceiverDrop => vec![
            touch(Thing::Receiver(channel), Mode::Write),
            touch(Thing::Head(channel), Mode::Write),
        ],
        OpKind::Send | OpKind::TrySend if course == Course::Closed => {
            vec![touch(Thing::Receiver(channel), Mode::Read)]
        }
        OpKind::Send | OpKind::TrySend => vec![
            touch(Thing::Receiver(channel), Mode::Read),
            touch(Thing::Tail(channel), mode),
            touch(slot, mode),
        ],
        _ if course == Course::Done => vec![touch(Thing::Head(channel), mode), touch(slot, mode)],
        _ => vec![
            touch(Thing::Head(channel), mode),
            touch(slot, mode),
            touch(Thing::Senders(channel), Mode::Read),
        ],
    }
}

/// Numbers the tasks in the order of their names, which do not depend on the schedule.
fn ranks(trace: &Trace) -> Vec<u32> {
    let mut names: Vec<(Vec<u32>, usize)> = Vec::new();
    for (task, info) in trace.tasks.iter().enumerate() {
        let mut name = match task {
            0 => Vec::new(),
            _ => names[info.parent.index()].0.clone(),
        };
        name.push(info.index);
        names.push((name, task));
    }
    names.sort_unstable();
    let mut ranks = vec![0; names.len()];
    for (rank, (_, task)) in names.into_iter().enumerate() {
        ranks[task] = rank as u32;
    }
    ranks
}
