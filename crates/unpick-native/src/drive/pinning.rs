//! From a failure of a free execution to a schedule that fails under control.
//!
//! The trace of the free execution says who came to what in which order. Read as operations of the engine
//! it is a plan, which is followed, and then others near it. What the trace does not tell (whether a wait
//! ended by itself, what happened between two entries of the same moment) may be what mattered: then
//! nothing fails, and that is said. Nothing is reported here that did not fail under control.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use unpick_analysis::{Ended, near_segments};
use unpick_engine::FirstFailure;
use unpick_noise::{Operation, Side};
use unpick_protocol::Module;
use unpick_trace::{FailureKind, ObjectId, Outcome, Plan, Segment, TaskId, TaskInfo, Trace};

use super::exploration::{Explored, Launched, Options, choose, first_launch, survey};
use super::named;
use super::process::{Command, DriveError, Process};
use super::understanding::{Follower, TIME_MAX};
use crate::free::{End, Event, Execution, Thread};

/// Which failures are the same as the one of a free execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// A deadlock.
    Deadlock,
    /// An execution that does not come to its end.
    Livelock,
    /// A failed assertion, an abort, a panic that aborts.
    Abort,
    /// Another signal.
    Signal,
    /// A bad exit code, by a panic or otherwise.
    ExitCode,
}

impl Sought {
    /// What to look for after an end; `None` if the controlled engine would not see it as a failure.
    pub fn of(end: &End) -> Option<Sought> {
        match end {
            End::TimedOut {
                is_asleep: true, ..
            } => Some(Sought::Deadlock),
            End::TimedOut { .. } => Some(Sought::Livelock),
            End::Signalled(libc::SIGABRT) => Some(Sought::Abort),
            End::Signalled(_) => Some(Sought::Signal),
            End::Exited(0) => None,
            End::Exited(_) => Some(Sought::ExitCode),
        }
    }

    /// Whether an execution under control failed in that way.
    pub fn is(self, outcome: &Outcome) -> bool {
        let kind = match outcome {
            Outcome::Fail(failure) => Some(failure.kind),
            _ => None,
        };
        match self {
            Sought::Deadlock => matches!(outcome, Outcome::Deadlock(_)),
            Sought::Livelock => matches!(outcome, Outcome::StepLimit { .. } | Outcome::Deadlock(_)),
            Sought::Abort => matches!(kind, Some(FailureKind::Abort | FailureKind::Panic)),
            Sought::Signal => {
                matches!(kind, Some(FailureKind::Signal | FailureKind::StackOverflow))
            }
            Sought::ExitCode => matches!(kind, Some(FailureKind::ExitCode | FailureKind::Panic)),
        }
    }
}

/// What came of following a free execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// Executions under control that it took.
    pub executions: u64,
    /// Operations of the free execution, as far as the engine has them.
    pub operations: u64,
}

/// The places in the code at which plain accesses are operations under control, and what is mapped into
/// the program. Free executions that trace these can be followed.
pub fn shared_places(
    command: &Command,
    options: &Options,
) -> Result<(Vec<u64>, Vec<Module>), DriveError> {
    let named = named::find(command, options, first_launch(options))?;
    let (launch, _) = choose(command, options, &named)?;
    let mut launched = Launched {
        command,
        options,
        launch,
        named: &named,
    };
    let shared = survey(&mut launched, &mut |_| true)?;
    Ok((shared, modules_of(command, options)?))
}

/// What is mapped into a program.
pub fn modules_of(command: &Command, options: &Options) -> Result<Vec<Module>, DriveError> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let process = Process::start(command, first_launch(options), PATIENCE, None)?;
    Ok(process.answer_to_nothing()?.modules)
}

/// Looks for a schedule that fails as a free execution did, near what that did. `shared` are the places
/// of plain accesses in its trace; `goes_on` is asked before every execution.
pub fn pin(
    command: &Command,
    options: &Options,
    (execution, sought): (&Execution, Sought),
    shared: &[u64],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(Pinned, Option<Explored>), DriveError> {
    let named = named::find(command, options, first_launch(options))?;
    let (launch, reason) = choose(command, options, &named)?;
    let mut explored = Explored {
        exploration: Default::default(),
        modules: Vec::new(),
        addresses: Vec::new(),
        backend: launch.backend,
        reexecution: launch.reexecution,
        reason,
        shared: shared.to_vec(),
    };
    let frame = frame_of(&execution.threads);
    let segments = Segment::of(operations(&execution.events));
    let operations = segments.iter().map(|segment| segment.operations).sum();
    let mut follower = Follower::start(command, options, &explored, frame.tasks.len())?;
    let deadline = Instant::now() + 2 * TIME_MAX;
    let near = near_segments(&frame, &segments, &mut |plan| {
        let has_time = Instant::now() < deadline && goes_on();
        let ended = has_time.then(|| follower.run(plan).ok()).flatten()?;
        let is_it = sought.is(&ended.outcome);
        // A failure of another kind is another story.
        Some(match is_it {
            true => ended,
            false => Ended {
                outcome: Outcome::Pass,
                ..ended
            },
        })
    });
    let pinned = Pinned {
        executions: near.executions,
        operations,
    };
    let Some(failing) = near.failing else {
        return Ok((pinned, None));
    };
    let answer = follower.follow(&Plan::of(&failing.trace))?;
    drop(follower);
    let first = answer.exploration.first_failure.clone();
    let Some(first) = first.filter(|first| sought.is(&first.outcome)) else {
        return Ok((pinned, None));
    };
    explored.addresses = answer.addresses;
    explored.modules = answer.modules;
    explored.exploration = answer.exploration;
    explored.exploration.executions = near.executions;
    explored.exploration.first_failure = Some(Box::new(FirstFailure {
        execution: near.executions,
        ..*first
    }));
    Ok((pinned, Some(explored)))
}

/// A trace with the tasks of a free execution and nothing else.
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

/// Who performed the operations that the engine has, in the order in which they took effect.
fn operations(events: &[Event]) -> Vec<TaskId> {
    let mut tasks = Vec::new();
    let mut alive: i64 = 1;
    let mut begun: BTreeSet<u64> = BTreeSet::new();
    let mut waiting: BTreeMap<u32, u64> = BTreeMap::new();
    for event in events {
        let operation = event.placement.operation;
        let count = match event.placement.side {
            Side::Before => before(operation, alive > 1),
            Side::After => after(operation, alive > 1),
        };
        tasks.extend((0..count).map(|_| TaskId(event.thread)));
        match (operation, event.placement.side) {
            (Operation::Create, Side::Before) => alive += 1,
            (Operation::Join, Side::After) => alive -= 1,
            // Whoever initialises also says that it is done.
            (Operation::Once, Side::Before) if begun.insert(event.object) => {
                waiting.insert(event.thread, event.object);
            }
            (Operation::Once, Side::After) if waiting.get(&event.thread) == Some(&event.object) => {
                waiting.remove(&event.thread);
                tasks.push(TaskId(event.thread));
            }
            _ => {}
        }
    }
    tasks
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

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_noise::Placement;

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
        let tasks: Vec<u32> = operations(&events).iter().map(|task| task.0).collect();
        // The store while nobody else was there is no operation.
        assert_eq!(tasks, [0, 0, 0, 1, 1, 0, 1, 1]);
    }

    #[test]
    fn what_is_sought_is_what_was_seen() {
        let asleep = End::TimedOut {
            is_asleep: true,
            stacks: Vec::new(),
        };
        assert_eq!(Sought::of(&asleep), Some(Sought::Deadlock));
        assert_eq!(Sought::of(&End::Signalled(6)), Some(Sought::Abort));
        assert_eq!(Sought::of(&End::Exited(0)), None);
        assert!(Sought::Livelock.is(&Outcome::StepLimit { limit: 9 }));
        assert!(!Sought::Deadlock.is(&Outcome::StepLimit { limit: 9 }));
    }
}
