//! What a transition does besides its operation, noted for strategies and analyses that ask.
//!
//! A trace holds the operations. Reductions must know more: a task that begins to wait enlists
//! within the release of the mutex, a task ends within whatever it did last, data inside a mutex is used without an operation. Nothing is noted unless asked for.

use crate::{Execution, Grant, Held, Mode, execution::Status, object::State, recording::Call};
use alloc::vec::Vec;
use core::ops::Range;
use unpick_trace::{ObjectId, Op, TaskId};

/// Something that another task may notice and that is no operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The task becomes a waiter of a condition variable.
    Enlists(ObjectId),
    /// The task makes possible what a semaphore stands for, or its store arrives in a variable.
    Arrives(ObjectId),
    /// The task destroys an object, or frees the memory in which it lies: what others do with it comes before, or fails.
    Destroys(ObjectId),
    /// The task comes to stand before a plain read of a cell.
    ReadsNext(ObjectId),
    /// The task comes to stand before a plain write of a cell.
    WritesNext(ObjectId),
    /// The task ends; the object stands for it.
    Ends(ObjectId),
    /// The task has nothing more to do; it ends when its stores have left their buffer.
    LeavesOff(ObjectId),
    /// The task looks whether another one has ended.
    LooksAtEnd(ObjectId),
    /// The task reads what a mutex it holds contains.
    ReadsData(ObjectId),
    /// The task writes what a mutex it holds contains.
    WritesData(ObjectId),
    /// The task looks whether a mutex that it locks is poisoned.
    ReadsPoison(ObjectId),
    /// The task poisons a mutex, or ends that.
    WritesPoison(ObjectId),
    /// The task reads a variable while no other task can notice when.
    ReadsAlone(ObjectId),
    /// The task writes a variable while no other task can notice when.
    WritesAlone(ObjectId),
    /// The operation did not simply succeed.
    Granted(Grant),
    /// The operation on a variable left it as it was.
    LeavesUnchanged,
    /// The operation left this value in a variable.
    Stores(u64),
    /// The task reads the clock, or moves it, in this mode.
    UsesClock(Mode),
    /// The task looks whether something is left of a ration, or takes from it.
    UsesRation(Ration, Mode),
    /// The operation was possible because no other one was: it follows all that happened before.
    FollowsAll,
    /// The task performs one more operation in the same transition. What follows is about that one.
    GoesOn,
    /// The store goes into this buffer, as the one of this number.
    Buffers(ObjectId, u32),
    /// The store of this number leaves a buffer.
    Flushes {
        /// Whose store it is.
        task: ObjectId,
        /// The buffer.
        buffer: ObjectId,
        /// How many stores went into it before.
        number: u32,
        /// Leaves after those of these numbers, from the first one on to before the second.
        after: (u32, u32),
    },
}

/// What an execution has a limited number of, for all tasks together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ration {
    /// Weak compare-and-exchanges that fail without a reason.
    WeakFailures,
    /// Waits that end without a notification.
    SpuriousWakes,
}

/// Where a transition begins.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    /// Steps before it.
    pub steps: u32,
    /// Tasks before it.
    pub tasks: u32,
    /// Calls before it.
    pub calls: u32,
    /// Whether its operation was told to have left everything as it was.
    pub is_idle: bool,
}

/// The notes of one execution.
#[derive(Default)]
pub(crate) struct Watch {
    pub is_active: bool,
    /// Whether the calls of the front end are kept.
    pub is_recording: bool,
    /// Where each transition begins.
    pub transitions: Vec<Start>,
    /// Effects with the number of their transition, in order.
    pub effects: Vec<(u32, Effect)>,
    /// Tasks that release a mutex next in order to wait.
    pub intents: Vec<(TaskId, ObjectId)>,
    /// The calls of the front end, in order.
    pub calls: Vec<Call>,
    /// What variables held before their first use, as far as it is known as a number.
    pub initials: Vec<(ObjectId, u64)>,
    /// By variable: how many transitions had begun when it was last read, and written, by a task that is alone.
    pub alone: Vec<[u32; 2]>,
}

impl Watch {
    pub fn reset(&mut self) {
        self.transitions.clear();
        self.effects.clear();
        self.intents.clear();
        self.calls.clear();
        self.initials.clear();
        self.alone.clear();
    }
}

impl Execution {
    /// Asks for notes on transitions and their effects, from the next execution on.
    pub fn watch(&mut self, is_active: bool) {
        self.watch.is_active = is_active;
        self.is_plain &= !is_active;
    }

    /// Whether effects are noted.
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.watch.is_active
    }

    /// Notes an effect of the current transition. What happens before the first transition is known
    /// to everybody and not noted, nor is the unwinding of tasks when the execution is over.
    #[inline]
    pub fn note(&mut self, effect: Effect) {
        if self.watch.is_active {
            self.record(Call::Note(effect));
            self.note_watched(effect);
        }
    }

    /// As [`Execution::note`], for what follows from what the front end has told.
    #[inline]
    pub(crate) fn mark(&mut self, effect: Effect) {
        if self.watch.is_active {
            self.note_watched(effect);
        }
    }

    #[inline(never)]
    fn note_watched(&mut self, effect: Effect) {
        if !self.watch.transitions.is_empty() && self.outcome().is_none() {
            let transition = self.watch.transitions.len() as u32 - 1;
            if self.watch.effects.last() != Some(&(transition, effect)) {
                self.watch.effects.push((transition, effect));
            }
        }
    }

    /// Notes that the running task uses a variable without an operation, since no other task can notice when. What
    /// it finds there depends on what the others did before.
    #[inline]
    pub fn note_alone(&mut self, variable: ObjectId, writes: bool) {
        if self.watch.is_active {
            self.note_alone_watched(variable, writes);
        }
    }

    #[inline(never)]
    fn note_alone_watched(&mut self, variable: ObjectId, writes: bool) {
        let transition = self.watch.transitions.len() as u32;
        let alone = &mut self.watch.alone;
        if alone.len() <= variable.index() {
            alone.resize(variable.index() + 1, [0; 2]);
        }
        // Once per transition is enough, however often it does so.
        let last = &mut alone[variable.index()][usize::from(writes)];
        if core::mem::replace(last, transition) != transition {
            self.note(match writes {
                true => Effect::WritesAlone(variable),
                false => Effect::ReadsAlone(variable),
            });
        }
    }

    /// Tells what a variable holds before its first use, as the number that steps tell of it.
    pub fn note_initial(&mut self, variable: ObjectId, value: u64) {
        if self.watch.is_active {
            self.watch.initials.push((variable, value));
        }
    }

    /// What variables held before their first use. Those that are not in it have values that are no numbers.
    pub fn initials(&self) -> &[(ObjectId, u64)] {
        &self.watch.initials
    }

    /// The steps of a transition.
    pub(crate) fn steps_of(&self, transition: usize) -> Range<usize> {
        let transitions = &self.watch.transitions;
        let next = transitions.get(transition + 1);
        let end = next.map_or(self.trace.steps.len(), |next| next.steps as usize);
        transitions[transition].steps as usize..end
    }

    /// The number of tasks after a transition.
    pub(crate) fn task_count_after(&self, transition: usize) -> usize {
        let next = self.watch.transitions.get(transition + 1);
        next.map_or(self.task_count(), |next| next.tasks as usize)
    }

    /// The number of tasks before the first transition.
    pub(crate) fn task_count_at_first(&self) -> usize {
        let first = self.watch.transitions.first();
        first.map_or(self.task_count(), |first| first.tasks as usize)
    }

    /// Notes that a transition begins.
    #[cold]
    pub(crate) fn note_transition(&mut self) {
        self.watch.transitions.push(Start {
            steps: self.trace.steps.len() as u32,
            tasks: self.task_count() as u32,
            calls: self.watch.calls.len() as u32,
            is_idle: false,
        });
    }

    /// The effects of a transition; `seen` is the number of effects of those before.
    pub(crate) fn effects_of(&self, transition: usize, seen: usize) -> &[(u32, Effect)] {
        let rest = &self.watch.effects[seen..];
        let end = rest.partition_point(|(of, _)| *of as usize <= transition);
        &rest[..end]
    }

    /// The next operation of a task; its last one if it has ended.
    pub fn pending_op(&self, task: TaskId) -> Op {
        self.tasks[task.index()].op
    }

    /// The task that an object stands for.
    pub fn task_of(&self, object: ObjectId) -> Option<TaskId> {
        let mut tasks = self.trace.tasks.iter();
        let found = tasks.position(|info| info.object == object);
        found.map(|index| TaskId(index as u32))
    }

    /// Whether a task stands before an operation, or stood there when the execution ended.
    pub fn is_pending(&self, task: TaskId) -> bool {
        let status = self.tasks[task.index()].status;
        status == Status::Pending || status == Status::Abandoned
    }

    /// How many messages a channel holds before senders block; `None` if there is no limit.
    pub fn capacity(&self, object: ObjectId) -> Option<u32> {
        match self.objects[object.index()].state {
            State::Channel { capacity, .. } => capacity,
            _ => None,
        }
    }

    /// How many tasks meet at a barrier.
    pub fn parties(&self, object: ObjectId) -> usize {
        match self.objects[object.index()].state {
            State::Barrier { size, .. } => size.max(1) as usize,
            _ => 1,
        }
    }

    /// The permits a semaphore has now, and the senders a channel has now.
    pub fn supply(&self, object: ObjectId) -> (u32, u32) {
        match self.objects[object.index()].state {
            State::Semaphore { permits } => (permits, 0),
            State::Channel { senders, .. } => (0, senders),
            _ => (0, 0),
        }
    }

    /// The locks that a task holds, in the order in which it took them.
    pub fn held(&self, task: TaskId) -> &[Held] {
        &self.tasks[task.index()].held
    }

    /// Whether a task holds a lock.
    pub(crate) fn holds(&self, task: TaskId, lock: ObjectId) -> bool {
        self.held(task).iter().any(|held| held.object == lock)
    }

    /// Tells that a task is about to release a mutex in order to wait for a condition variable.
    pub fn intend_to_wait(&mut self, task: TaskId, condvar: ObjectId) {
        self.record(Call::IntendToWait(task, condvar));
        self.watch.intents.push((task, condvar));
    }

    /// The condition variable that a task waits for right after its next operation.
    pub fn intends_to_wait(&self, task: TaskId) -> Option<ObjectId> {
        let mut intents = self.watch.intents.iter();
        let found = intents.find(|(of, _)| *of == task);
        found.map(|(_, condvar)| *condvar)
    }

    /// Number of transitions begun.
    pub fn transition_count(&self) -> usize {
        self.watch.transitions.len()
    }
}
