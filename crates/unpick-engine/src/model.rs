//! The rules of the shared objects: when an operation is possible, and what it does.
//!
//! Enabledness is exact: nothing is tried and nothing blocks. It is kept up to date by looking again
//! only at tasks that wait for the object that has just changed.

mod channel;
mod condvar;
mod lock;

use crate::{Effect, Execution, Grant, Misuse, object::State, recording::Call};
use alloc::format;
use unpick_trace::{FailureKind, ObjectId, Op, OpKind, TaskId};

/// How much an operation has to do with the model, and then with the rules for tasks that yield:
/// least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Always possible; the front end tells what it changed.
    Variable,
    /// Always possible, and changes nothing.
    Idle,
    /// Always possible, and creates tasks.
    Spawn,
    /// Notifies the waiters of a condition variable; always possible.
    Notify,
    /// Uses a channel, and is always possible.
    ChannelAtOnce,
    /// Uses a channel, and may have to wait.
    Channel,
    /// Acquires or releases a mutex. This, the next two and the four before are used most, and have
    /// short ways of their own.
    Mutex,
    /// Waits for the end of a task.
    Join,
    /// Waits for a condition variable.
    Wait,
    /// Everything else that has no deadline.
    Other,
    /// Always possible, changes nothing, and lets others go first.
    Yield,
    /// Has a deadline.
    Timed,
}

/// By kind of operation, and then those with a deadline. A table, since a jump on the kind would be
/// mispredicted at every step. As long as a byte can count, twice, so that no bounds are checked.
static CLASSES: [Class; 512] = {
    let mut classes = [Class::Timed; 512];
    let mut kind = 0;
    while kind < 256 {
        classes[kind] = Class::Other;
        kind += 1;
    }
    classes[OpKind::Store as usize] = Class::Variable;
    classes[OpKind::ReadModifyWrite as usize] = Class::Variable;
    classes[OpKind::CompareExchange as usize] = Class::Variable;
    classes[OpKind::Load as usize] = Class::Idle;
    classes[OpKind::Enter as usize] = Class::Idle;
    classes[OpKind::Yield as usize] = Class::Yield;
    classes[OpKind::Sleep as usize] = Class::Yield;
    classes[OpKind::OnceRead as usize] = Class::Idle;
    classes[OpKind::End as usize] = Class::Idle;
    classes[OpKind::TryJoin as usize] = Class::Idle;
    classes[OpKind::Spawn as usize] = Class::Spawn;
    classes[OpKind::Lock as usize] = Class::Mutex;
    classes[OpKind::Unlock as usize] = Class::Mutex;
    classes[OpKind::Join as usize] = Class::Join;
    classes[OpKind::Wait as usize] = Class::Wait;
    classes[OpKind::NotifyOne as usize] = Class::Notify;
    classes[OpKind::NotifyAll as usize] = Class::Notify;
    classes[OpKind::Send as usize] = Class::Channel;
    classes[OpKind::TrySend as usize] = Class::ChannelAtOnce;
    classes[OpKind::Receive as usize] = Class::Channel;
    classes[OpKind::TryReceive as usize] = Class::ChannelAtOnce;
    classes[OpKind::SenderDrop as usize] = Class::ChannelAtOnce;
    classes[OpKind::ReceiverDrop as usize] = Class::ChannelAtOnce;
    classes
};

impl Class {
    #[inline]
    pub fn of(op: Op) -> Class {
        CLASSES[usize::from(op.kind as u8) | usize::from(op.timed) << 8]
    }
}

impl Execution {
    /// Takes in a task that has just announced its next operation. Until then it is enabled.
    #[inline(never)]
    pub(crate) fn arrive(&mut self, task: TaskId, op: Op) {
        if op.kind == OpKind::Quiesce {
            return self.set_enabled(task, false);
        }
        if !is_conditional(&op) {
            match op.kind {
                OpKind::PlainRead => self.mark(Effect::ReadsNext(op.object)),
                OpKind::PlainWrite => self.mark(Effect::WritesNext(op.object)),
                OpKind::ReadUnlock | OpKind::WriteUnlock => self.check_use(task, &op),
                _ => {}
            }
            return;
        }
        self.objects[op.object.index()].begin_wait(task);
        match op.kind {
            OpKind::ReadLock | OpKind::WriteLock | OpKind::OnceEnter => {
                self.check_use(task, &op);
            }
            _ => {}
        }
        if op.kind == OpKind::WriteLock && op.argument == Op::PREFERRED {
            // Readers wait behind it from now on.
            self.refresh(op.object);
        }
        let possible = op.timed || self.is_possible(task, &op);
        self.set_enabled(task, possible);
    }

    /// Takes in a task that is about to wait for the end of another.
    #[inline(never)]
    pub(crate) fn arrive_at_join(&mut self, task: TaskId, op: Op) {
        let object = &mut self.objects[op.object.index()];
        let State::Task { finished, .. } = object.state else {
            panic!("internal error: {op:?} needs a task");
        };
        if !finished && !op.timed {
            object.begin_wait(task);
            self.hold_up(task);
        }
    }

    /// Lets a task arrive at a barrier. The last one of a round leads and need not wait.
    fn arrive_at_barrier(&mut self, task: TaskId, object: ObjectId) -> Grant {
        let State::Barrier {
            size,
            arrived,
            generation,
        } = &mut self.objects[object.index()].state
        else {
            panic!("internal error: {object:?} is not a barrier");
        };
        self.tasks[task.index()].ticket = *generation;
        *arrived += 1;
        if *arrived < *size {
            return Grant::Done;
        }
        *arrived = 0;
        *generation += 1;
        Grant::Leader
    }

    /// Reports what is wrong with an operation whatever happens next.
    #[cold]
    pub(crate) fn check_use(&mut self, task: TaskId, op: &Op) {
        let message = match (op.kind, self.objects[op.object.index()].state) {
            (OpKind::Unlock, State::Mutex { owner })
                if owner != Some(task) && self.settings().misuse != Misuse::Fail =>
            {
                return self.note_foreign_unlock(task, op.object);
            }
            // It waits until another task unlocks it, and for ever if none does.
            (OpKind::Lock, State::Mutex { .. }) if self.settings().misuse != Misuse::Fail => return,
            (OpKind::Lock, State::Mutex { owner: Some(owner) }) if owner == task => "locks",
            (OpKind::Unlock, State::Mutex { owner }) if owner != Some(task) => "unlocks",
            (
                OpKind::ReadLock | OpKind::WriteLock,
                State::RwLock {
                    writer: Some(writer),
                    ..
                },
            ) if writer == task => "locks",
            (OpKind::WriteLock, State::RwLock { .. }) if self.holds(task, op.object) => "locks",
            (OpKind::WriteUnlock, State::RwLock { writer, .. }) if writer != Some(task) => {
                "unlocks"
            }
            (OpKind::ReadUnlock, State::RwLock { .. }) if !self.holds(task, op.object) => "unlocks",
            (OpKind::OnceEnter, State::Once { runner, .. }) if runner == Some(task) => {
                "initialises again, from within its own initialisation,"
            }
            _ => return,
        };
        let name = self.trace.object_name(op.object);
        let why = match message {
            "locks" => ", which it holds already",
            "unlocks" => ", which it does not hold",
            _ => "",
        };
        let message = format!("{} {message} {name}{why}", self.trace.task_name(task));
        self.fail_at(FailureKind::Misuse, task, message);
    }

    /// Whether an operation could be performed now without timing out.
    pub(crate) fn is_possible(&self, task: TaskId, op: &Op) -> bool {
        if !is_conditional(op) {
            return true;
        }
        let object = &self.objects[op.object.index()];
        let slot = &self.tasks[task.index()];
        match object.state {
            State::Mutex { owner } => owner.is_none(),
            State::Task { finished, token } => match op.kind {
                OpKind::Join => finished,
                _ => token || slot.is_woken,
            },
            State::Condvar { .. } => slot.is_woken || object.has_token_for(slot.ticket),
            State::RwLock { writer, readers } => match op.kind {
                OpKind::ReadLock => {
                    let may_pass = || op.argument == Op::PREFERRED;
                    writer.is_none() && (may_pass() || !self.has_writer_waiting(op.object))
                }
                _ => writer.is_none() && readers == 0,
            },
            State::Channel {
                queued, senders, ..
            } if op.kind == OpKind::Receive => queued > 0 || senders == 0,
            State::Channel {
                capacity,
                queued,
                receiver,
                offered,
                ..
            } => {
                !receiver
                    || match capacity {
                        None => true,
                        // What the task has offered was taken.
                        Some(0) => offered - queued >= slot.ticket,
                        Some(limit) => queued < limit,
                    }
            }
            State::Semaphore { permits } => permits >= u32::from(op.argument),
            State::Barrier { generation, .. } => generation > slot.ticket,
            State::Once { runner, .. } => runner.is_none(),
            State::Buffer { queued } => queued == 0,
            State::Variable => panic!("internal error: {op:?} on a variable"),
        }
    }

    /// Whether a timed operation that can succeed may time out instead. A receiver that was handed
    /// a message over a rendezvous may not: its sender has gone on.
    pub(crate) fn may_time_out(&self, op: &Op) -> bool {
        !matches!(
            (op.kind, self.objects[op.object.index()].state),
            (OpKind::Receive, State::Channel { capacity: Some(0), queued, .. }) if queued > 0
        )
    }

    /// Performs a join. It changes nothing, but does not count as idle: nobody joins a task twice.
    #[inline(never)]
    pub(crate) fn perform_join(&mut self, task: TaskId, op: Op) {
        self.objects[op.object.index()].end_any_wait(task);
        self.tasks[task.index()].joined += 1;
    }

    /// Performs an operation on its object.
    pub(crate) fn apply(&mut self, task: TaskId, op: &Op, times_out: bool) -> Grant {
        if is_conditional(op) {
            self.objects[op.object.index()].end_any_wait(task);
        }
        let grant = match op.kind {
            _ if times_out => self.give_up(task, op),
            OpKind::Wait => self.consume_notification(task, op.object),
            OpKind::NotifyOne | OpKind::NotifyAll => self.notify(op),
            OpKind::BarrierWait if op.is_arrival() => self.arrive_at_barrier(task, op.object),
            OpKind::BarrierWait => Grant::Done,
            OpKind::Send
            | OpKind::TrySend
            | OpKind::Receive
            | OpKind::TryReceive
            | OpKind::SenderDrop
            | OpKind::ReceiverDrop => self.apply_channel(task, op),
            OpKind::OnceEnter | OpKind::OnceLeave => self.apply_once(task, op),
            OpKind::Join | OpKind::Park | OpKind::Unpark => self.apply_task(task, op),
            OpKind::Acquire | OpKind::TryAcquire | OpKind::Release => self.apply_semaphore(op),
            OpKind::Flush => {
                self.flush(task);
                return Grant::Done;
            }
            OpKind::Fence => {
                self.fence(task, op);
                self.note_idle(task);
                return Grant::Done;
            }
            OpKind::Drain => {
                self.note_drained(task);
                Grant::Done
            }
            OpKind::PlainRead | OpKind::PlainWrite => {
                self.has_plain_access = true;
                Grant::Done
            }
            _ => self.apply_lock(task, op),
        };
        match (grant, op.kind) {
            (Grant::Refused, _) if op.is_arrival() => self.note_change(task),
            _ if op.is_look() => self.note_idle(task),
            (Grant::Refused, _) | (_, OpKind::Join | OpKind::PlainRead | OpKind::Drain) => {
                self.note_idle(task);
            }
            _ => self.note_change(task),
        }
        self.refresh(op.object);
        grant
    }

    fn apply_semaphore(&mut self, op: &Op) -> Grant {
        let State::Semaphore { permits } = &mut self.objects[op.object.index()].state else {
            panic!("internal error: {op:?} needs a semaphore");
        };
        match op.kind {
            OpKind::Release => *permits += u32::from(op.argument),
            _ if *permits < u32::from(op.argument) => return Grant::Refused,
            _ => *permits -= u32::from(op.argument),
        }
        Grant::Done
    }

    /// Gives permits to a semaphore from outside of the program: what it stands for has become
    /// possible by something that no task did just now.
    pub fn provide(&mut self, semaphore: ObjectId, count: u32) {
        self.record(Call::Provide(semaphore, count));
        let State::Semaphore { permits } = &mut self.objects[semaphore.index()].state else {
            panic!("internal error: {semaphore:?} is not a semaphore");
        };
        *permits += count;
        // Whoever ran last has made it possible, as far as one can tell.
        self.mark(Effect::Arrives(semaphore));
        self.refresh(semaphore);
    }

    fn apply_once(&mut self, task: TaskId, op: &Op) -> Grant {
        let State::Once { runner, done } = &mut self.objects[op.object.index()].state else {
            panic!("internal error: {op:?} needs a once");
        };
        match op.kind {
            OpKind::OnceEnter if *done => Grant::Done,
            OpKind::OnceEnter => {
                *runner = Some(task);
                Grant::Leader
            }
            _ => {
                // The argument says whether the initialisation succeeded.
                *runner = None;
                *done = op.argument != 0;
                Grant::Done
            }
        }
    }

    fn apply_task(&mut self, task: TaskId, op: &Op) -> Grant {
        let State::Task { token, .. } = &mut self.objects[op.object.index()].state else {
            panic!("internal error: {op:?} needs a task");
        };
        match op.kind {
            OpKind::Join => self.tasks[task.index()].joined += 1,
            OpKind::Park => {
                *token = false;
                self.tasks[task.index()].is_woken = false;
            }
            OpKind::Unpark => *token = true,
            _ => {}
        }
        Grant::Done
    }

    #[inline]
    pub(crate) fn set_enabled(&mut self, task: TaskId, enabled: bool) {
        if enabled {
            self.enabled_count += usize::from(self.enabled.insert(task));
        } else {
            self.enabled_count -= usize::from(self.enabled.remove(task));
        }
    }

    /// Notes that the task that has just run has come to an operation that is not possible.
    #[inline]
    pub(crate) fn hold_up(&mut self, task: TaskId) {
        self.enabled.remove(task);
        self.enabled_count -= 1;
    }

    /// Looks again at the tasks that wait for an object.
    #[inline]
    pub(crate) fn refresh(&mut self, object: ObjectId) {
        if self.objects[object.index()].waiting_count > 0 {
            self.refresh_waiting(object);
        }
    }

    pub(super) fn refresh_waiting(&mut self, object: ObjectId) {
        let mut next = self.objects[object.index()].waiting.bits().first();
        while let Some(task) = next {
            let op = self.tasks[task.index()].op;
            if !op.timed {
                let possible = self.is_possible(task, &op);
                self.set_enabled(task, possible);
            }
            let waiting = self.objects[object.index()].waiting.bits();
            next = waiting.first_from(TaskId(task.0 + 1));
        }
    }
}

/// Whether an operation is not always possible.
#[inline]
fn is_conditional(op: &Op) -> bool {
    !op.is_arrival()
        && matches!(
            op.kind,
            OpKind::Lock
                | OpKind::ReadLock
                | OpKind::WriteLock
                | OpKind::Wait
                | OpKind::Acquire
                | OpKind::BarrierWait
                | OpKind::OnceEnter
                | OpKind::Join
                | OpKind::Park
                | OpKind::Send
                | OpKind::Receive
                | OpKind::Drain
        )
}
