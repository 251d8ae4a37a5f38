//! Clocks, epochs, and what they say about the accesses of one cell.

use alloc::vec::Vec;
use unpick_trace::OpKind;

/// What happens before a moment: by task, one more than the number of its last step.
#[derive(Clone, Default)]
pub(super) struct Clock(pub Vec<u32>);

impl Clock {
    pub fn get(&self, task: usize) -> u32 {
        self.0.get(task).copied().unwrap_or(0)
    }

    pub fn set(&mut self, task: usize, time: u32) {
        if self.0.len() <= task {
            self.0.resize(task + 1, 0);
        }
        self.0[task] = time;
    }

    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    pub fn copy_from(&mut self, other: &Clock) {
        self.0.clone_from(&other.0);
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// One access: a task and a time. Time zero is no access.
#[derive(Clone, Copy, Default)]
pub(super) struct Epoch {
    pub task: usize,
    pub time: u32,
}

impl Epoch {
    fn is_before(self, clock: &Clock) -> bool {
        self.time <= clock.get(self.task)
    }
}

/// The accesses of a cell that later ones may race with.
#[derive(Default)]
pub(super) struct Shadow {
    write: Epoch,
    read: Epoch,
    /// The last read of each task, where one does not speak for all; otherwise empty.
    reads: Clock,
}

impl Shadow {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.write = Epoch::default();
        self.read = Epoch::default();
        self.reads.clear();
    }

    /// Takes in an access; answers the time of one that it races with.
    pub fn access(&mut self, kind: OpKind, now: Epoch, clock: &Clock) -> Option<u32> {
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
        self.clear();
        self.write = now;
        None
    }
}
