//! Which steps of other tasks a step comes directly after.
//!
//! An arrow leads from a step to one of another task that uses the same object, if one of them may change
//! it and nothing lies in between; from a spawn to the first step of the new task; from the last step of a
//! task to the join that waits for it. All else follows from these and from the order within each task.
//! Barriers get no arrows: how many tasks they wait for is not in a trace.

use std::collections::HashMap;
use unpick_trace::{Access, ObjectId, Op, OpKind, TaskId, Trace};

/// From a step to a later one of another task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrow {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// A step and its task.
#[derive(Clone, Copy)]
struct Use {
    task: TaskId,
    step: usize,
}

/// Who has used an object.
#[derive(Default)]
struct Object {
    /// The last one that may have changed it.
    writer: Option<Use>,
    /// Who has looked at it since, each task once, with its last look.
    readers: Vec<Use>,
}

/// What has happened so far.
pub(super) struct Arrows {
    objects: HashMap<ObjectId, Object>,
    /// By task.
    last: Vec<Option<usize>>,
    /// By task: the step that created it.
    created: Vec<Option<usize>>,
    task_of_object: HashMap<ObjectId, TaskId>,
}

impl Arrows {
    pub(super) fn new(trace: &Trace, created: Vec<Option<usize>>) -> Arrows {
        let tasks = (0..).map(TaskId).zip(&trace.tasks);
        Arrows {
            objects: HashMap::new(),
            last: vec![None; trace.tasks.len()],
            created,
            task_of_object: tasks.map(|(task, info)| (info.object, task)).collect(),
        }
    }

    /// Takes in the next step, and answers the steps that it comes after. A step that is refused has only
    /// looked at its object.
    pub(super) fn perform(
        &mut self,
        task: TaskId,
        step: usize,
        op: &Op,
        is_refused: bool,
    ) -> Vec<usize> {
        let mut sources = self.sources(task, op, is_refused);
        if self.last[task.index()].is_none() {
            let creator = self.created[task.index()];
            sources.extend(creator.filter(|&creator| creator < step));
        }
        self.last[task.index()] = Some(step);
        if let Some(object) = tracked(op) {
            let object = self.objects.entry(object).or_default();
            let own = Use { task, step };
            match access(op, is_refused) {
                Access::None => {}
                Access::Read => {
                    object.readers.retain(|other| other.task != task);
                    object.readers.push(own);
                }
                Access::Write => {
                    object.readers.clear();
                    object.writer = Some(own);
                }
            }
        }
        sources.sort_unstable();
        sources.dedup();
        sources
    }

    /// The steps that an operation comes after if it is performed now.
    pub(super) fn sources(&self, task: TaskId, op: &Op, is_refused: bool) -> Vec<usize> {
        if op.kind == OpKind::Join {
            let joined = self.task_of_object.get(&op.object);
            let last = joined.and_then(|joined| self.last[joined.index()]);
            return last.into_iter().collect();
        }
        let Some(object) = tracked(op).and_then(|object| self.objects.get(&object)) else {
            return Vec::new();
        };
        let writer = object.writer.filter(|writer| writer.task != task);
        let readers = object.readers.iter().filter(|reader| reader.task != task);
        match access(op, is_refused) {
            Access::None => Vec::new(),
            // A second look at what another task has written tells nothing new.
            Access::Read if object.readers.iter().any(|reader| reader.task == task) => Vec::new(),
            Access::Read => writer.map(|writer| writer.step).into_iter().collect(),
            Access::Write if object.readers.is_empty() => {
                writer.map(|writer| writer.step).into_iter().collect()
            }
            Access::Write => readers.map(|reader| reader.step).collect(),
        }
    }
}

/// The object whose uses follow each other, if the operation is a use of one.
fn tracked(op: &Op) -> Option<ObjectId> {
    let is_tracked = !matches!(op.kind, OpKind::Join | OpKind::Spawn | OpKind::BarrierWait);
    (is_tracked && op.object != ObjectId::NONE).then_some(op.object)
}

/// Readers of a lock do not come after each other.
fn access(op: &Op, is_refused: bool) -> Access {
    match op.kind {
        OpKind::ReadLock | OpKind::TryReadLock | OpKind::ReadUnlock => Access::Read,
        _ if is_refused => Access::Read,
        _ => op.access(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(steps: &[(u32, OpKind)]) -> Vec<Vec<usize>> {
        let trace = Trace::default();
        let mut arrows = Arrows::new(&trace, vec![None; 4]);
        arrows.last = vec![None; 4];
        let perform = |(step, &(task, kind)): (usize, &(u32, OpKind))| {
            arrows.perform(TaskId(task), step, &Op::new(kind, ObjectId(0)), false)
        };
        steps.iter().enumerate().map(perform).collect()
    }

    #[test]
    fn a_read_comes_after_the_write_of_another_task_once() {
        use OpKind::*;
        let found = after(&[(0, Store), (1, Load), (1, Load), (0, Load), (0, Store)]);
        assert_eq!(found, [vec![], vec![0], vec![], vec![], vec![2]]);
    }

    #[test]
    fn a_write_comes_after_the_last_reads_of_all_others() {
        use OpKind::*;
        let found = after(&[(0, Load), (1, Load), (2, Load), (2, Store), (1, Store)]);
        assert_eq!(found, [vec![], vec![], vec![], vec![0, 1], vec![3]]);
    }

    #[test]
    fn readers_of_a_lock_come_after_writers_only() {
        use OpKind::*;
        let steps = [
            (0, WriteLock),
            (0, WriteUnlock),
            (1, ReadLock),
            (2, ReadLock),
            (1, ReadUnlock),
            (2, ReadUnlock),
            (0, WriteLock),
        ];
        let found = after(&steps);
        assert_eq!(found[2..4], [vec![1], vec![1]]);
        assert_eq!(found[6], [4, 5]);
    }
}
