//! Memory that one task uses alone, as far as was seen: its stack.
//!
//! Most accesses of a task are to its own stack, and hardly ever does another task touch that. So they
//! are only written down, one behind the other. When somebody else comes, what was written down is put
//! into the cells, in order and with the epochs of then, and from there on it is memory like any other:
//! all from where they came up, which is where callers and thread-locals lie. What is called later uses
//! what lies below, and that stays private. Nothing is missed, and nothing depends on when that happens.

use alloc::vec::Vec;
use core::ops::Range;

use super::record::Mark;

/// Accesses that are written down at most, for each task: with more of them, the cells are smaller.
const ACCESS_COUNT_MAX: usize = 1 << 16;
/// Accesses that there is room for, once there are any.
const ACCESS_COUNT_MIN: usize = 1 << 6;

/// Bytes that are lost together: what others use often lies side by side, and each loss takes a look at
/// all that was written down.
const LOST_TOGETHER: usize = 64;

/// An access that was written down.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    pub address: usize,
    pub size: u32,
    pub epoch: u32,
    pub pc: usize,
    pub mark: Mark,
}

/// What a task has for itself. Aligned, so that its place in a row is found without a multiplication.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Private {
    start: usize,
    /// Zero: nothing is private any more.
    length: usize,
    written: Vec<Written>,
    /// The lowest place to which somebody else came, in whatever execution: from there on it is not worth
    /// the trouble. Zero for none.
    shared_from: usize,
}

/// What each task has for itself.
#[derive(Debug, Default)]
pub struct Privates {
    tasks: Vec<Private>,
    /// From the first byte to behind the last one of all of them.
    span: Range<usize>,
}

impl Privates {
    /// Begins an execution: nothing is private.
    pub fn reset(&mut self) {
        for private in &mut self.tasks {
            private.length = 0;
            private.written.clear();
        }
        self.span = 0..0;
    }

    /// Takes memory from the task that has it for itself, and forgets what that wrote down. Answers up to
    /// where it did: no cell knows of an access there.
    pub fn remove(&mut self, range: &Range<usize>) -> usize {
        let is_it = |one: &&mut Private| one.length > 0 && one.start == range.start;
        let Some(private) = self.tasks.iter_mut().find(is_it) else {
            return range.start;
        };
        let end = private.range().end;
        private.length = 0;
        private.written.clear();
        end
    }

    /// Memory belongs to a task from now on. In whole words: the cell of one that is partly another's
    /// would hide who comes.
    pub fn add(&mut self, task: usize, mut range: Range<usize>) {
        while self.tasks.len() <= task {
            self.tasks.push(Private::default());
        }
        let private = &mut self.tasks[task];
        if range.contains(&private.shared_from) {
            range.end = private.shared_from;
        }
        if !range.is_empty() {
            self.span = match self.span.is_empty() {
                true => range.clone(),
                false => self.span.start.min(range.start)..self.span.end.max(range.end),
            };
            private.start = range.start;
            private.length = range.len();
            private.written.clear();
        }
    }

    /// Writes an access down if the task has its memory for itself, and there is room. Answers whether it did.
    #[inline(always)]
    pub fn write(&mut self, task: usize, access: Written) -> bool {
        let Some(private) = self.tasks.get_mut(task) else {
            return false;
        };
        let place = access.address.wrapping_sub(private.start);
        if place >= private.length {
            return false;
        }
        let is_inside = access.size as usize <= private.length - place;
        if !is_inside || private.written.len() == private.written.capacity() {
            return false;
        }
        private.written.push(access);
        true
    }

    /// Makes room to write down more, if there is none and a task has this memory for itself. Answers
    /// whether it did.
    pub fn make_room(&mut self, task: usize, address: usize) -> bool {
        let Some(private) = self.tasks.get_mut(task) else {
            return false;
        };
        let count = private.written.len();
        let is_full = count == private.written.capacity() && count < ACCESS_COUNT_MAX;
        if is_full && private.range().contains(&address) {
            private.written.reserve_exact(count.max(ACCESS_COUNT_MIN));
            return true;
        }
        false
    }

    /// Whether memory may belong to a task, as far as that is seen at a glance.
    #[inline(always)]
    pub fn may_hold(&self, address: usize, size: usize) -> bool {
        address < self.span.end && self.span.start < address.saturating_add(size)
    }

    /// Somebody may use memory whom it does not belong to: a task that loses it, from where on, and all that
    /// it wrote down, to be given back. Ask until there is none.
    pub fn lose(&mut self, address: usize, size: usize) -> Option<(usize, usize, Vec<Written>)> {
        let range = address..address.saturating_add(size);
        let task = self.tasks.iter().position(|one| one.overlaps(&range))?;
        let private = &mut self.tasks[task];
        let from = match private.written.len() >= ACCESS_COUNT_MAX {
            true => private.start,
            false => private.start.max(address / LOST_TOGETHER * LOST_TOGETHER),
        };
        private.length = from - private.start;
        private.shared_from = from;
        Some((task, from, core::mem::take(&mut private.written)))
    }

    /// Takes back what a task wrote down, and forgets what it wrote of memory that it has lost.
    pub fn give_back(&mut self, task: usize, mut written: Vec<Written>) {
        let end = self.tasks[task].range().end;
        written.retain_mut(|access| {
            let left = end.saturating_sub(access.address);
            access.size = left.min(access.size as usize) as u32;
            left > 0
        });
        self.tasks[task].written = written;
    }
}

impl Private {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.length
    }

    fn overlaps(&self, range: &Range<usize>) -> bool {
        self.length > 0 && self.start < range.end && range.start < self.range().end
    }
}
