//! The end of an execution in which nobody can go on: all done, or a deadlock.

use crate::{
    Execution,
    execution::{Status, Task},
    object::State,
};
use alloc::{vec, vec::Vec};
use unpick_trace::{Blocked, Deadlock, ObjectId, OpKind, Outcome, TaskId};

impl Execution {
    /// The outcome of a state in which no task is enabled.
    pub(crate) fn terminal_outcome(&self) -> Outcome {
        let count = self.trace.tasks.len();
        if self.tasks[..count]
            .iter()
            .all(|task| task.status == Status::Finished)
        {
            return Outcome::Pass;
        }
        let blocked: Vec<Blocked> = (0..count)
            .filter(|&index| self.tasks[index].status != Status::Finished)
            .filter(|&index| !self.is_agent(TaskId(index as u32)))
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
