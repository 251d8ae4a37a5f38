//! What a running task asks of its runtime.

use super::context::Context;
use super::memory;
use super::object_cell::{Modelled, ObjectCell};
use super::runtime::{Abandoned, Runtime, current};
use super::statics::{StaticsInUse, is_static};
use std::panic::{Location, resume_unwind};
use std::sync::atomic::Ordering;
use std::thread::panicking;
use std::time::Duration;
use unpick_engine::{Effect, Grant, Shape, Timer};
use unpick_trace::{Choice, ObjectId, Op, OpKind, TaskId};

/// Times a task may swallow the unwinding of its execution before its stack is given up.
const UNWINDS_MAX: u32 = 100;

/// Operations that the destructors of a task may perform while it is torn down: one that waits in a
/// loop for something that never comes is given up after these.
const OPERATIONS_WHILE_UNWINDING_MAX: u32 = 10_000;

/// The answer to a question, or that there was nobody to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Not inside an execution.
    Outside,
    /// The strategy's answer; zero while the execution is torn down.
    Given(u32),
}

/// Whether a task of an execution runs on this thread.
#[inline]
pub(crate) fn is_in_task() -> bool {
    !current().is_null()
}

/// The running task.
#[inline]
pub(crate) fn current_task() -> Option<TaskId> {
    let runtime = current();
    // SAFETY: not null means current; a copy is read.
    (!runtime.is_null()).then(|| unsafe { (*runtime).current() })
}

/// A number that no other execution of this process has; zero outside.
#[inline]
pub(crate) fn stamp() -> u64 {
    let runtime = current();
    if runtime.is_null() {
        return 0;
    }
    // SAFETY: not null means current; a copy is read.
    unsafe { (*runtime).stamp }
}

/// Whether the running task belongs to an execution that is being torn down, so that operations
/// mean nothing any more.
pub(crate) fn is_over() -> bool {
    let runtime = current();
    // SAFETY: not null means current; a copy is read.
    !runtime.is_null() && unsafe { (*runtime).is_tearing_down }
}

/// Performs an operation of the running task on an object. `None` outside an execution.
#[inline(always)]
#[track_caller]
pub(crate) fn operate<M: Modelled + ?Sized>(kind: OpKind, value: &M) -> Option<Grant> {
    operate_with(kind, false, 0, value)
}

/// Performs an operation that stands at `location`, for destructors, which cannot tell where they
/// were called from. `None` outside an execution.
#[inline(always)]
pub(crate) fn operate_at<M: Modelled + ?Sized>(
    kind: OpKind,
    value: &M,
    location: &'static Location<'static>,
) -> Option<Grant> {
    operate_fully(kind, false, 0, value, location)
}

/// Performs an operation that stands at `location` and always succeeds, for a caller who knows that this
/// thread does not unwind. Answers whether effects are noted. `None` outside an execution.
#[inline(always)]
pub(crate) fn operate_calmly<M: Modelled + ?Sized>(
    kind: OpKind,
    value: &M,
    location: &'static Location<'static>,
) -> Option<bool> {
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    let op = Op::new(kind, object_of(runtime, value));
    // SAFETY: not null means current, and no reference into the runtime is live.
    unsafe {
        if !take_turn(|| false, runtime, op, location) {
            unwind(runtime);
        }
        Some((*runtime).execution.is_watched())
    }
}

/// Performs an operation on an object that is known from its beginning. `None` outside its execution.
#[inline(always)]
#[track_caller]
pub(crate) fn operate_inside(kind: OpKind, cell: &ObjectCell) -> Option<Grant> {
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    // SAFETY: not null means current, and no reference into the runtime is live.
    unsafe {
        let object = cell.get_usual((*runtime).stamp)?;
        Some(perform(runtime, Op::new(kind, object), Location::caller()))
    }
}

/// Performs an operation that gives up when `limit` has passed. `None` outside an execution.
#[track_caller]
pub(crate) fn operate_until<M: Modelled + ?Sized>(
    kind: OpKind,
    value: &M,
    limit: Duration,
) -> Option<Grant> {
    operate_until_at(kind, value, limit, Location::caller())
}

/// As [`operate_until`], of an operation that stands at `location`.
pub(crate) fn operate_until_at<M: Modelled + ?Sized>(
    kind: OpKind,
    value: &M,
    limit: Duration,
    location: &'static Location<'static>,
) -> Option<Grant> {
    set_timer(limit)?;
    operate_fully(kind, true, 0, value, location)
}

/// Sets the timer of the running task for its next sleep or wait with a deadline. `None` outside an execution.
pub(crate) fn set_timer(limit: Duration) -> Option<()> {
    let limit_ns = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
    with_runtime(|runtime, task| {
        if !runtime.is_tearing_down {
            runtime.execution.set_timer(task, Timer::After(limit_ns));
        }
    })
}

/// Performs an operation with a deadline or an argument. `None` outside an execution.
#[inline(always)]
#[track_caller]
pub(crate) fn operate_with<M: Modelled + ?Sized>(
    kind: OpKind,
    timed: bool,
    argument: u16,
    value: &M,
) -> Option<Grant> {
    operate_fully(kind, timed, argument, value, Location::caller())
}

/// The same, of an operation that stands at `location`.
#[inline(always)]
pub(crate) fn operate_fully<M: Modelled + ?Sized>(
    kind: OpKind,
    timed: bool,
    argument: u16,
    value: &M,
    location: &'static Location<'static>,
) -> Option<Grant> {
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    let op = Op {
        kind,
        timed,
        object: object_of(runtime, value),
        argument,
    };
    // SAFETY: not null means current, and no reference into the runtime is live.
    Some(unsafe { perform(runtime, op, location) })
}

/// Announces an operation on a value, and comes back when it is performed, or with `None` when the
/// execution is over.
///
/// # Safety
/// As for [`perform`].
pub(super) unsafe fn take_turn_on<M: Modelled + ?Sized>(
    runtime: *mut Runtime,
    kind: OpKind,
    argument: u16,
    value: &M,
    location: &'static Location<'static>,
) -> Option<Op> {
    let op = Op {
        argument,
        ..Op::new(kind, object_of(runtime, value))
    };
    // SAFETY: as the caller promises.
    unsafe { take_turn(panicking, runtime, op, location) }.then_some(op)
}

/// The object that a value is in the current execution.
#[inline(always)]
fn object_of<M: Modelled + ?Sized>(runtime: *mut Runtime, value: &M) -> ObjectId {
    // SAFETY: called with the current runtime; a copy is read.
    match value.cell().get_usual(unsafe { (*runtime).stamp }) {
        Some(object) => object,
        None => register_slow(runtime, value),
    }
}

/// What an access to a variable has shown.
pub(crate) struct Seen {
    /// What it read or returned.
    pub value: u64,
    /// What it left in the variable, if it has written and that fits into a number.
    pub stored: Option<u64>,
    /// Whether it changed the variable.
    pub changed: bool,
}

/// Performs an operation on a variable, of which `act` is the access itself, in the given memory order and
/// the one of an exchange that fails. A store that is not sequentially consistent may be seen by others
/// later. `None` outside an execution.
#[inline]
#[track_caller]
pub(crate) fn access<M: Modelled + ?Sized, R>(
    kind: OpKind,
    (order, failure): (Ordering, Ordering),
    value: &M,
    act: impl FnOnce() -> (R, Seen),
) -> Option<R> {
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    let mut op = Op {
        argument: Op::orders(order, failure),
        ..Op::new(kind, object_of(runtime, value))
    };
    // SAFETY: not null means current, and no reference into the runtime is live.
    unsafe {
        (*runtime).execution.note_orders(order, failure);
        let may_wait = kind == OpKind::Store && order != Ordering::SeqCst;
        if may_wait && (*runtime).execution.is_relaxed() {
            op.argument |= (*runtime).execution.store_argument(order);
        }
        if !take_turn(panicking, runtime, op, Location::caller()) {
            unwind(runtime);
            return Some(act().0);
        }
        if !(*runtime).execution.is_plain() {
            return Some(access_with_care(runtime, op, value, act));
        }
        let (result, seen) = act();
        let execution = &mut (*runtime).execution;
        execution.observe_plainly(seen.value, seen.changed);
        Some(result)
    }
}

/// The access itself where somebody watches, tasks yield, or stores go through buffers.
///
/// # Safety
/// As for [`perform`].
#[inline(never)]
unsafe fn access_with_care<M: Modelled + ?Sized, R>(
    runtime: *mut Runtime,
    op: Op,
    value: &M,
    act: impl FnOnce() -> (R, Seen),
) -> R {
    // SAFETY: as the caller promises.
    unsafe {
        if (*runtime).execution.is_relaxed() {
            return memory::access(runtime, op, value, act);
        }
        let (result, seen) = act();
        let execution = &mut (*runtime).execution;
        if let Some(stored) = seen.stored {
            execution.observe_store(stored);
        }
        execution.observe(execution.running(), seen.value, seen.changed);
        result
    }
}

/// Performs an operation within the transition of the one before: nobody else runs in between. It
/// must be possible. Does nothing outside an execution.
#[track_caller]
pub(crate) fn operate_at_once<M: Modelled + ?Sized>(kind: OpKind, argument: u16, value: &M) {
    let Some(object) = register(value) else {
        return;
    };
    let location = Location::caller();
    let goes_on = with_runtime(|runtime, task| {
        if runtime.is_tearing_down {
            return true;
        }
        let op = Op {
            argument,
            ..Op::new(kind, object)
        };
        runtime.execution.announce(task, op, location);
        // SAFETY: the strategy outlives the execution.
        let strategy = unsafe { &mut *runtime.strategy };
        runtime.execution.perform_at_once(task, strategy)
    });
    leave_if(goes_on == Some(false));
}

/// Performs an operation that has no object. `None` outside an execution.
#[inline]
#[track_caller]
pub(crate) fn operate_without_object(kind: OpKind) -> Option<Grant> {
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    let op = Op::new(kind, ObjectId::NONE);
    // SAFETY: not null means current, and no reference into the runtime is live.
    Some(unsafe { perform(runtime, op, Location::caller()) })
}

/// Performs a fence. `None` outside an execution.
#[track_caller]
pub(crate) fn operate_fence(order: Ordering) -> Option<Grant> {
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    // SAFETY: not null means current, and no reference into the runtime is live.
    unsafe {
        let execution = &mut (*runtime).execution;
        execution.note_orders(order, order);
        let mut op = Op::new(OpKind::Fence, ObjectId::NONE);
        op.argument = execution.fence_argument(order) | Op::orders(order, order);
        Some(perform(runtime, op, Location::caller()))
    }
}

/// Performs an operation on a task: join, park or unpark. `None` outside an execution.
#[inline(always)]
#[track_caller]
pub(crate) fn operate_on_task(kind: OpKind, timed: bool, task: TaskId) -> Option<Grant> {
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    // SAFETY: not null means current, and no reference into the runtime is live.
    unsafe {
        let object = (*runtime).execution.object_of(task);
        let op = Op {
            timed,
            ..Op::new(kind, object)
        };
        Some(perform(runtime, op, Location::caller()))
    }
}

/// The heart of the runtime: one visible operation.
///
/// Inlined, so that a task that is switched away from is not even one call deep in the runtime: every
/// return that follows a switch is mispredicted. The same goes for all that calls it, up to the methods
/// of the drop-in types that programs use most. They are told to be inlined always, because a compiler
/// that looks at their size would not do so where a program has several operations.
///
/// # Safety
/// `runtime` is current, and no reference into it is live.
#[inline(always)]
pub(super) unsafe fn perform(
    runtime: *mut Runtime,
    op: Op,
    location: &'static Location<'static>,
) -> Grant {
    // SAFETY: as the caller promises.
    unsafe {
        match take_turn(panicking, runtime, op, location) {
            true => (*runtime).execution.grant(),
            false => unwind(runtime),
        }
    }
}

/// Announces an operation, and comes back when it is performed or the execution is over. Answers whether
/// it was performed.
///
/// # Safety
/// As for [`perform`].
#[inline(always)]
unsafe fn take_turn(
    is_unwinding: impl FnOnce() -> bool,
    runtime: *mut Runtime,
    op: Op,
    location: &'static Location<'static>,
) -> bool {
    // SAFETY: as the caller promises; references are made for one call each, and end before the
    // switch. The strategy outlives the execution.
    unsafe {
        let next;
        if (*runtime).is_deciding && !is_unwinding() {
            let strategy = (*runtime).strategy;
            next = (*strategy).advance(&mut (*runtime).execution, op, location) as *mut Context;
            if next == (*runtime).context {
                return true;
            }
        } else {
            next = Runtime::announce_alone(runtime, op, location);
            if next == (*runtime).context {
                return !(*runtime).is_tearing_down;
            }
        }
        Runtime::switch(runtime, next);
        !(*runtime).is_tearing_down
    }
}

impl Runtime {
    /// Announces an operation where something is unusual: the task is new, unwinds, or has outlived its
    /// execution, or stores go through buffers. Answers where to go on.
    ///
    /// # Safety
    /// `this` is the current runtime, and no reference into it is live.
    #[inline(never)]
    pub(super) unsafe fn announce_alone(
        this: *mut Runtime,
        op: Op,
        location: &'static Location<'static>,
    ) -> *mut Context {
        // SAFETY: as the caller promises; the reference ends at once.
        unsafe {
            let runtime = &mut *this;
            let is_new = !runtime.creator.is_null() && !panicking();
            if is_new && !runtime.execution.is_relaxed() {
                let task = runtime.current();
                runtime.execution.announce(task, op, location);
                return runtime.creator;
            }
            memory::drain(this, op, location);
            (*this).announce_rarely(op, location)
        }
    }

    /// The same where the task is not new, or unwinds.
    #[inline(never)]
    pub(super) fn announce_rarely(
        &mut self,
        op: Op,
        location: &'static Location<'static>,
    ) -> *mut Context {
        if self.is_tearing_down {
            return self.context;
        }
        if panicking() {
            let task = self.current();
            self.execution.announce(task, op, location);
            return self.force(task);
        }
        if !self.creator.is_null() {
            let task = self.current();
            self.execution.announce(task, op, location);
            return self.creator;
        }
        // SAFETY: the strategy outlives the execution.
        let strategy = unsafe { &mut *self.strategy };
        strategy.advance(&mut self.execution, op, location) as *mut Context
    }

    /// Nobody else may run while a task unwinds: it goes on, or its panic is the outcome. Answers
    /// where to go on.
    #[cold]
    fn force(&mut self, task: TaskId) -> *mut Context {
        // SAFETY: the strategy outlives the execution.
        let strategy = unsafe { &mut *self.strategy };
        if self.execution.force(task, strategy) {
            return self.context;
        }
        self.note_panic_of(task);
        self.panicking = Some(task);
        &raw mut self.host
    }
}

/// Gives control to the host.
///
/// # Safety
/// `runtime` is current, and no reference into it is live.
#[cold]
unsafe fn leave(runtime: *mut Runtime) {
    // SAFETY: as the caller promises; the host is suspended while a fiber runs.
    unsafe {
        Runtime::switch(runtime, &raw mut (*runtime).host);
    }
}

/// What an operation does when the execution is over: it unwinds the task. While the task unwinds
/// already, operations in destructors do nothing.
///
/// # Safety
/// As for [`perform`].
#[cold]
pub(super) unsafe fn unwind(runtime: *mut Runtime) -> Grant {
    // SAFETY: called by `perform` under the same conditions.
    let count = unsafe {
        (*runtime).unwind_count += 1;
        (*runtime).unwind_count
    };
    let is_unwinding = panicking();
    let count_max = match is_unwinding {
        true => OPERATIONS_WHILE_UNWINDING_MAX,
        false => UNWINDS_MAX,
    };
    if count > count_max {
        abandon();
    }
    if is_unwinding {
        return Grant::Done;
    }
    resume_unwind(Box::new(Abandoned))
}

/// The engine has granted a lock that somebody else still holds. While an execution is torn down
/// that is a task that never comes back; otherwise it is somebody outside of the execution.
#[cold]
#[track_caller]
pub(crate) fn give_up_lock() -> ! {
    assert!(
        is_over(),
        "a lock is held outside of the execution that takes it; create it inside the closure that \
         is explored"
    );
    abandon()
}

/// Gives up the running task for good, when its execution is over and it can neither go on nor
/// unwind. Its stack is discarded.
#[cold]
pub(crate) fn abandon() -> ! {
    let runtime = current();
    assert!(!runtime.is_null(), "internal error: no task to abandon");
    loop {
        // SAFETY: not null means current.
        unsafe { leave(runtime) };
    }
}

#[cold]
#[inline(never)]
fn register_slow<M: Modelled + ?Sized>(runtime: *mut Runtime, value: &M) -> ObjectId {
    // SAFETY: called with the current runtime; the reference ends with this function.
    let runtime = unsafe { &mut *runtime };
    if let Some(object) = value.cell().get(runtime.stamp) {
        return object;
    }
    if is_static(value) {
        let acquire = || StaticsInUse::acquire(&runtime.watched);
        runtime.statics.get_or_insert_with(acquire).note(value);
    }
    let object = runtime
        .execution
        .add_object(value.shape(), runtime.current());
    value.cell().set(runtime.stamp, object);
    if runtime.execution.is_watched()
        && let Some(value) = value.value()
    {
        runtime.execution.note_initial(object, value);
    }
    object
}

/// Makes an object known without performing an operation. `None` outside an execution.
fn register<M: Modelled + ?Sized>(value: &M) -> Option<ObjectId> {
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    // SAFETY: not null means current; a copy is read.
    let known = value.cell().get_usual(unsafe { (*runtime).stamp });
    Some(known.unwrap_or_else(|| register_slow(runtime, value)))
}

/// Makes an object of the current execution that has no value of its own behind it.
pub(crate) fn add_object(cell: &ObjectCell, shape: Shape) {
    let runtime = current();
    if !runtime.is_null() {
        // SAFETY: not null means current; the reference ends with this function.
        let runtime = unsafe { &mut *runtime };
        let object = runtime.execution.add_object(shape, runtime.current());
        cell.set(runtime.stamp, object);
    }
}

/// Runs a closure on the current runtime and its running task, if the execution is not over.
#[inline(always)]
fn with_runtime<R>(f: impl FnOnce(&mut Runtime, TaskId) -> R) -> Option<R> {
    let runtime = current();
    if runtime.is_null() {
        return None;
    }
    // SAFETY: not null means current; the reference ends with the closure, which does not switch.
    let runtime = unsafe { &mut *runtime };
    let task = runtime.current();
    Some(f(runtime, task))
}

/// Leaves the running task when the execution is over.
#[inline]
pub(super) fn leave_if(over: bool) {
    if over {
        leave_and_unwind();
    }
}

#[cold]
fn leave_and_unwind() {
    let runtime = current();
    // SAFETY: the caller was in a task; no reference is live.
    unsafe {
        if !(*runtime).is_tearing_down {
            leave(runtime);
        }
        unwind(runtime);
    }
}

/// Tells the engine what an operation on a variable gave and whether it changed it.
#[inline]
pub(crate) fn observe(value: u64, changed: bool) {
    with_runtime(|runtime, task| {
        if !runtime.is_tearing_down {
            runtime.execution.observe(task, value, changed);
        }
    });
}

/// Tells the engine that a compare-and-exchange has failed.
#[inline]
pub(crate) fn observe_failed_exchange() {
    with_runtime(|runtime, _| {
        if !runtime.is_tearing_down {
            runtime.execution.observe_failed_exchange();
        }
    });
}

/// Puts a question to the strategy.
pub(crate) fn ask(question: Choice) -> Answer {
    let given = with_runtime(|runtime, task| {
        // SAFETY: the strategy outlives the execution.
        let strategy = unsafe { &mut *runtime.strategy };
        runtime.execution.ask(task, question, strategy)
    });
    match given {
        None => Answer::Outside,
        Some(Some(answer)) => Answer::Given(answer),
        Some(None) => {
            leave_if(true);
            Answer::Given(0)
        }
    }
}

/// Whether a weak compare-and-exchange that would succeed fails here.
pub(crate) fn weak_failure() -> bool {
    let given = with_runtime(|runtime, task| {
        // SAFETY: the strategy outlives the execution.
        let strategy = unsafe { &mut *runtime.strategy };
        runtime.execution.weak_failure(task, strategy)
    });
    leave_if(given == Some(None));
    given.flatten().unwrap_or(false)
}

/// Whether effects are noted; false outside an execution.
#[inline]
pub(crate) fn is_watched() -> bool {
    with_runtime(|runtime, _| runtime.execution.is_watched()).unwrap_or(false)
}

/// Whether readers wait behind a writer that waits; false outside an execution.
pub(crate) fn prefers_writers() -> bool {
    with_runtime(|runtime, _| runtime.execution.settings().writers_first).unwrap_or(false)
}

/// Notes what the running task does with a mutex besides operations.
#[cold]
pub(crate) fn note_use<M: Modelled + ?Sized>(mutex: &M, effect: fn(ObjectId) -> Effect) {
    if let Some(object) = register(mutex) {
        with_runtime(|runtime, _| runtime.execution.note(effect(object)));
    }
}

/// Notes that the running task is about to release a mutex in order to wait.
#[cold]
pub(crate) fn intend_to_wait<M: Modelled>(condvar: &M) {
    if let Some(object) = register(condvar) {
        with_runtime(|runtime, task| runtime.execution.intend_to_wait(task, object));
    }
}

/// Makes the running task a waiter of a condition variable.
pub(crate) fn enlist<M: Modelled>(condvar: &M) {
    if let Some(object) = register(condvar) {
        let goes_on = with_runtime(|runtime, task| {
            // SAFETY: the strategy outlives the execution.
            let strategy = unsafe { &mut *runtime.strategy };
            runtime.is_tearing_down || runtime.execution.enlist(task, object, strategy)
        });
        leave_if(goes_on == Some(false));
    }
}

/// Prepares a park of the running task.
pub(crate) fn park_prepare() {
    let goes_on = with_runtime(|runtime, task| {
        // SAFETY: the strategy outlives the execution.
        let strategy = unsafe { &mut *runtime.strategy };
        runtime.is_tearing_down || runtime.execution.prepare_park(task, strategy)
    });
    leave_if(goes_on == Some(false));
}

/// Notes another sender of a channel. Does nothing outside of its execution.
#[inline]
pub(crate) fn add_sender(channel: &ObjectCell) {
    with_runtime(|runtime, _| {
        if let Some(object) = channel.get_usual(runtime.stamp) {
            runtime.execution.add_sender(object);
        }
    });
}

/// Whether a task has ended.
#[track_caller]
pub(crate) fn is_finished(task: TaskId) -> bool {
    let is_controlled = operate_on_task(OpKind::TryJoin, false, task).is_some();
    let has_ended = with_runtime(|runtime, _| runtime.execution.has_ended(task)).unwrap_or(true);
    if is_controlled {
        observe(u64::from(has_ended), false);
    }
    has_ended
}

/// The name that a task was given.
pub(crate) fn task_name(task: TaskId) -> Option<String> {
    with_runtime(|runtime, _| runtime.execution.trace().tasks[task.index()].name.clone()).flatten()
}

/// Names an object for reports.
pub(crate) fn name_object<M: Modelled + ?Sized>(value: &M, name: &str) {
    if let Some(object) = register(value) {
        with_runtime(|runtime, _| runtime.execution.name_object(object, name));
    }
}

/// Tells what the message is called that was just sent or received.
pub(crate) fn label(label: &'static str) {
    with_runtime(|runtime, _| {
        if !runtime.is_tearing_down {
            runtime.execution.label(label);
        }
    });
}

/// Tells that a monitor is hot, in this state and for so many rounds at most, or cold.
pub(crate) fn heat(monitor: &str, hot: Option<(&str, u64)>) {
    with_runtime(|runtime, _| {
        if !runtime.is_tearing_down {
            runtime.execution.heat(monitor, hot);
        }
    });
}

/// Virtual time in nanoseconds; looking lets a little pass. `None` outside an execution.
pub(crate) fn clock_look() -> Option<u64> {
    let is_held = |runtime: &mut Runtime, task| {
        !runtime.is_tearing_down && runtime.execution.holds_clock(task)
    };
    if with_runtime(is_held) == Some(true) {
        operate_without_object(OpKind::Yield);
    }
    with_runtime(|runtime, task| runtime.execution.look_at_clock(task))
}
