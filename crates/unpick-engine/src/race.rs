//! Data races of a finished execution, by happens-before.
//!
//! C. Flanagan, S. N. Freund, *FastTrack: efficient and precise dynamic race detection*, PLDI 2009:
//! two accesses of one cell by different tasks, at least one of them a write, race if no
//! synchronisation orders them. Each cell keeps its last write and its last read as *epochs*, a task
//! and a time, and a whole clock only of reads that are not ordered among themselves. As in section
//! 5.4.3 of P. Thomson's thesis, times are numbers of steps: entry `t` of a clock is one more than the
//! number of the last step of task `t` that happens before, so that an epoch names the step it means.
//!
//! What synchronises: the order within a task, creating and joining, releasing and acquiring,
//! notifying and waiting, sending and receiving (and making room for the message that takes the
//! place), unparking and parking, initialising and passing, arriving at a barrier and leaving it. An
//! atomic read follows the last write of the variable and the read-modify-writes since. All atomics
//! count as sequentially consistent, and an exchange as one that worked.
//!
//! The first race is exact. It may hide later ones, so that the pass ends with it.

use crate::{Execution, Grant, execution::Status, object::State};
use alloc::{collections::VecDeque, format, string::String, vec::Vec};
use unpick_trace::{Failure, FailureKind, ObjectId, Op, OpKind, Outcome, Step, TaskId, TaskInfo};

/// Two steps of an execution that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The one performed first.
    pub earlier: usize,
    /// The one performed later.
    pub later: usize,
}

/// What happens before a moment: by task, one more than the number of its last step.
#[derive(Clone, Default)]
struct Clock(Vec<u32>);

impl Clock {
    fn get(&self, task: usize) -> u32 {
        self.0.get(task).copied().unwrap_or(0)
    }

    fn set(&mut self, task: usize, time: u32) {
        if self.0.len() <= task {
            self.0.resize(task + 1, 0);
        }
        self.0[task] = time;
    }

    fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    fn copy_from(&mut self, other: &Clock) {
        self.0.clone_from(&other.0);
    }
}

/// One access: a task and a time. Time zero is no access.
#[derive(Clone, Copy, Default)]
struct Epoch {
    task: usize,
    time: u32,
}

impl Epoch {
    fn is_before(self, clock: &Clock) -> bool {
        self.time <= clock.get(self.task)
    }
}

/// The accesses of a cell that later ones may race with.
#[derive(Default)]
struct Shadow {
    write: Epoch,
    read: Epoch,
    /// The last read of each task, where one does not speak for all; otherwise empty.
    reads: Clock,
}

impl Shadow {
    /// Takes in an access; answers the time of one that it races with.
    fn access(&mut self, kind: OpKind, now: Epoch, clock: &Clock) -> Option<u32> {
        if !self.write.is_before(clock) {
            return Some(self.write.time);
        }
        if kind == OpKind::PlainRead {
            if !self.reads.0.is_empty() {
                self.reads.set(now.task, now.time);
            } else if self.read.is_before(clock) {
                self.read = now;
            } else {
                self.reads.set(self.read.task, self.read.time);
                self.reads.set(now.task, now.time);
            }
            return None;
        }
        if self.reads.0.is_empty() && !self.read.is_before(clock) {
            return Some(self.read.time);
        }
        let mut reads = self.reads.0.iter().enumerate();
        if let Some((_, &time)) = reads.find(|&(task, &time)| time > clock.get(task)) {
            return Some(time);
        }
        self.write = now;
        self.read = Epoch::default();
        self.reads.0.clear();
        None
    }
}

/// What an object hands from task to task.
#[derive(Default)]
struct Handover {
    /// By those who release, write, notify, go away or arrive.
    released: Clock,
    /// By readers of a reader-writer lock; by the receiver of a channel when it goes away.
    read: Clock,
    /// With the messages of a channel that were not received yet.
    sent: VecDeque<Clock>,
    /// With the places of a channel that were used and are free again.
    freed: VecDeque<Clock>,
    sent_count: u32,
    /// Those who have arrived at a barrier in this round.
    members: Vec<usize>,
}

struct Member {
    clock: Clock,
    /// What it will have learned when its wait or its barrier is over.
    wake: Clock,
    /// The operation it stands before.
    next: Op,
    spawned: u32,
}

/// The pass over one execution.
struct Pass<'a> {
    execution: &'a Execution,
    tasks: Vec<Member>,
    objects: Vec<Handover>,
    cells: Vec<Shadow>,
}

impl Execution {
    /// The first data race of a finished execution: the one whose later access comes first.
    pub fn data_race(&self) -> Option<Race> {
        match self.has_plain_access {
            true => Pass::new(self).run(),
            false => None,
        }
    }

    /// Turns the outcome into a failure if there is a data race and no other fault.
    #[inline]
    pub(crate) fn judge_races(&mut self) {
        if self.has_plain_access {
            self.judge_races_of_cells();
        }
    }

    #[cold]
    fn judge_races_of_cells(&mut self) {
        let is_open = matches!(
            self.outcome(),
            Some(Outcome::Pass | Outcome::Deadlock(_) | Outcome::StepLimit { .. })
        );
        if let Some(race) = self.data_race().filter(|_| is_open) {
            let failure = self.race_failure(race);
            self.outcome = Some(Outcome::Fail(failure));
        }
    }

    fn race_failure(&self, race: Race) -> Failure {
        let trace = &self.trace;
        let (earlier, later) = (&trace.steps[race.earlier], &trace.steps[race.later]);
        let place = |step: &Step| match trace.site(step.site) {
            Some(site) => format!(" at {site}"),
            None => String::new(),
        };
        let message = format!(
            "data race: {} {} {}{}, and nothing orders that before {} {} it{}",
            trace.task_name(earlier.task),
            access_word(&earlier.op),
            trace.object_name(earlier.op.object),
            place(earlier),
            trace.task_name(later.task),
            access_word(&later.op),
            place(later),
        );
        Failure {
            kind: FailureKind::DataRace,
            task: later.task,
            message,
            site: trace.site(later.site).cloned(),
        }
    }
}

impl<'a> Pass<'a> {
    fn new(execution: &'a Execution) -> Pass<'a> {
        let tasks = execution.tasks[..execution.task_count()].iter();
        let tasks = tasks.map(|task| Member {
            clock: Clock::default(),
            wake: Clock::default(),
            next: match task.status {
                Status::Pending | Status::Abandoned => task.op,
                Status::Running | Status::Finished => Op::new(OpKind::Yield, ObjectId::NONE),
            },
            spawned: 0,
        });
        let object_count = execution.trace.objects.len();
        let mut objects = Vec::new();
        objects.resize_with(object_count, Handover::default);
        let mut cells = Vec::new();
        cells.resize_with(object_count, Shadow::default);
        Pass {
            tasks: tasks.collect(),
            execution,
            objects,
            cells,
        }
    }

    fn run(mut self) -> Option<Race> {
        let steps = &self.execution.trace.steps;
        // What each task announces after each step, found from the end.
        let mut nexts = Vec::with_capacity(steps.len());
        for step in steps.iter().rev().filter(|step| step.is_operation()) {
            let next = &mut self.tasks[step.task.index()].next;
            nexts.push(core::mem::replace(next, step.op));
        }
        self.arrive(0);
        let mut deviations = self.execution.deviations.iter().peekable();
        for (number, step) in steps.iter().enumerate() {
            if !step.is_operation() {
                continue;
            }
            let deviation = deviations.next_if(|(of, _)| *of as usize == number);
            let grant = deviation.map_or(Grant::Done, |(_, grant)| *grant);
            let task = step.task.index();
            self.tasks[task].clock.set(task, number as u32 + 1);
            if let Some(earlier) = self.perform(task, step.op, grant) {
                return Some(Race {
                    earlier: earlier as usize - 1,
                    later: number,
                });
            }
            self.tasks[task].next = nexts.pop()?;
            self.arrive(task);
        }
        None
    }

    /// Performs an operation; answers the time of an access that it races with.
    fn perform(&mut self, task: usize, op: Op, grant: Grant) -> Option<u32> {
        use OpKind::*;
        if op.kind == Spawn {
            self.create(task);
        }
        if op.object == ObjectId::NONE {
            return None;
        }
        let Member { clock, wake, .. } = &mut self.tasks[task];
        let object = &mut self.objects[op.object.index()];
        let is_refused = matches!(grant, Grant::Refused | Grant::TimedOut);
        match op.kind {
            PlainRead | PlainWrite => {
                let time = clock.get(task);
                return self.cells[op.object.index()].access(op.kind, Epoch { task, time }, clock);
            }
            // A park ends with a look at the token, also when its time was over.
            Park => clock.join(&object.released),
            Wait | BarrierWait => {
                if !is_refused {
                    clock.join(wake);
                }
                wake.0.clear();
            }
            _ if is_refused => {}
            Lock | TryLock | ReadLock | TryReadLock | Acquire | TryAcquire | OnceEnter
            | OnceRead | Load => clock.join(&object.released),
            WriteLock | TryWriteLock => {
                clock.join(&object.released);
                clock.join(&object.read);
            }
            Unlock | WriteUnlock | Release | OnceLeave | Unpark | SenderDrop => {
                object.released.join(clock);
            }
            ReadUnlock | ReceiverDrop => object.read.join(clock),
            Store => object.released.copy_from(clock),
            ReadModifyWrite | CompareExchange => {
                clock.join(&object.released);
                object.released.copy_from(clock);
            }
            Join => self.join(task, op.object),
            NotifyOne | NotifyAll => self.notify(task, op.object),
            Send | TrySend => self.send(task, op.object, grant),
            Receive | TryReceive => self.receive(task, op.object, grant),
            Spawn | Yield | Sleep | Fence => {}
        }
        None
    }

    /// A task comes into being, knowing what its creator knows.
    fn create(&mut self, parent: usize) {
        let index = self.tasks[parent].spawned;
        self.tasks[parent].spawned += 1;
        let is_it = |info: &TaskInfo| info.parent.index() == parent && info.index == index;
        let infos = &self.execution.trace.tasks;
        let child = infos.iter().skip(parent + 1).position(is_it);
        if let Some(child) = child.map(|position| position + parent + 1) {
            let (before, after) = self.tasks.split_at_mut(child);
            after[0].clock.copy_from(&before[parent].clock);
            self.arrive(child);
        }
    }

    fn join(&mut self, task: usize, object: ObjectId) {
        if let Some(TaskId(ended)) = self.execution.task_of(object) {
            self.learn(task, ended as usize);
        }
    }

    /// A task learns what another one knows.
    fn learn(&mut self, task: usize, other: usize) {
        let mut clock = core::mem::take(&mut self.tasks[task].clock);
        clock.join(&self.tasks[other].clock);
        self.tasks[task].clock = clock;
    }

    /// All who wait may be the one who is woken.
    fn notify(&mut self, task: usize, condvar: ObjectId) {
        let clock = core::mem::take(&mut self.tasks[task].clock);
        for other in &mut self.tasks {
            if other.next.kind == OpKind::Wait && other.next.object == condvar {
                other.wake.join(&clock);
            }
        }
        self.tasks[task].clock = clock;
    }

    /// A task comes to stand before its next operation.
    fn arrive(&mut self, task: usize) {
        let Op { kind, object, .. } = self.tasks[task].next;
        if kind != OpKind::BarrierWait {
            return;
        }
        let State::Barrier { size, .. } = self.execution.objects[object.index()].state else {
            return;
        };
        let barrier = &mut self.objects[object.index()];
        barrier.members.push(task);
        barrier.released.join(&self.tasks[task].clock);
        if barrier.members.len() >= size as usize {
            for member in barrier.members.drain(..) {
                self.tasks[member].wake.copy_from(&barrier.released);
            }
            barrier.released.0.clear();
        }
    }

    fn send(&mut self, task: usize, channel: ObjectId, grant: Grant) {
        let object = &mut self.objects[channel.index()];
        if grant == Grant::Closed {
            return self.tasks[task].clock.join(&object.read);
        }
        let capacity = match self.execution.objects[channel.index()].state {
            State::Channel { capacity, .. } => capacity,
            _ => None,
        };
        let number = object.sent_count;
        object.sent_count += 1;
        match capacity {
            None => {}
            Some(0) => {
                let is_receiver = |other: &Member| {
                    other.next.kind == OpKind::Receive && other.next.object == channel
                };
                if let Some(receiver) = self.tasks.iter().position(is_receiver) {
                    self.learn(task, receiver);
                }
            }
            Some(places) if number >= places => {
                if let Some(freed) = object.freed.pop_front() {
                    self.tasks[task].clock.join(&freed);
                }
            }
            Some(_) => {}
        }
        let message = self.tasks[task].clock.clone();
        self.objects[channel.index()].sent.push_back(message);
    }

    fn receive(&mut self, task: usize, channel: ObjectId, grant: Grant) {
        let object = &mut self.objects[channel.index()];
        let clock = &mut self.tasks[task].clock;
        if grant == Grant::Closed {
            return clock.join(&object.released);
        }
        if let Some(message) = object.sent.pop_front() {
            clock.join(&message);
        }
        object.freed.push_back(clock.clone());
    }
}

fn access_word(op: &Op) -> &'static str {
    match op.kind {
        OpKind::PlainWrite => "writes",
        _ => "reads",
    }
}
