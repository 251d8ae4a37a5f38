//! Memory that one task uses alone, as far as was seen: its stack.
//!
//! Most accesses of a task are to its own stack, and hardly ever does another task touch that. So they
//! are only written down, one behind the other. When somebody else comes, what was written down is put
//! into the cells, in order and with the epochs of then, and from there on the stack is memory like any
//! other. Nothing is missed, and nothing depends on when that happens.

use alloc::vec::Vec;
use core::ops::Range;

use super::record::Mark;

/// Accesses that are written down at most, for each task: with more of them, the cells are smaller.
const ACCESS_COUNT_MAX: usize = 1 << 16;

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
    /// Whether somebody else came, in whatever execution: then it is not worth the trouble.
    has_been_shared: bool,
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

    /// Takes memory from the task that has it for itself, and forgets what that wrote down. Answers
    /// whether there was one: then no cell knows of an access there.
    pub fn remove(&mut self, range: &Range<usize>) -> bool {
        let is_it = |one: &&mut Private| one.length > 0 && one.range() == *range;
        let Some(private) = self.tasks.iter_mut().find(is_it) else {
            return false;
        };
        private.length = 0;
        private.written.clear();
        true
    }

    /// Memory belongs to a task from now on. In whole words: the cell of one that is partly another's
    /// would hide who comes.
    pub fn add(&mut self, task: usize, range: Range<usize>) {
        while self.tasks.len() <= task {
            self.tasks.push(Private::default());
        }
        let private = &mut self.tasks[task];
        if !private.has_been_shared {
            self.span = match self.span.is_empty() {
                true => range.clone(),
                false => self.span.start.min(range.start)..self.span.end.max(range.end),
            };
            private.start = range.start;
            private.length = range.len();
            private.written.clear();
        }
    }

    /// Writes an access down if the task has its memory for itself. Answers whether it did.
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
        if !is_inside || private.written.len() >= ACCESS_COUNT_MAX {
            return false;
        }
        private.written.push(access);
        true
    }

    /// Whether memory may belong to a task, as far as that is seen at a glance.
    #[inline(always)]
    pub fn may_hold(&self, address: usize, size: usize) -> bool {
        address < self.span.end && self.span.start < address.saturating_add(size)
    }

    /// Somebody may use memory whom it does not belong to: a task that loses it, with what it wrote
    /// down. Ask until there is none.
    pub fn lose(&mut self, address: usize, size: usize) -> Option<(usize, Vec<Written>)> {
        let range = address..address.saturating_add(size);
        let task = self.tasks.iter().position(|one| one.overlaps(&range))?;
        let private = &mut self.tasks[task];
        private.length = 0;
        private.has_been_shared = true;
        Some((task, core::mem::take(&mut private.written)))
    }

    /// Takes the memory of a list back.
    pub fn give_back(&mut self, task: usize, mut written: Vec<Written>) {
        written.clear();
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
