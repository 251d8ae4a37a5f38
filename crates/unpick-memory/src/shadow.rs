//! Data races and uses of freed memory, from the accesses that the program makes.
//!
//! After Cormac Flanagan and Stephen N. Freund, *FastTrack: Efficient and Precise Dynamic Race
//! Detection*, PLDI 2009. Every word of eight bytes has a cell with the accesses to it that may still
//! race with a later one, each with the bytes it touched, so that neighbours in a word are different
//! variables. An access is forgotten when a later one stands for it: one that happened after it and
//! that conflicts with all that it conflicts with.
//!
//! # Departures from the paper
//!
//! * Atomic accesses are remembered beside plain ones: two of them never race, one of each may.
//! * There is one list of accesses a word instead of a write and a clock of reads, since bytes of one
//!   word may have different histories. Three fit into the cell; further ones are chained.
//! * A free is a write that every later access to the bytes is held against, ordered or not.
//! * The cell of a word that one task alone has used is marked with it: then nothing can be wrong with
//!   its accesses, whatever the clocks say. Accesses to its stack do not even come to cells
//!   (`private.rs`).
//! * While places are learnt ([`Learning`]), an access stands for another one only if the same task made
//!   both at the same place: every place that shares memory must be seen, not only one of them.
//! * Memory that was just handed out can count as written as a whole ([`Shadow::imprint`]).
//!
//! # Where the cells are
//!
//! In the memory handed over, found by hashing the page and going to the word's place in it: one
//! lookup an access. A cell carries its word and the execution it belongs to, so that beginning an
//! execution costs nothing. Each page also has an entry: which of its cells are in use, which lets
//! blocks be allocated and freed without a look at cells that nobody has touched, and which of its
//! words were freed, or written as a whole.
//!
//! # What is missed, and what is never made up
//!
//! A race is only reported if nothing orders the two accesses. Missed are those
//!
//! * with an access whose cell was taken by another word: two pages that hash alike take cells from
//!   each other, so memory eight times as large as what the program uses keeps that rare;
//! * with a use of freed memory, if another page that hashes alike was freed since, or a part of it;
//! * of tasks from number 65,535 on, and after 16 million chained accesses in one execution.
//!
//! Memory that changes hands without the program freeing it, such as a stack that the next task
//! uses, must be told with [`Shadow::recycle`], or the old owner's accesses would seem to race.

mod accessing;
mod cell;
mod finding;
mod freeing;
mod links;
mod page;
mod private;
mod range;
mod record;
#[cfg(test)]
mod tests;

use unpick_trace::TaskId;

use crate::{Clocks, Shared};
use cell::Cell;
pub use finding::{Access, AccessKind, Finding};
use links::Links;
use page::{Freed, Page};
use private::{Privates, Written};
use range::{PAGE_WORDS, inner_words, words};
use record::{Lesson, Record};

const PAGE_CELL_BYTES: usize = PAGE_WORDS * size_of::<Cell>();

/// Tasks that are watched.
const TASK_COUNT_MAX: u32 = u16::MAX as u32;

/// Bytes of shadow memory that a page of the program's memory takes.
const PAGE_SHADOW_BYTES: usize = PAGE_CELL_BYTES + size_of::<Page>();

/// What is known of the program's memory.
#[derive(Debug)]
pub struct Shadow {
    /// Invariant: `page_count * PAGE_WORDS` cells that only this shadow uses.
    cells: *mut Cell,
    /// Invariant: `page_count` pages that only this shadow uses.
    pages: *mut Page,
    /// Invariant: a power of two.
    page_count: usize,
    /// How far a hash of 63 bits is shifted to become the number of a page.
    shift: u32,
    /// The number of the execution. Never zero, which marks cells of no execution.
    stamp: u32,
    links: Links<Record>,
    frees: Links<Freed>,
    privates: Privates,
    shared: Shared,
    learning: Learning,
}

/// Which places are collected in [`Shadow::shared`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learning {
    /// None.
    Nothing,
    /// All whose accesses touched bytes that two tasks use, at least one of them writing, whether or not
    /// something orders them. Accesses that can never be concurrent do not make memory shared: what was
    /// done before the other task began, or by a task whose end was waited for.
    Shared,
    /// Those whose accesses took part in a data race.
    Racy,
}

impl Learning {
    /// Nothing to learn, or what for and where to put it.
    #[inline(always)]
    fn with(self, places: &mut Shared) -> Option<Lesson<'_>> {
        (self != Learning::Nothing).then_some(Lesson {
            learning: self,
            places,
        })
    }
}

impl Shadow {
    /// Makes a shadow whose cells are in the given memory: a power of two of pages, as many as fit.
    ///
    /// # Panics
    ///
    /// If `bytes` is too little for one page, or `memory` is not aligned to 64 bytes.
    ///
    /// # Safety
    ///
    /// `memory` is zeroed, `bytes` long, lives as long as the shadow and is used by nobody else.
    pub unsafe fn new(memory: *mut u8, bytes: usize) -> Shadow {
        let page_count = (bytes / PAGE_SHADOW_BYTES).checked_ilog2();
        let Some(page_count) = page_count.map(|exponent| 1_usize << exponent) else {
            panic!("internal error: shadow memory of {bytes} bytes");
        };
        assert!(
            memory.align_offset(align_of::<Cell>()) == 0,
            "internal error: shadow memory is not aligned"
        );
        Shadow {
            cells: memory.cast(),
            // SAFETY: both fit into the memory, and cells are aligned to more than pages.
            pages: unsafe { memory.add(page_count * PAGE_CELL_BYTES).cast() },
            page_count,
            shift: 63 - page_count.trailing_zeros(),
            stamp: 1,
            links: Links::default(),
            frees: Links::default(),
            privates: Privates::default(),
            shared: Shared::new(),
            learning: Learning::Shared,
        }
    }

    /// Begins an execution: nothing is known of any memory. The places that share memory are kept.
    pub fn begin_execution(&mut self) {
        self.links.reset();
        self.frees.reset();
        self.privates.reset();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.wipe();
        }
    }

    /// The places that were learnt.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The same, to add places that other processes have found.
    pub fn shared_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }

    /// Which places are learnt from now on; those that share memory until something else is said.
    pub fn learn(&mut self, learning: Learning) {
        self.learning = learning;
    }

    /// Memory belongs to a task from now on, such as its stack. As long as no other task uses it, that
    /// costs little. Nothing may be known of it: see [`Shadow::recycle`].
    pub fn keep_private(&mut self, task: TaskId, address: usize, size: usize) {
        if task.0 < TASK_COUNT_MAX {
            self.privates.add(task.index(), inner_words(address, size));
        }
    }

    /// Memory that belonged to a task goes to another one: all that is known of it is forgotten.
    pub fn recycle(&mut self, address: usize, size: usize) {
        let range = inner_words(address, size);
        match self.privates.remove(&range) {
            end if end == range.start => self.allocate(address, size),
            end => self.allocate(end, range.end - end),
        }
    }

    /// Memory is about to be used by somebody who may not be the one it belongs to.
    #[inline(always)]
    fn disclose(&mut self, address: usize, size: usize) {
        if self.privates.may_hold(address, size) {
            self.take_from_others(address, size);
        }
    }

    #[inline(never)]
    fn take_from_others(&mut self, address: usize, size: usize) {
        while let Some((task, from, written)) = self.privates.lose(address, size) {
            self.put_down(task, from, &written);
            self.privates.give_back(task, written);
        }
    }

    /// Puts accesses into their cells that a task wrote down while it was alone: from an address on.
    #[cold]
    fn put_down(&mut self, task: usize, from: usize, written: &[Written]) {
        // Nobody else is there whom the task would have to know, or from whom there is something to learn.
        let clocks = Clocks::new();
        let mut nowhere = Shared::new();
        for access in written {
            let end = access.address + access.size as usize;
            let lost = access.address.max(from).min(end);
            for (word, start, size) in words(lost, end - lost) {
                let Written {
                    epoch, pc, mark, ..
                } = *access;
                let record = Record::new(task as u16, epoch, start, size, mark, pc);
                let cell = self.claimed(word);
                let is_renewed = self.learning == Learning::Nothing
                    && cell.is_owned(word, task as u16, self.stamp)
                    && cell.renew(&record);
                if !is_renewed {
                    let lesson = self.learning.with(&mut nowhere);
                    let meeting = cell.meet(&record, &clocks, &mut self.links, lesson);
                    if !meeting.known {
                        cell.insert(record, &mut self.links);
                    }
                }
            }
        }
    }

    /// The cell of a word, taken from another word if need be. The reference must be gone before the
    /// next one is asked for; it does not borrow the shadow, whose other parts it is used with.
    #[inline]
    fn claimed<'a>(&mut self, word: usize) -> &'a mut Cell {
        // SAFETY: the index is that of a cell, and every caller drops one reference before the next.
        let cell = unsafe { &mut *self.cells.add(self.index(word)) };
        if !cell.holds(word, self.stamp) {
            self.claim(cell, word);
        }
        cell
    }

    fn claim(&mut self, cell: &mut Cell, word: usize) {
        cell.claim(word, self.stamp, &mut self.links);
        let number = word / PAGE_WORDS;
        let page = self.page(number);
        page.open(self.stamp);
        page.note_used(word);
        if let Some(freed) = page.freed(number, word % PAGE_WORDS, &mut self.frees) {
            cell.insert(freed, &mut self.links);
        }
    }

    /// The cell of a word if it says something of it. As for the lifetime, see `claimed`.
    #[inline]
    fn present<'a>(&mut self, word: usize) -> Option<&'a mut Cell> {
        // SAFETY: the index is that of a cell, and every caller drops one reference before the next.
        let cell = unsafe { &mut *self.cells.add(self.index(word)) };
        cell.holds(word, self.stamp).then_some(cell)
    }

    /// The entry of a page. As for the lifetime, see `claimed`.
    #[inline]
    fn page<'a>(&mut self, number: usize) -> &'a mut Page {
        // SAFETY: the slot is that of a page, and every caller drops one reference before the next.
        unsafe { &mut *self.pages.add(self.slot(number)) }
    }

    /// Where a page's entry is. Multiplying by the golden ratio spreads neighbouring pages evenly: a
    /// range of up to two fifths of the table never takes cells from itself.
    #[inline]
    fn slot(&self, page: usize) -> usize {
        let hash = (page as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> 1 >> self.shift) as usize
    }

    #[inline]
    fn index(&self, word: usize) -> usize {
        self.slot(word / PAGE_WORDS) * PAGE_WORDS + word % PAGE_WORDS
    }

    /// All stamps have been used: makes every cell and page one of no execution.
    #[cold]
    fn wipe(&mut self) {
        for index in 0..self.page_count * PAGE_WORDS {
            // SAFETY: the index is that of a cell, and no other reference to one exists.
            let cell = unsafe { &mut *self.cells.add(index) };
            // Memory that was never used is not touched: it may have nothing behind it yet.
            if !cell.in_use(0) {
                cell.clear(0, &mut self.links);
            }
        }
        for index in 0..self.page_count {
            // SAFETY: the index is that of a page, and no other reference to one exists.
            unsafe { &mut *self.pages.add(index) }.wipe();
        }
        self.stamp = 1;
    }
}
