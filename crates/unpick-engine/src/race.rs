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
//! place), unparking and parking, initialising and passing, arriving at a barrier and leaving it; atomics
//! and fences by their memory orders (`atomics.rs`), and an exchange that failed is a read.
//!
//! The first race is exact. It may hide later ones, so that the pass ends with it. The memory of the
//! pass is kept from execution to execution.

mod atomics;
mod clock;

use crate::{
    Execution, Grant,
    execution::{Status, Task},
    object::State,
};
use alloc::{collections::VecDeque, format, string::String, vec::Vec};
use clock::{Clock, Epoch, Shadow};
use unpick_trace::{Failure, FailureKind, ObjectId, Op, OpKind, Outcome, Step, TaskId};

/// Two steps of an execution that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The one performed first.
    pub earlier: usize,
    /// The one performed later.
    pub later: usize,
}

/// What an object hands from task to task.
#[derive(Default)]
struct Handover {
    /// By those who release, write, notify, go away or arrive.
    released: Clock,
    /// By readers of a reader-writer lock; by the receiver of a channel when it goes away.
    read: Clock,
    /// With the messages of a channel that were not received yet, or the stores of a buffer.
    sent: VecDeque<Sent>,
    /// With the places of a channel that were used and are free again; at a rendezvous, with every message
    /// that was taken.
    freed: VecDeque<Clock>,
    sent_count: u32,
    /// Those who have arrived at a barrier in this round.
    members: Vec<usize>,
}

/// What a message or a store carries on its way.
struct Sent {
    /// The variable of a store.
    variable: ObjectId,
    clock: Clock,
}

impl Handover {
    /// Forgets everything, keeps the memory.
    fn clear(&mut self, spare: &mut Vec<Clock>) {
        self.released.clear();
        self.read.clear();
        spare.extend(self.sent.drain(..).map(|sent| sent.clock));
        spare.extend(self.freed.drain(..));
        self.sent_count = 0;
        self.members.clear();
    }
}

struct Member {
    clock: Clock,
    /// What it will have learned when its wait or its barrier is over.
    wake: Clock,
    /// What it will have learned after its next acquire fence.
    observed: Clock,
    /// What it knew at its last release fence.
    fenced: Clock,
    /// The number of the message that it has sent last.
    sent: u32,
    /// The operation it stands before.
    next: Op,
}

impl Default for Member {
    fn default() -> Member {
        Member {
            clock: Clock::default(),
            wake: Clock::default(),
            observed: Clock::default(),
            fenced: Clock::default(),
            sent: 0,
            next: Op::new(OpKind::Yield, ObjectId::NONE),
        }
    }
}

impl Member {
    /// Prepares for the task of an execution, if it has that many.
    fn clear(&mut self, task: Option<&Task>) {
        self.clock.clear();
        self.wake.clear();
        self.observed.clear();
        self.fenced.clear();
        self.next = match task {
            Some(task) if matches!(task.status, Status::Pending | Status::Abandoned) => task.op,
            _ => Op::new(OpKind::Yield, ObjectId::NONE),
        };
    }
}

/// What passes use, kept for the next one.
#[derive(Default)]
pub(crate) struct Memory {
    tasks: Vec<Member>,
    objects: Vec<Handover>,
    cells: Vec<Shadow>,
    /// What each task announces after each step, the last one first.
    nexts: Vec<Op>,
    /// Clocks of messages that are gone.
    spare: Vec<Clock>,
}

impl Memory {
    /// Prepares for an execution. There may be more of everything than it needs.
    fn clear(&mut self, execution: &Execution) {
        for object in &mut self.objects {
            object.clear(&mut self.spare);
        }
        self.cells.iter_mut().for_each(Shadow::clear);
        let object_count = execution.trace.objects.len();
        if self.objects.len() < object_count {
            self.objects.resize_with(object_count, Handover::default);
            self.cells.resize_with(object_count, Shadow::default);
        }
        let task_count = execution.task_count();
        if self.tasks.len() < task_count {
            self.tasks.resize_with(task_count, Member::default);
        }
        for (index, member) in self.tasks.iter_mut().enumerate() {
            let tasks = &execution.tasks[..task_count];
            member.clear(tasks.get(index));
        }
        self.nexts.clear();
    }

    fn copy_of(&mut self, task: usize) -> Clock {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.copy_from(&self.tasks[task].clock);
        copy
    }

    /// A copy of what a store publishes.
    fn copy_for(&mut self, task: usize, store: Op) -> Clock {
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.copy_from(self.tasks[task].published(store.order()));
        copy
    }
}

/// The pass over one execution.
struct Pass<'a> {
    execution: &'a Execution,
    memory: &'a mut Memory,
    /// Tasks that exist so far.
    created: usize,
}

impl Execution {
    /// The first data race of a finished execution: the one whose later access comes first.
    pub fn data_race(&self) -> Option<Race> {
        self.find_data_race(&mut Memory::default())
    }

    fn find_data_race(&self, memory: &mut Memory) -> Option<Race> {
        if !self.has_plain_access {
            return None;
        }
        memory.clear(self);
        let pass = Pass {
            execution: self,
            memory,
            created: 1,
        };
        pass.run()
    }

    /// Turns the outcome into a failure if there is a data race. What the program itself has found
    /// fault with stays; a deadlock or a livelock may well come of the race.
    #[inline]
    pub(crate) fn judge_races(&mut self) {
        if self.has_plain_access {
            self.judge_races_of_cells();
        }
    }

    #[cold]
    fn judge_races_of_cells(&mut self) {
        let is_open = matches!(self.outcome(), Some(Outcome::Pass | Outcome::Deadlock(_)));
        if !is_open && !self.is_endless() {
            return;
        }
        let mut memory = core::mem::take(&mut self.race_memory);
        let race = self.find_data_race(&mut memory);
        self.race_memory = memory;
        if let Some(race) = race {
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

impl Pass<'_> {
    fn run(mut self) -> Option<Race> {
        let steps = &self.execution.trace.steps;
        for step in steps.iter().rev().filter(|step| step.is_operation()) {
            let Memory { tasks, nexts, .. } = self.memory;
            let next = &mut tasks[step.task.index()].next;
            nexts.push(core::mem::replace(next, step.op));
        }
        let mut deviations = self.execution.deviations.iter().peekable();
        for (number, step) in steps.iter().enumerate() {
            if !step.is_operation() {
                continue;
            }
            let deviation = deviations.next_if(|(of, _)| *of as usize == number);
            let grant = deviation.map_or(Grant::Done, |(_, grant)| *grant);
            let task = step.task.index();
            self.memory.tasks[task].clock.set(task, number as u32 + 1);
            if step.op.kind == OpKind::Spawn || step.op.is_buffered() {
                self.create(task, number);
            }
            if let Some(earlier) = self.perform(task, step.op, grant) {
                return Some(Race {
                    earlier: earlier as usize - 1,
                    later: number,
                });
            }
            self.memory.tasks[task].next = self.memory.nexts.pop()?;
        }
        None
    }

    /// Performs an operation; answers the time of an access that it races with.
    fn perform(&mut self, task: usize, op: Op, grant: Grant) -> Option<u32> {
        use OpKind::*;
        match op.kind {
            Quiesce => (0..self.created).for_each(|other| self.learn(task, other)),
            Fence => self.memory.tasks[task].fence(op.order()),
            _ => {}
        }
        if op.object == ObjectId::NONE {
            return None;
        }
        if op.is_buffered() {
            self.put_aside(task, op);
        }
        let is_refused = matches!(grant, Grant::Refused | Grant::TimedOut);
        if matches!(op.kind, Load | Store | ReadModifyWrite | CompareExchange) {
            self.perform_on_variable(task, op, is_refused);
            return None;
        }
        let Member { clock, wake, .. } = &mut self.memory.tasks[task];
        let object = &mut self.memory.objects[op.object.index()];
        match op.kind {
            PlainRead | PlainWrite => {
                let time = clock.get(task);
                return self.memory.cells[op.object.index()].access(
                    op.kind,
                    Epoch { task, time },
                    clock,
                );
            }
            // A park ends with a look at the token, also when its time was over.
            Park => clock.join(&object.released),
            BarrierWait if op.is_arrival() => self.arrive(task, op.object),
            TrySend if op.is_arrival() => self.send(task, op.object, grant),
            Send if self.execution.capacity(op.object) == Some(0) => {
                self.part(task, op.object, grant);
            }
            Wait | BarrierWait => {
                if !is_refused {
                    clock.join(wake);
                }
                wake.0.clear();
            }
            _ if is_refused => {}
            Lock | TryLock | ReadLock | TryReadLock | Acquire | TryAcquire | OnceEnter
            | OnceRead => clock.join(&object.released),
            WriteLock | TryWriteLock => {
                clock.join(&object.released);
                clock.join(&object.read);
            }
            Unlock | WriteUnlock | Release | OnceLeave | Unpark | SenderDrop => {
                object.released.join(clock);
            }
            ReadUnlock | ReceiverDrop => object.read.join(clock),
            Flush => self.let_out(task, op.object),
            Join => self.join(task, op.object),
            NotifyOne | NotifyAll => self.notify(task, op.object),
            Send | TrySend => self.send(task, op.object, grant),
            Receive | TryReceive => self.receive(task, op.object, grant),
            Load | Store | ReadModifyWrite | CompareExchange | Fence => {}
            Spawn | Yield | Sleep | Enter | Drain | Quiesce | End | TryJoin => {}
        }
        None
    }

    fn perform_on_variable(&mut self, task: usize, op: Op, is_refused: bool) {
        if op.kind == OpKind::Load && self.has_put_aside(task, op.object) {
            // It learns nothing from its own store.
            return;
        }
        let member = &mut self.memory.tasks[task];
        let variable = &mut self.memory.objects[op.object.index()];
        match op.kind {
            OpKind::Load => member.read(variable, op.order()),
            OpKind::CompareExchange if is_refused => member.read(variable, op.failure_order()),
            OpKind::Store if op.is_buffered() => {}
            OpKind::Store => member.write(variable, op.order()),
            _ => member.modify(variable, op.order()),
        }
    }

    /// Tasks come into being within a step, knowing what their creator knows.
    fn create(&mut self, creator: usize, step: usize) {
        while self.created < self.execution.task_count() {
            let child = self.created;
            if self.execution.step_of_creation(child) != step {
                return;
            }
            let (before, after) = self.memory.tasks.split_at_mut(child);
            after[0].clock.copy_from(&before[creator].clock);
            self.created += 1;
        }
    }

    /// A store goes into a buffer, with what it publishes.
    fn put_aside(&mut self, task: usize, op: Op) {
        let agent = self.execution.agent_for(TaskId(task as u32), op.object);
        if let Some(agent) = agent {
            let sent = Sent {
                variable: op.object,
                clock: self.memory.copy_for(task, op),
            };
            let agent = self.execution.object_of(agent);
            self.memory.objects[agent.index()].sent.push_back(sent);
        }
    }

    /// Whether a load of a task takes the value of a store of the same task that waits.
    fn has_put_aside(&self, task: usize, variable: ObjectId) -> bool {
        let agent = self.execution.agent_for(TaskId(task as u32), variable);
        agent.is_some_and(|agent| {
            let agent = self.execution.object_of(agent);
            let mut stores = self.memory.objects[agent.index()].sent.iter();
            stores.any(|store| store.variable == variable)
        })
    }

    /// A store leaves a buffer.
    fn let_out(&mut self, agent: usize, variable: ObjectId) {
        let agent = self.execution.object_of(TaskId(agent as u32));
        if let Some(store) = self.memory.objects[agent.index()].sent.pop_front() {
            self.memory.objects[variable.index()]
                .released
                .copy_from(&store.clock);
            self.memory.spare.push(store.clock);
        }
    }

    fn join(&mut self, task: usize, object: ObjectId) {
        if let Some(TaskId(ended)) = self.execution.task_of(object) {
            self.learn(task, ended as usize);
        }
    }

    /// A task learns what another one knows.
    fn learn(&mut self, task: usize, other: usize) {
        let mut clock = core::mem::take(&mut self.memory.tasks[task].clock);
        clock.join(&self.memory.tasks[other].clock);
        self.memory.tasks[task].clock = clock;
    }

    /// All who wait may be the one who is woken.
    fn notify(&mut self, task: usize, condvar: ObjectId) {
        let clock = core::mem::take(&mut self.memory.tasks[task].clock);
        for other in &mut self.memory.tasks {
            if other.next.kind == OpKind::Wait && other.next.object == condvar {
                other.wake.join(&clock);
            }
        }
        self.memory.tasks[task].clock = clock;
    }

    /// A task arrives at a barrier. Nobody leaves before the last one of a round has, which leaves at once.
    fn arrive(&mut self, task: usize, object: ObjectId) {
        let State::Barrier { size, .. } = self.execution.objects[object.index()].state else {
            return;
        };
        let barrier = &mut self.memory.objects[object.index()];
        barrier.members.push(task);
        barrier.released.join(&self.memory.tasks[task].clock);
        if barrier.members.len() >= size as usize {
            for member in barrier.members.drain(..) {
                self.memory.tasks[member].wake.copy_from(&barrier.released);
            }
            let Member { clock, wake, .. } = &mut self.memory.tasks[task];
            clock.join(wake);
            wake.clear();
            barrier.released.clear();
        }
    }

    fn send(&mut self, task: usize, channel: ObjectId, grant: Grant) {
        let object = &mut self.memory.objects[channel.index()];
        if grant == Grant::Closed {
            return self.memory.tasks[task].clock.join(&object.read);
        }
        let number = object.sent_count;
        object.sent_count += 1;
        self.memory.tasks[task].sent = number;
        match self.execution.capacity(channel) {
            None => {}
            // A sender that has to wait learns when its message was taken.
            Some(0) if grant == Grant::Refused => {}
            Some(0) => {
                let is_receiver = |other: &Member| {
                    other.next.kind == OpKind::Receive && other.next.object == channel
                };
                if let Some(receiver) = self.memory.tasks.iter().position(is_receiver) {
                    self.learn(task, receiver);
                }
            }
            Some(places) if number >= places => {
                if let Some(freed) = object.freed.pop_front() {
                    self.memory.tasks[task].clock.join(&freed);
                    self.memory.spare.push(freed);
                }
            }
            Some(_) => {}
        }
        let message = Sent {
            variable: ObjectId::NONE,
            clock: self.memory.copy_of(task),
        };
        self.memory.objects[channel.index()].sent.push_back(message);
    }

    /// A sender goes on whose message was taken at a rendezvous, or never will be.
    fn part(&mut self, task: usize, channel: ObjectId, grant: Grant) {
        let object = &self.memory.objects[channel.index()];
        let Member { clock, sent, .. } = &mut self.memory.tasks[task];
        if grant == Grant::Closed {
            clock.join(&object.read);
        } else if let Some(taken) = object.freed.get(*sent as usize) {
            clock.join(taken);
        }
    }

    fn receive(&mut self, task: usize, channel: ObjectId, grant: Grant) {
        let object = &mut self.memory.objects[channel.index()];
        let clock = &mut self.memory.tasks[task].clock;
        if grant == Grant::Closed {
            return clock.join(&object.released);
        }
        if let Some(message) = object.sent.pop_front() {
            clock.join(&message.clock);
            self.memory.spare.push(message.clock);
        }
        if self.execution.capacity(channel).is_some() {
            let freed = self.memory.copy_of(task);
            self.memory.objects[channel.index()].freed.push_back(freed);
        }
    }
}

fn access_word(op: &Op) -> &'static str {
    match op.kind {
        OpKind::PlainWrite => "writes",
        _ => "reads",
    }
}
