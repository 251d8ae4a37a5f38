//! What becomes of an execution in which nobody can go on: all done, quiet, or a deadlock.

use crate::{
    Execution,
    execution::{Status, Task},
    object::State,
};
use alloc::{vec, vec::Vec};
use unpick_trace::{Blocked, Deadlock, ObjectId, OpKind, Outcome, TaskId};

impl Execution {
    /// Enables the tasks that wait for quiescence, if all others have ended or are idle: nobody is
    /// enabled. Answers whether there are such tasks.
    pub(crate) fn quiesce(&mut self) -> bool {
        let count = self.trace.tasks.len();
        let is_quiet = (0..count).all(|index| {
            let slot = &self.tasks[index];
            slot.status == Status::Finished
                || slot.op.is_idle()
                || is_quiescing(slot)
                || self.is_agent(TaskId(index as u32))
        });
        for index in 0..count {
            if is_quiet && is_quiescing(&self.tasks[index]) {
                self.set_enabled(TaskId(index as u32), true);
            }
        }
        self.enabled_count > 0
    }

    /// The outcome of a state in which no task is enabled.
    pub(crate) fn terminal_outcome(&self) -> Outcome {
        let count = self.trace.tasks.len();
        if self.tasks[..count]
            .iter()
            .all(|task| task.status == Status::Finished)
        {
            return self.owed_outcome().unwrap_or(Outcome::Pass);
        }
        let mut left = self.tasks[..count].iter();
        let is_all_idle = left.all(|slot| slot.status == Status::Finished || slot.op.is_idle());
        // Those who wait for messages with nothing else to do hold up nobody, unless there is nobody else.
        let is_told = |slot: &Task| !slot.op.is_idle() || is_all_idle;
        let blocked: Vec<Blocked> = (0..count)
            .filter(|&index| self.tasks[index].status != Status::Finished)
            .filter(|&index| !self.is_agent(TaskId(index as u32)))
            .filter(|&index| is_told(&self.tasks[index]))
            .map(|index| {
                let slot = &self.tasks[index];
                Blocked {
                    task: TaskId(index as u32),
                    op: slot.op,
                    site: self.trace.site(slot.site).cloned(),
                    waits_for: self.waits_for(slot),
                }
            })
            .collect();
        let cycle = cycle(&blocked);
        Outcome::Deadlock(Deadlock { blocked, cycle })
    }

    /// The tasks that could make the next operation of a blocked task possible, where one can tell.
    fn waits_for(&self, slot: &Task) -> Vec<TaskId> {
        if slot.op.kind == OpKind::Quiesce {
            let is_busy = |other: &Task| {
                other.status != Status::Finished && !other.op.is_idle() && !is_quiescing(other)
            };
            let busy = (0..self.trace.tasks.len()).filter(|&index| is_busy(&self.tasks[index]));
            return busy.map(|index| TaskId(index as u32)).collect();
        }
        match (slot.op.kind, self.objects[slot.op.object.index()].state) {
            (OpKind::Lock, State::Mutex { owner: Some(owner) }) => vec![owner],
            (
                OpKind::OnceEnter,
                State::Once {
                    runner: Some(runner),
                    ..
                },
            ) => vec![runner],
            (OpKind::ReadLock | OpKind::WriteLock, State::RwLock { .. }) => {
                self.holders(slot.op.object)
            }
            (OpKind::Join, _) => (0..self.trace.tasks.len())
                .filter(|&index| self.tasks[index].object == slot.op.object)
                .map(|index| TaskId(index as u32))
                .collect(),
            _ => Vec::new(),
        }
    }

    fn holders(&self, object: ObjectId) -> Vec<TaskId> {
        (0..self.trace.tasks.len())
            .map(|index| TaskId(index as u32))
            .filter(|&task| self.holds(task, object))
            .collect()
    }
}

/// Whether a task waits until nobody else can go on.
fn is_quiescing(slot: &Task) -> bool {
    slot.status == Status::Pending && slot.op.kind == OpKind::Quiesce
}

/// A ring of tasks in which each waits for the next, starting with the lowest.
fn cycle(blocked: &[Blocked]) -> Vec<TaskId> {
    let entry = |task: TaskId| blocked.iter().find(|entry| entry.task == task);
    for start in blocked {
        let mut path = vec![start.task];
        let mut stack = vec![start.waits_for.clone()];
        while let Some(options) = stack.last_mut() {
            match options.pop() {
                None => {
                    stack.pop();
                    path.pop();
                }
                Some(next) if next == start.task => return path,
                Some(next) if path.contains(&next) => {}
                Some(next) => {
                    if let Some(entry) = entry(next) {
                        path.push(next);
                        stack.push(entry.waits_for.clone());
                    }
                }
            }
        }
    }
    Vec::new()
}
