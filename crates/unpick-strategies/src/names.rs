//! Names of tasks that mean the same in every execution.
//!
//! The number of a task depends on the order in which tasks are created, and so on the schedule. Who
//! created it, and how many tasks that one had created before, does not.

use alloc::{collections::BTreeMap, vec::Vec};
use unpick_trace::{TaskId, Trace};

/// Translates between numbers of tasks in the current execution and names.
#[derive(Clone, Default)]
pub(crate) struct Names {
    /// By name of the creator and index.
    known: BTreeMap<(u32, u32), u32>,
    /// By task of the current execution.
    names: Vec<u32>,
    /// By name: the task in the current execution.
    tasks: Vec<Option<TaskId>>,
}

impl Names {
    /// Prepares for another execution.
    pub fn reset(&mut self) {
        self.names.clear();
        self.tasks.fill(None);
    }

    /// Takes in tasks that were created since.
    pub fn update(&mut self, trace: &Trace) {
        for info in &trace.tasks[self.names.len()..] {
            let task = TaskId(self.names.len() as u32);
            let parent = match self.names.get(info.parent.index()) {
                Some(&parent) => (parent, info.index),
                None => (u32::MAX, 0),
            };
            let next = self.known.len() as u32;
            let name = *self.known.entry(parent).or_insert(next);
            if name == next {
                self.tasks.push(None);
            }
            self.tasks[name as usize] = Some(task);
            self.names.push(name);
        }
    }

    /// Learns the names of another search. Answers what they are here.
    pub fn absorb(&mut self, other: &Names) -> Vec<u32> {
        let mut theirs: Vec<_> = other.known.iter().collect();
        theirs.sort_unstable_by_key(|&(_, &name)| name);
        let mut same: Vec<u32> = Vec::new();
        for (&(creator, index), _) in theirs {
            let creator = same.get(creator as usize).copied().unwrap_or(u32::MAX);
            let next = self.known.len() as u32;
            let name = *self.known.entry((creator, index)).or_insert(next);
            if name == next {
                self.tasks.push(None);
            }
            same.push(name);
        }
        same
    }

    /// The name of a task of the current execution.
    pub fn name(&self, task: TaskId) -> u32 {
        self.names[task.index()]
    }

    /// The task of the current execution with this name.
    pub fn task(&self, name: u32) -> Option<TaskId> {
        self.tasks.get(name as usize).copied().flatten()
    }
}
