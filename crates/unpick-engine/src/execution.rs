//! One execution of the program under test: its tasks, its objects, its trace.
//!
//! The front end tells what happens ([`Execution::announce`], [`Execution::observe`],
//! [`Execution::finish`]) and asks who goes on ([`Execution::decide`]). All memory is kept from
//! execution to execution: once warm, a step allocates nothing.

mod clock;
mod decision;
mod limit;
mod settings;
mod unwinding;

pub use settings::Settings;

pub use clock::Timer;

use crate::{
    Held, Proviso, Provisos, Shape, Stop,
    fairness::Fairness,
    liveness::Liveness,
    lock_order::LockOrder,
    memory::{Buffers, Memory},
    misuse::ForeignUnlock,
    model::Class,
    object::{Object, State},
    recording::Call,
    site::{Sites, site_of},
    spin::Spin,
    watch::{Effect, Watch},
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::{panic::Location, sync::atomic::Ordering};
use limit::{Tail, Waits};
use unpick_trace::{
    Failure, FailureKind, ObjectId, ObjectInfo, ObjectKind, Op, OpKind, Outcome, Site, SiteId,
    TaskId, TaskInfo, TaskSet, Trace,
};

/// What came of an operation, for the front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grant {
    /// It was performed.
    Done,
    /// It was performed, and this task is the one that leads (of a barrier) or initialises.
    Leader,
    /// It was a `try` operation and found the object taken, full or empty.
    Refused,
    /// Its time was over.
    TimedOut,
    /// The other side of the channel is gone.
    Closed,
}

/// Who goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// This task; its next operation counts as performed.
    Run(TaskId),
    /// Nobody: the execution is over and has an outcome.
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Between an operation and the next.
    Running,
    /// Waiting to perform `Task::op`.
    Pending,
    Finished,
    /// Unwound before its operation, after the execution was over.
    Abandoned,
}

/// Aligned, so that its place in a row of them is found without a multiplication.
#[repr(align(64))]
pub(crate) struct Task {
    pub status: Status,
    /// Invariant: that of `op`.
    pub class: Class,
    pub op: Op,
    pub site: SiteId,
    pub object: ObjectId,
    /// What the front end knows it by.
    pub handle: usize,
    pub operations: u64,
    /// The number of steps before it was created: it was in the last of them that is an operation.
    pub created_after: u32,
    /// Locks held, in order of acquisition; a reader-writer lock appears once a holder.
    pub held: Vec<Held>,
    /// Tasks that it has joined.
    pub joined: u32,
    /// Serial as a waiter of a condition variable, or round of a barrier.
    pub ticket: u32,
    /// A wait that may end: notified to all, or spuriously.
    pub is_woken: bool,
    /// Whether it is meant to go on after the first task has ended.
    pub may_outlive: bool,
    /// Whether it has done so without being meant to.
    pub has_outlived: bool,
    /// Whether the next operation lets others go first. Invariant: `false` while
    /// `Execution::is_plain`.
    yields: bool,
    /// Whether it must let others go first because they have waited for long. Invariant: as for `yields`.
    gives_way: bool,
    pub children: u32,
    objects: u32,
    spin: Spin,
    epoch_seen: u32,
    was_idle: bool,
    clock_looks: u32,
}

impl Task {
    fn new() -> Task {
        Task {
            status: Status::Running,
            class: Class::Yield,
            op: Op::new(OpKind::Yield, ObjectId::NONE),
            site: SiteId::UNKNOWN,
            object: ObjectId::NONE,
            handle: 0,
            operations: 0,
            created_after: 0,
            held: Vec::new(),
            joined: 0,
            ticket: 0,
            is_woken: false,
            may_outlive: false,
            has_outlived: false,
            yields: false,
            gives_way: false,
            children: 0,
            objects: 0,
            spin: Spin::default(),
            epoch_seen: 0,
            was_idle: false,
            clock_looks: 0,
        }
    }
}

/// One execution.
pub struct Execution {
    settings: Settings,
    pub(crate) trace: Trace,
    pub(crate) tasks: Vec<Task>,
    pub(crate) objects: Vec<Object>,
    pub(crate) enabled: TaskSet,
    /// Invariant: the size of `enabled`.
    pub(crate) enabled_count: usize,
    /// Whether nobody watches and no task has come to yield so far: nothing but the model has to be
    /// kept up to date then.
    pub(crate) is_plain: bool,
    /// Valid where `is_restricted`: the enabled tasks that need not let others go first.
    pub(crate) eligible: TaskSet,
    /// Invariant: this and the next but one are `false` while `is_plain`.
    pub(crate) is_restricted: bool,
    pub(crate) last: TaskId,
    /// The task that runs between two operations: the last one, or one that it creates.
    running: TaskId,
    /// What the front end knows by that nobody goes on.
    handle_of_end: usize,
    /// Whether the next operation of the last task lets others go first.
    last_yields: bool,
    /// What came of the last operation.
    pub(crate) granted: Grant,
    pub(crate) operation_count: u64,
    /// The number of operations after which the path of a step looks up: for tasks that wait, for the step
    /// limit, for the end. Zero once the execution has an outcome.
    operation_limit: u64,
    tail: Tail,
    waits: Waits,
    /// Operations before the first point with two enabled tasks; all until it comes.
    uncontended_count: u64,
    /// Operations performed while their task unwound.
    forced_count: u64,
    unwinding: unwinding::Unwinding,
    /// The step in which the last operation was performed. Not kept while `is_plain`.
    last_step: usize,
    pub(crate) enabled_max: usize,
    /// Counts the changes of anything that tasks share.
    epoch: u32,
    fairness: Fairness,
    /// What made some enabled tasks ineligible. Valid where `is_restricted`.
    restricted_by: Provisos,
    provisos: Provisos,
    pub(crate) watch: Watch,
    sites: Sites,
    /// Whether a cell was read or written.
    pub(crate) has_plain_access: bool,
    /// The steps whose operations did not simply succeed.
    pub(crate) deviations: Vec<(u32, Grant)>,
    pub(crate) race_memory: crate::race::Memory,
    pub(crate) lock_order: LockOrder,
    /// Number of tasks that have ended.
    ended_count: usize,
    /// Whether one of them had an operation before it.
    has_abandoned: bool,
    /// Whether the program ended as a whole with the last transition, which cut off other tasks or might
    /// have done so.
    has_exited: bool,
    /// Whether the end of a task has left something behind.
    pub(crate) has_leaks: bool,
    /// Mutexes that a task unlocked without holding them, and where.
    pub(crate) foreign_unlocks: Vec<ForeignUnlock>,
    clock: clock::Clock,
    pub(crate) notified_count: u32,
    spurious_wakes: u32,
    weak_failures: u32,
    pub(crate) buffers: Buffers,
    pub(crate) liveness: Liveness,
    pub(crate) outcome: Option<Outcome>,
}

impl Execution {
    /// An execution that has not begun.
    pub fn new(settings: Settings) -> Execution {
        Execution {
            settings,
            trace: Trace::default(),
            tasks: Vec::new(),
            objects: Vec::new(),
            enabled: TaskSet::new(),
            enabled_count: 0,
            is_plain: settings.memory == Memory::Sc,
            eligible: TaskSet::new(),
            is_restricted: false,
            last: TaskId::MAIN,
            running: TaskId::MAIN,
            handle_of_end: 0,
            last_yields: false,
            granted: Grant::Done,
            operation_count: 0,
            operation_limit: settings.steps_max,
            tail: Tail::default(),
            waits: Waits::default(),
            uncontended_count: u64::MAX,
            forced_count: 0,
            unwinding: unwinding::Unwinding::default(),
            last_step: 0,
            enabled_max: 0,
            epoch: 0,
            fairness: Fairness::default(),
            restricted_by: Provisos::NONE,
            provisos: Provisos::NONE,
            watch: Watch::default(),
            sites: Sites::new(),
            has_plain_access: false,
            deviations: Vec::new(),
            race_memory: crate::race::Memory::default(),
            lock_order: LockOrder::default(),
            ended_count: 0,
            has_abandoned: false,
            has_exited: false,
            has_leaks: false,
            foreign_unlocks: Vec::new(),
            clock: clock::Clock::default(),
            notified_count: 0,
            spurious_wakes: 0,
            weak_failures: 0,
            buffers: Buffers::default(),
            liveness: Liveness::default(),
            outcome: None,
        }
    }

    /// Goes back to the beginning; keeps memory and source locations.
    pub fn reset(&mut self) {
        self.trace.clear_steps();
        self.trace.tasks.clear();
        self.trace.objects.clear();
        self.trace.clear_labels();
        self.enabled.clear();
        self.enabled_count = 0;
        self.is_plain = !self.watch.is_active && !self.is_relaxed();
        self.is_restricted = false;
        self.last = TaskId::MAIN;
        self.running = TaskId::MAIN;
        self.last_yields = false;
        self.operation_count = 0;
        self.reset_limits();
        self.uncontended_count = u64::MAX;
        self.forced_count = 0;
        self.unwinding = unwinding::Unwinding::default();
        self.last_step = 0;
        self.enabled_max = 0;
        self.epoch = 0;
        self.fairness.reset();
        self.provisos = Provisos::NONE;
        self.watch.reset();
        self.has_plain_access = false;
        self.deviations.clear();
        self.lock_order.clear();
        self.ended_count = 0;
        self.has_abandoned = false;
        self.has_exited = false;
        self.has_leaks = false;
        self.foreign_unlocks.clear();
        self.clock.reset();
        self.spurious_wakes = 0;
        self.weak_failures = 0;
        self.buffers.reset();
        self.liveness.reset();
        // Most executions pass, and that has nothing to drop, which the compiler does not see.
        match self.outcome {
            Some(Outcome::Pass) => core::mem::forget(self.outcome.take()),
            _ => self.outcome = None,
        }
    }

    /// The step in which the last operation was performed.
    pub(crate) fn operation_step(&self) -> usize {
        self.last_operation_of(self.trace.steps.len())
    }

    /// The step in which a task was created.
    pub(crate) fn step_of_creation(&self, task: usize) -> usize {
        self.last_operation_of(self.tasks[task].created_after as usize)
    }

    fn last_operation_of(&self, step_count: usize) -> usize {
        let mut steps = self.trace.steps[..step_count].iter();
        let last = steps.rposition(|step| step.is_operation());
        last.unwrap_or(0)
    }

    /// The settings of this execution.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What has happened so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// How the execution ended, once it has.
    #[inline]
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// What this execution left out that a complete exploration would have to look at.
    pub fn provisos(&self) -> Provisos {
        let mut provisos = self.provisos;
        if self.has_skipped_unwinding() {
            provisos.add(Proviso::Unwinding);
        }
        provisos
    }

    /// Notes that this execution leaves something out, for a front end that knows of it.
    #[inline]
    pub fn assume(&mut self, proviso: Proviso) {
        self.provisos.add(proviso);
    }

    /// Notes that an operation with these memory orders is explored under a stronger memory model, if they
    /// are weak. A front end knows both when it is compiled, as a rule.
    #[inline(always)]
    pub fn note_orders(&mut self, order: Ordering, failure: Ordering) {
        if order != Ordering::SeqCst || failure != Ordering::SeqCst {
            self.assume(Proviso::WeakOrderings);
        }
    }

    /// Number of operations performed.
    pub fn operation_count(&self) -> u64 {
        self.operation_count
    }

    /// Number of operations from the first point with two enabled tasks on, up to the step limit.
    pub fn contended_count(&self) -> u64 {
        let led_count = self.operation_count.min(self.settings.steps_max);
        led_count.saturating_sub(self.uncontended_count)
    }

    /// Whether no task can go on now.
    pub fn is_stuck(&self) -> bool {
        self.enabled_count == 0 && !self.clock.has_timers()
    }

    /// Largest number of tasks enabled at once.
    pub fn enabled_max(&self) -> usize {
        self.enabled_max
    }

    /// Number of tasks created.
    #[inline]
    pub fn task_count(&self) -> usize {
        self.trace.tasks.len()
    }

    /// Number of operations performed by a task.
    pub fn operations_of(&self, task: TaskId) -> u64 {
        self.tasks[task.index()].operations
    }

    /// Whether a task has ended.
    pub fn is_finished(&self, task: TaskId) -> bool {
        let status = self.tasks[task.index()].status;
        status == Status::Finished || status == Status::Abandoned
    }

    /// The operation that a task has announced last, and where: its next one, or the last one of a task that runs.
    pub fn last_announced(&self, task: TaskId) -> (Op, Option<&Site>) {
        let slot = &self.tasks[task.index()];
        (slot.op, self.trace.site(slot.site))
    }

    /// Whether a task has ended, and all can see what it has stored.
    pub fn has_ended(&self, task: TaskId) -> bool {
        let object = &self.objects[self.object_of(task).index()];
        matches!(object.state, State::Task { finished: true, .. })
    }

    /// Creates a task. It counts as running until it announces its first operation or finishes.
    pub fn add_task(&mut self, parent: Option<TaskId>) -> TaskId {
        if self.watch.is_recording {
            self.record(Call::AddTask {
                parent,
                task: TaskId(self.trace.tasks.len() as u32),
                object: ObjectId(self.trace.objects.len() as u32),
            });
        }
        self.push_task(parent)
    }

    pub(crate) fn push_task(&mut self, parent: Option<TaskId>) -> TaskId {
        let task = TaskId(self.trace.tasks.len() as u32);
        let object = ObjectId(self.trace.objects.len() as u32);
        let parent = parent.unwrap_or(task);
        let index = match self.tasks.get_mut(parent.index()) {
            Some(creator) if parent != task => {
                creator.children += 1;
                creator.children - 1
            }
            _ => 0,
        };
        self.trace.tasks.push(TaskInfo {
            parent,
            index,
            object,
            name: None,
        });
        if self.tasks.len() == task.index() {
            self.tasks.push(Task::new());
        }
        let step_count = self.trace.steps.len();
        let slot = &mut self.tasks[task.index()];
        slot.object = object;
        slot.held.clear();
        slot.joined = 0;
        slot.status = Status::Running;
        slot.op = Op::new(OpKind::Yield, ObjectId::NONE);
        slot.site = SiteId::UNKNOWN;
        slot.operations = 0;
        slot.created_after = step_count as u32;
        slot.children = 0;
        slot.objects = 0;
        slot.epoch_seen = self.epoch;
        slot.was_idle = false;
        slot.is_woken = false;
        slot.may_outlive = false;
        slot.has_outlived = false;
        slot.yields = false;
        slot.gives_way = false;
        slot.clock_looks = 0;
        slot.spin.reset();
        let state = State::Task {
            finished: false,
            token: false,
        };
        self.push_object(state, ObjectKind::Task, parent);
        // Until it comes to an operation that is not possible.
        self.enabled.insert(task);
        self.enabled_count += 1;
        task
    }

    /// The task that runs now.
    #[inline]
    pub fn running(&self) -> TaskId {
        self.running
    }

    /// Tells that another task runs now, though nothing was decided: a new one, its creator, or one
    /// that unwinds.
    #[inline]
    pub fn set_running(&mut self, task: TaskId) {
        self.running = task;
    }

    /// Sets what the front end knows a task by.
    pub fn set_handle(&mut self, task: TaskId, handle: usize) {
        self.tasks[task.index()].handle = handle;
    }

    /// Sets what the front end knows by that nobody goes on.
    pub fn set_handle_of_end(&mut self, handle: usize) {
        self.handle_of_end = handle;
    }

    /// Makes an object known that `task` is about to use for the first time.
    pub fn add_object(&mut self, shape: Shape, task: TaskId) -> ObjectId {
        self.record(Call::AddObject {
            object: ObjectId(self.trace.objects.len() as u32),
            shape,
            task,
        });
        self.push_object(State::from(shape), shape.kind(), task)
    }

    /// Inlined, so that the state is made in its place: a copy would be read in larger pieces than it was
    /// just written in, for which a processor has to wait.
    #[inline(always)]
    pub(crate) fn push_object(&mut self, state: State, kind: ObjectKind, task: TaskId) -> ObjectId {
        let object = ObjectId(self.trace.objects.len() as u32);
        let user = &mut self.tasks[task.index()];
        let index = user.objects;
        user.objects += 1;
        self.trace.objects.push(ObjectInfo {
            kind,
            task,
            index,
            name: None,
        });
        match self.objects.get_mut(object.index()) {
            Some(slot) => slot.renew(state),
            None => self.objects.push(Object::new(state)),
        }
        object
    }

    /// Numbers a location, for a front end that tells locations by number and not by
    /// `core::panic::Location`. The number lasts for the life of this value; a front end uses one way
    /// or the other.
    pub fn add_site(&mut self, site: Site) -> SiteId {
        self.trace.sites.push(site);
        SiteId(self.trace.sites.len() as u32 - 1)
    }

    /// Names a task for reports.
    pub fn name_task(&mut self, task: TaskId, name: &str) {
        self.trace.tasks[task.index()].name = Some(String::from(name));
    }

    /// Names an object for reports.
    pub fn name_object(&mut self, object: ObjectId, name: &str) {
        self.trace.objects[object.index()].name = Some(String::from(name));
    }

    /// The object that stands for a task in join, park and unpark.
    #[inline]
    pub fn object_of(&self, task: TaskId) -> ObjectId {
        self.tasks[task.index()].object
    }

    /// What came of the last operation. Whoever performed it runs now, and can ask before anything
    /// else is performed.
    #[inline]
    pub fn grant(&self) -> Grant {
        self.granted
    }

    /// Tells which value the operation about to be observed leaves in its variable. Of use to those
    /// who watch only.
    #[inline]
    pub fn observe_store(&mut self, stored: u64) {
        self.note(Effect::Stores(stored));
    }

    /// Tells what the message is called that was just sent or received.
    pub fn label(&mut self, label: &'static str) {
        self.trace.set_label(self.operation_step(), label);
    }

    /// Tells the value that the operation just performed by `task` gave, and whether it changed its
    /// object. Front ends call it for operations on variables.
    #[inline]
    pub fn observe(&mut self, task: TaskId, value: u64, changed: bool) {
        self.note_value(value);
        if changed {
            self.note_change(task);
        } else {
            let slot = &mut self.tasks[task.index()];
            slot.was_idle = true;
            if self.watch.is_active {
                self.note_idle_operation(task);
            }
        }
    }

    /// As [`Execution::observe`] for the task that runs, while [`Execution::is_plain`].
    #[inline]
    pub fn observe_plainly(&mut self, value: u64, changed: bool) {
        self.note_value(value);
        match changed {
            true => self.note_change(self.running),
            false => self.note_idle(self.running),
        }
    }

    #[inline]
    fn note_value(&mut self, value: u64) {
        match self.trace.steps.last_mut() {
            Some(step) if step.is_operation() => step.value = value,
            _ => self.note_value_of_asker(value),
        }
    }

    /// As [`Execution::note_value`], for an operation that put a question before it gave its value: whether a weak
    /// compare-and-exchange fails. The last step is the question then.
    #[cold]
    fn note_value_of_asker(&mut self, value: u64) {
        let at = self.operation_step();
        if let Some(step) = self.trace.steps.get_mut(at) {
            step.value = value;
        }
    }

    /// Whether nobody watches, no task has come to yield so far, and stores are seen at once.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    #[inline(never)]
    fn note_idle_operation(&mut self, task: TaskId) {
        if self.tasks[task.index()].op.kind == OpKind::CompareExchange {
            self.mark(Effect::LeavesUnchanged);
        }
        if let Some(start) = self.watch.transitions.last_mut() {
            start.is_idle = true;
        }
    }

    /// Tells that the compare-and-exchange just performed has failed: it was a mere read.
    #[inline]
    pub fn observe_failed_exchange(&mut self) {
        self.deviations
            .push((self.operation_step() as u32, Grant::Refused));
    }

    /// What the operation of a step was granted.
    pub(crate) fn grant_of(&self, step: usize) -> Grant {
        let found = self
            .deviations
            .binary_search_by_key(&(step as u32), |(of, _)| *of);
        found.map_or(Grant::Done, |at| self.deviations[at].1)
    }

    /// Notes that the operation just performed by `task` has changed something.
    #[inline]
    pub(crate) fn note_change(&mut self, task: TaskId) {
        // Who spins finds out by the epoch.
        self.epoch = self.epoch.wrapping_add(1);
        if self.clock.is_read {
            self.tasks[task.index()].clock_looks = 0;
        }
    }

    #[inline]
    pub(crate) fn note_idle(&mut self, task: TaskId) {
        self.tasks[task.index()].was_idle = true;
    }

    /// Ends a task.
    pub fn finish(&mut self, task: TaskId) {
        self.record(Call::Finish(task));
        self.leave_off(task);
    }

    #[inline]
    fn leave_off(&mut self, task: TaskId) {
        let slot = &mut self.tasks[task.index()];
        let object = slot.object;
        if slot.status == Status::Pending {
            slot.status = Status::Abandoned;
            self.has_abandoned = true;
            self.clock.forget(task);
            self.set_enabled(task, false);
        } else {
            slot.status = Status::Finished;
            self.hold_up(task);
        }
        if !self.is_relaxed() {
            self.mark(Effect::Ends(object));
            return self.end(task);
        }
        self.mark(Effect::LeavesOff(object));
        if self.end_buffer(task) {
            self.end(task);
        }
    }

    /// Lets all know that a task has ended.
    #[inline]
    pub(crate) fn end(&mut self, task: TaskId) {
        self.epoch = self.epoch.wrapping_add(1);
        let slot = &self.tasks[task.index()];
        let object = &mut self.objects[slot.object.index()];
        if let State::Task { finished, .. } = &mut object.state {
            *finished = true;
        }
        // Whoever joins waits, and is not enabled. Those who park wait for the object of a task, too, but
        // that is the task itself.
        if object.waiting_count > 0 {
            self.enabled_count += object.waiting_count;
            self.enabled.insert_all(object.waiting.bits());
        }
        self.ended_count += 1;
        let is_holding = !slot.held.is_empty();
        if is_holding || task == TaskId::MAIN && self.ended_count < self.task_count() {
            self.note_leaks(task);
        }
    }

    /// Ends an agent, which leaves nothing behind unless the execution ended before it was done.
    pub(crate) fn end_agent(&mut self, task: TaskId) {
        let slot = &mut self.tasks[task.index()];
        slot.status = match slot.status {
            Status::Pending => Status::Abandoned,
            _ => Status::Finished,
        };
        self.set_enabled(task, false);
        self.ended_count += 1;
    }

    /// Ends the execution with a fault.
    pub fn fail(&mut self, failure: Failure) {
        self.outcome.get_or_insert(Outcome::Fail(failure));
        self.operation_limit = 0;
    }

    /// Ends the execution with a fault of `task` at its current operation.
    #[cold]
    pub(crate) fn fail_at(&mut self, kind: FailureKind, task: TaskId, message: String) {
        let site = self.trace.site(self.tasks[task.index()].site).cloned();
        self.fail(Failure {
            kind,
            task,
            message,
            site,
        });
    }

    /// Ends the execution well: the program ends as a whole, and no other task could have noticed when.
    pub fn exit(&mut self) {
        self.outcome.get_or_insert(Outcome::Pass);
        self.operation_limit = 0;
    }

    /// Ends the execution with the program as a whole: what other tasks have not done they never do. So
    /// the transition that ends here depends on all that they did and might have done.
    pub fn exit_among_others(&mut self) {
        if self.outcome.is_none() {
            self.has_exited = true;
            self.outcome = Some(self.owed_outcome().unwrap_or(Outcome::Pass));
        }
        self.operation_limit = 0;
    }

    /// Whether [`Execution::exit_among_others`] has ended the execution.
    pub fn has_exited(&self) -> bool {
        self.has_exited
    }

    /// Whether the last transition ended the execution, although other tasks may have had more to do.
    pub fn is_cut_short(&self) -> bool {
        self.has_exited || matches!(self.outcome, Some(Outcome::Fail(_))) && !self.is_endless()
    }

    /// Ends the execution on behalf of the strategy, whatever the program did.
    pub fn stop(&mut self, stop: Stop) {
        self.outcome = Some(match stop {
            Stop::Cut => Outcome::Cut,
            Stop::Diverged(divergence) => Outcome::Diverged(*divergence),
        });
        self.operation_limit = 0;
    }

    /// Ends the execution with a panic at `location`.
    pub fn fail_panic(&mut self, task: TaskId, message: &str, location: Option<&Location<'_>>) {
        self.fail(Failure {
            kind: FailureKind::Panic,
            task,
            message: message.to_string(),
            site: location.map(site_of),
        });
    }
}
