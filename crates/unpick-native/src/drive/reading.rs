//! A free execution, read as operations of the engine.
//!
//! The trace of a free execution has the placements that its threads came to, before and after what they did.
//! Here each counts as the operations that the engine has for it, where they took effect. Some things the trace
//! does not tell: whether a wait ended by itself, what happened between two entries of the same moment. So
//! an execution under control may not go the same way, and how far it does can be told.

use std::collections::{BTreeMap, BTreeSet};

use unpick_noise::{Operation, Side};
use unpick_trace::{ObjectId, OpKind, Plan, Segment, Step, TaskId, TaskInfo, Trace};

use crate::free::{Event, Execution, Thread};

/// An operation that was read from the trace of a free execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Read {
    /// The thread, by the order of creation.
    pub(super) task: TaskId,
    /// What it was part of.
    pub(super) of: Operation,
}

/// What a free execution did.
pub(super) struct Reading {
    /// A trace with its tasks and nothing else.
    pub(super) frame: Trace,
    /// Its operations, in the order in which they took effect.
    pub(super) operations: Vec<Read>,
}

impl Reading {
    /// Reads a free execution.
    pub(super) fn of(execution: &Execution) -> Reading {
        Reading {
            frame: frame_of(&execution.threads),
            operations: operations(&execution.events),
        }
    }

    /// Who ran, and for how many operations.
    pub(super) fn segments(&self) -> Vec<Segment> {
        Segment::of(self.operations.iter().map(|one| one.task))
    }

    /// The plan that leads through all of it.
    pub(super) fn plan(&self) -> Plan {
        Plan::new(&self.frame, &self.segments())
    }

    /// How many operations an execution under control has performed as this one did, before it went another way.
    pub(super) fn followed_by(&self, trace: &Trace) -> usize {
        let roles = self.roles(trace);
        let is_same = |(read, step): &(&Read, &Step)| {
            roles[step.task.index()] == Some(read.task) && is_part_of(step.op.kind, read.of)
        };
        let pairs = self.operations.iter().zip(trace.operations());
        pairs.take_while(is_same).count()
    }

    /// By task of an execution under control: the thread that it is here, by who created it and when.
    fn roles(&self, trace: &Trace) -> Vec<Option<TaskId>> {
        let mut roles: Vec<Option<TaskId>> = vec![Some(TaskId::MAIN)];
        for task in trace.tasks.iter().skip(1) {
            let parent = roles.get(task.parent.index()).copied().flatten();
            let is_it = |one: &TaskInfo| Some(one.parent) == parent && one.index == task.index;
            // The first task is its own creator.
            let mut others = (0..).zip(&self.frame.tasks).skip(1);
            let found = others.find(|(_, one)| is_it(one));
            roles.push(found.map(|(number, _)| TaskId(number)));
        }
        roles
    }
}

fn frame_of(threads: &[Thread]) -> Trace {
    let task = |thread: &Thread| TaskInfo {
        parent: TaskId(thread.parent),
        index: thread.index.unwrap_or(u32::MAX),
        object: ObjectId::NONE,
        name: None,
    };
    let mut frame = Trace::default();
    frame.tasks.extend(threads.iter().map(task));
    frame
}

/// The operations that the engine has, in the order in which they took effect.
fn operations(events: &[Event]) -> Vec<Read> {
    let mut reads = Vec::new();
    let mut alive: i64 = 1;
    let mut begun: BTreeSet<u64> = BTreeSet::new();
    let mut waiting: BTreeMap<u32, u64> = BTreeMap::new();
    let mut owners = Owners::default();
    for event in events.iter().filter(|event| !owners.is_again(event)) {
        let operation = event.placement.operation;
        let count = match event.placement.side {
            Side::Before => before(operation, alive > 1),
            Side::After => after(operation, alive > 1),
        };
        let read = Read {
            task: TaskId(event.thread),
            of: operation,
        };
        reads.extend((0..count).map(|_| read));
        match (operation, event.placement.side) {
            (Operation::Create, Side::Before) => alive += 1,
            (Operation::Join, Side::After) => alive -= 1,
            // Whoever initialises also says that it is done.
            (Operation::Once, Side::Before) if begun.insert(event.object) => {
                waiting.insert(event.thread, event.object);
            }
            (Operation::Once, Side::After) if waiting.get(&event.thread) == Some(&event.object) => {
                waiting.remove(&event.thread);
                reads.push(read);
            }
            _ => {}
        }
    }
    reads
}

/// Who holds which mutex, as far as locks and unlocks tell, and how often besides the first time. Of a recursive one
/// the engine has the outermost lock and unlock only.
#[derive(Default)]
struct Owners(BTreeMap<u64, (u32, u64)>);

impl Owners {
    /// Whether a thread locks what it holds already, or unlocks what it goes on holding.
    fn is_again(&mut self, event: &Event) -> bool {
        let Event { thread, object, .. } = *event;
        let held = self.0.get_mut(&object);
        match (event.placement.operation, event.placement.side, held) {
            (Operation::Lock, Side::After, Some((owner, depth))) if *owner == thread => {
                *depth += 1;
                true
            }
            (Operation::Lock, Side::After, None) => {
                self.0.insert(object, (thread, 0));
                false
            }
            (Operation::Unlock, Side::Before, Some((owner, depth))) if *owner == thread => {
                let is_again = *depth > 0;
                match is_again {
                    true => *depth -= 1,
                    false => drop(self.0.remove(&object)),
                }
                is_again
            }
            // Whoever locks what another one holds has waited for no longer than a certain time.
            _ => false,
        }
    }
}

/// Operations of the engine that take effect when a thread comes to one of its own: those that let others
/// go on, and those that nobody notices before they are done.
fn before(operation: Operation, has_others: bool) -> usize {
    match operation {
        Operation::Unlock
        | Operation::RwUnlock
        | Operation::Release
        | Operation::NotifyOne
        | Operation::NotifyAll
        | Operation::Create
        | Operation::FutexWake
        | Operation::Sleep
        | Operation::Yield
        | Operation::Once => 1,
        // The unlock of the mutex, and the look at the word.
        Operation::Wait | Operation::FutexWait => 1,
        Operation::Read | Operation::Write => usize::from(has_others),
        _ => 0,
    }
}

/// Operations of the engine that have taken effect when a thread is done with one of its own.
fn after(operation: Operation, has_others: bool) -> usize {
    match operation {
        Operation::Lock
        | Operation::TryLock
        | Operation::ReadLock
        | Operation::WriteLock
        | Operation::RwTryLock
        | Operation::Acquire
        | Operation::TryAcquire
        | Operation::BarrierWait
        | Operation::Join
        | Operation::FutexWait => 1,
        // The wait, and the lock of the mutex.
        Operation::Wait => 2,
        // Without others these are no points.
        Operation::Load
        | Operation::Store
        | Operation::Update
        | Operation::Fence
        | Operation::Input
        | Operation::Output
        | Operation::Poll => usize::from(has_others),
        _ => 0,
    }
}

/// Whether the engine has operations of this kind for what a thread did.
fn is_part_of(kind: OpKind, operation: Operation) -> bool {
    use OpKind::{
        Acquire, BarrierWait, CompareExchange, Fence, Join, Load, Lock, NotifyAll, NotifyOne,
        OnceEnter, OnceLeave, PlainRead, PlainWrite, ReadLock, ReadModifyWrite, ReadUnlock,
        Release, Sleep, Spawn, Store, TryAcquire, TryLock, TryReadLock, TryWriteLock, Unlock, Wait,
        WriteLock, WriteUnlock, Yield,
    };
    let kinds: &[OpKind] = match operation {
        Operation::Lock => &[Lock],
        Operation::TryLock => &[TryLock],
        Operation::Unlock => &[Unlock],
        Operation::Wait => &[Unlock, Wait, Lock],
        Operation::NotifyOne => &[NotifyOne],
        Operation::NotifyAll => &[NotifyAll],
        Operation::Create => &[Spawn],
        Operation::Join => &[Join],
        Operation::ReadLock => &[ReadLock],
        Operation::WriteLock => &[WriteLock],
        Operation::RwTryLock => &[TryReadLock, TryWriteLock],
        Operation::RwUnlock => &[ReadUnlock, WriteUnlock],
        Operation::Acquire => &[Acquire],
        Operation::TryAcquire => &[TryAcquire],
        Operation::Release => &[Release],
        Operation::BarrierWait => &[BarrierWait],
        Operation::Once => &[OnceEnter, OnceLeave],
        Operation::Load => &[Load],
        Operation::Store => &[Store],
        Operation::Update => &[ReadModifyWrite, CompareExchange],
        Operation::Fence => &[Fence],
        Operation::Read => &[PlainRead],
        Operation::Write => &[PlainWrite],
        Operation::FutexWait => &[Load, Wait],
        Operation::FutexWake => &[NotifyOne, NotifyAll],
        Operation::Sleep => &[Sleep],
        Operation::Yield => &[Yield],
        // How often these wait, and for what, depends on the other end.
        Operation::Input | Operation::Output | Operation::Poll => {
            &[ReadModifyWrite, Acquire, Yield]
        }
        Operation::Begin | Operation::End => &[],
    };
    kinds.contains(&kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_noise::{PLACEMENT_COUNT, Placement};
    use unpick_trace::{Choice, Op, SiteId};

    fn event(thread: u32, name: &str) -> Event {
        let all = Placement::all();
        let placement = all.into_iter().find(|one| one.name() == name).unwrap();
        Event {
            time: 0,
            thread,
            placement,
            object: 8,
            pc: 0,
        }
    }

    #[test]
    fn operations_are_counted_where_they_take_effect() {
        let events = [
            (0, "before-store"),
            (0, "after-store"),
            (0, "before-create"),
            (0, "after-create"),
            (1, "after-begin"),
            (1, "before-lock"),
            (0, "before-lock"),
            (0, "after-lock"),
            (0, "before-unlock"),
            (1, "after-lock"),
            (0, "after-unlock"),
            (1, "before-wait"),
            (0, "before-store"),
            (0, "after-store"),
            (1, "after-wait"),
        ];
        let events: Vec<Event> = events.map(|(thread, name)| event(thread, name)).into();
        let tasks: Vec<u32> = operations(&events).iter().map(|one| one.task.0).collect();
        // The store while nobody else was there is no operation.
        assert_eq!(tasks, [0, 0, 0, 1, 1, 0, 1, 1]);
    }

    #[test]
    fn of_a_recursive_lock_the_outermost_counts() {
        let events = [
            (0, "after-lock"),
            (0, "after-lock"),
            (0, "before-unlock"),
            (1, "before-lock"),
            (0, "before-unlock"),
            (1, "after-lock"),
            // It did not wait for long.
            (0, "after-lock"),
            (1, "before-unlock"),
            (0, "after-lock"),
        ];
        let events: Vec<Event> = events.map(|(thread, name)| event(thread, name)).into();
        let tasks: Vec<u32> = operations(&events).iter().map(|one| one.task.0).collect();
        assert_eq!(tasks, [0, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn it_is_told_how_far_an_execution_went_the_same_way() {
        let task = |parent, index| Thread {
            parent,
            index: Some(index),
            has_begun: true,
            reached: [0; PLACEMENT_COUNT],
            fired: [0; PLACEMENT_COUNT],
        };
        let read = |task, of| Read {
            task: TaskId(task),
            of,
        };
        let reading = Reading {
            // The second thread that was created began first.
            frame: frame_of(&[task(0, 0), task(0, 1), task(0, 0)]),
            operations: vec![
                read(0, Operation::Create),
                read(0, Operation::Create),
                read(1, Operation::Lock),
                read(2, Operation::Read),
            ],
        };
        let mut trace = frame_of(&[task(0, 0), task(0, 0), task(0, 1)]);
        let mut step = |task, kind| {
            let (task, op) = (TaskId(task), Op::new(kind, ObjectId::NONE));
            let step = Step::new(Choice::Task(task), task, op, SiteId::UNKNOWN);
            trace.steps.push(step);
            reading.followed_by(&trace)
        };
        assert_eq!(step(0, OpKind::Spawn), 1);
        assert_eq!(step(0, OpKind::Spawn), 2);
        assert_eq!(step(2, OpKind::Lock), 3);
        assert_eq!(step(1, OpKind::PlainWrite), 3);
    }
}
