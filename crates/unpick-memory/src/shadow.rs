//! Data races and uses of freed memory, from the accesses that the program makes.
//!
//! After Cormac Flanagan and Stephen N. Freund, *FastTrack: Efficient and Precise Dynamic Race
//! Detection*, PLDI 2009. Every word of eight bytes has a cell with the accesses to it that may still
//! race with a later one, each with the bytes it touched, so that neighbours in a word are different
//! variables. An access is forgotten when a later one stands for it: one that happened after it and
//! that conflicts with all that it conflicts with. Readers are so all remembered until a write comes
//! after them.
//!
//! # Departures from the paper
//!
//! * Atomic accesses are remembered beside plain ones: two of them never race, one of each may.
//! * There is one list of accesses a word instead of a write and a clock of reads, since bytes of one
//!   word may have different histories. Three fit into the cell; further ones are chained.
//! * A free is a write that every later access to the bytes is held against, ordered or not.
//!
//! # Where the cells are
//!
//! In the memory handed over, found by hashing the page and going to the word's place in it: one
//! lookup an access. A cell carries its word and the execution it belongs to, so that beginning an
//! execution costs nothing. Each page also has an entry: whether any of its cells is in use, which
//! lets large blocks be allocated and freed without a look at cells that nobody has touched, and
//! whether the page has been freed as a whole.
//!
//! # What is missed, and what is never made up
//!
//! A race is only reported if nothing orders the two accesses. Missed are those
//!
//! * with an access whose cell was taken by another word: two pages that hash alike take cells from
//!   each other, so memory eight times as large as what the program uses keeps that rare;
//! * with a use of memory freed whole pages at a time, if such a page took the entry of another;
//! * of tasks from number 65,535 on, and after 16 million chained accesses in one execution.
//!
//! Memory that changes hands without the program freeing it, such as a stack that the next task
//! uses, must be told with [`Shadow::allocate`], or the old owner's accesses would seem to race.

mod cell;
mod finding;
mod range;
mod record;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use unpick_trace::TaskId;

use crate::{Clocks, Shared};
use cell::{Cell, Links};
pub use finding::{Access, AccessKind, Finding};
use finding::{finding, worse};
use range::{PAGE_WORDS, Piece, pieces, span, words};
use record::{Mark, Record, WORD_BYTES};

const PAGE_CELL_BYTES: usize = PAGE_WORDS * size_of::<Cell>();

/// What is known of the program's memory.
#[derive(Debug)]
pub struct Shadow {
    /// Invariant: `pages.len() * PAGE_WORDS` cells that only this shadow uses.
    cells: *mut Cell,
    /// Invariant: a power of two of them.
    pages: Vec<Page>,
    /// How far a hash of 64 bits is shifted to become the number of a page.
    shift: u32,
    /// The number of the execution. Never zero, which marks cells of no execution.
    stamp: u32,
    links: Links,
    shared: Shared,
}

/// What is known of the pages that share these cells.
#[derive(Clone, Debug)]
struct Page {
    /// The execution in which one of the cells was last used, or a page freed.
    stamp: u32,
    /// The page that was freed as a whole, and by whom. Those of its cells that hold something hold
    /// what came after; for the others, this holds.
    freed: Option<(usize, Record)>,
}

impl Shadow {
    /// Makes a shadow whose cells are in the given memory.
    ///
    /// # Panics
    ///
    /// If `bytes` is not a power of two of at least 32 KiB, or `memory` is not aligned to 64 bytes.
    ///
    /// # Safety
    ///
    /// `memory` is zeroed, `bytes` long, lives as long as the shadow and is used by nobody else.
    pub unsafe fn new(memory: *mut u8, bytes: usize) -> Shadow {
        assert!(
            bytes.is_power_of_two() && bytes >= PAGE_CELL_BYTES,
            "internal error: shadow memory of {bytes} bytes"
        );
        assert!(
            memory.align_offset(align_of::<Cell>()) == 0,
            "internal error: shadow memory is not aligned"
        );
        let page_count = bytes / PAGE_CELL_BYTES;
        let page = Page {
            stamp: 0,
            freed: None,
        };
        Shadow {
            cells: memory.cast(),
            pages: alloc::vec![page; page_count],
            shift: 64 - page_count.trailing_zeros(),
            stamp: 1,
            links: Links::default(),
            shared: Shared::new(),
        }
    }

    /// Begins an execution: nothing is known of any memory. The places that share memory are kept.
    pub fn begin_execution(&mut self) {
        self.links.reset();
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.wipe();
        }
    }

    /// The places whose accesses touched bytes that two tasks use, at least one of them writing,
    /// whether or not something orders them. Accesses that can never be concurrent do not count: what
    /// was done before the other task began, or by a task whose end was waited for.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The same, to add places that other processes have found.
    pub fn shared_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }

    /// A task is about to access memory: says what is wrong with that, and remembers it.
    #[inline]
    pub fn access(
        &mut self,
        clocks: &Clocks,
        task: TaskId,
        address: usize,
        size: usize,
        kind: AccessKind,
        pc: usize,
    ) -> Option<Finding> {
        let access = Access {
            task,
            pc,
            kind,
            address,
            size,
        };
        let number = u16::try_from(task.0).ok()?;
        let start = address % WORD_BYTES;
        if size.wrapping_sub(1) >= WORD_BYTES - start {
            return self.access_range(clocks, number, access);
        }
        let word = address / WORD_BYTES;
        let bytes = span(start, size);
        let record = Record::new(number, clocks.epoch(task), bytes, Mark::of(kind), pc);
        self.access_word(clocks, word, record, &access)
    }

    /// Memory has been handed out: whatever was known of it is forgotten.
    pub fn allocate(&mut self, address: usize, size: usize) {
        for piece in pieces(address, size) {
            match piece {
                Piece::Word(word, bytes) => self.forget_word(word, bytes),
                Piece::Page(page) => self.forget_page(page),
            }
        }
    }

    /// A task frees memory, which counts as writing it. Later accesses to it are findings until it
    /// is allocated again.
    pub fn free(
        &mut self,
        task: TaskId,
        address: usize,
        size: usize,
        pc: usize,
        clocks: &Clocks,
    ) -> Option<Finding> {
        let access = Access {
            task,
            pc,
            kind: AccessKind::Write,
            address,
            size,
        };
        let number = u16::try_from(task.0).ok()?;
        let epoch = clocks.epoch(task);
        let mut finding = None;
        for piece in pieces(address, size) {
            let next = match piece {
                Piece::Word(word, bytes) => {
                    let record = Record::new(number, epoch, bytes, Mark::Free, pc);
                    self.free_word(clocks, word, record, &access)
                }
                Piece::Page(page) => {
                    let record = Record::new(number, epoch, !0, Mark::Free, pc);
                    self.free_page(clocks, page, record, &access)
                }
            };
            finding = worse(finding, next);
        }
        finding
    }

    fn access_range(&mut self, clocks: &Clocks, number: u16, access: Access) -> Option<Finding> {
        let epoch = clocks.epoch(access.task);
        let mark = Mark::of(access.kind);
        let mut finding = None;
        for (word, bytes) in words(access.address, access.size) {
            let record = Record::new(number, epoch, bytes, mark, access.pc);
            let next = self.access_word(clocks, word, record, &access);
            finding = worse(finding, next);
        }
        finding
    }

    #[inline]
    fn access_word(
        &mut self,
        clocks: &Clocks,
        word: usize,
        record: Record,
        access: &Access,
    ) -> Option<Finding> {
        // SAFETY: the index is that of a cell, and no other reference to one exists.
        let cell = unsafe { &mut *self.cells.add(self.index(word)) };
        if cell.holds(word, self.stamp) && cell.knows(&record) {
            if cell.shared() & record.bytes != 0 && !clocks.is_alone() {
                self.shared.insert(record.pc());
            }
            return None;
        }
        self.access_news(clocks, word, record, access)
    }

    /// An access that the cell of its word does not know yet.
    fn access_news(
        &mut self,
        clocks: &Clocks,
        word: usize,
        record: Record,
        access: &Access,
    ) -> Option<Finding> {
        let cell = self.claimed(word);
        let meeting = cell.meet(&record, clocks, &mut self.links, &mut self.shared);
        if cell.shared() & record.bytes != 0 && !clocks.is_alone() {
            self.shared.insert(record.pc());
        }
        // The use of freed memory is not remembered, so that the next one is found as well.
        if !meeting.known && meeting.freed.is_none() {
            cell.insert(record, &mut self.links);
        }
        finding(word, meeting.freed, meeting.raced, access)
    }

    fn free_word(
        &mut self,
        clocks: &Clocks,
        word: usize,
        record: Record,
        access: &Access,
    ) -> Option<Finding> {
        let cell = self.claimed(word);
        let meeting = cell.meet(&record, clocks, &mut self.links, &mut self.shared);
        cell.forget(record.bytes, &mut self.links);
        cell.insert(record, &mut self.links);
        finding(word, meeting.freed, meeting.raced, access)
    }

    fn free_page(
        &mut self,
        clocks: &Clocks,
        page: usize,
        record: Record,
        access: &Access,
    ) -> Option<Finding> {
        let slot = self.slot(page);
        let mut found = None;
        if self.pages[slot].stamp == self.stamp {
            for word in page * PAGE_WORDS..(page + 1) * PAGE_WORDS {
                if let Some(cell) = self.present(word) {
                    let meeting = cell.meet(&record, clocks, &mut self.links, &mut self.shared);
                    cell.clear(self.stamp, &mut self.links);
                    let next = finding(word, meeting.freed, meeting.raced, access);
                    found = worse(found, next);
                }
            }
            if let Some((freed, by)) = self.pages[slot].freed
                && freed == page
            {
                found = worse(found, finding(page * PAGE_WORDS, Some(by), None, access));
            }
        }
        self.pages[slot] = Page {
            stamp: self.stamp,
            freed: Some((page, record)),
        };
        found
    }

    fn forget_word(&mut self, word: usize, bytes: u8) {
        let page = word / PAGE_WORDS;
        let slot = self.slot(page);
        if self.pages[slot].stamp != self.stamp {
            return;
        }
        // What holds for the page as a whole is put down word by word, as it no longer does.
        if matches!(self.pages[slot].freed, Some((freed, _)) if freed == page) {
            for word in page * PAGE_WORDS..(page + 1) * PAGE_WORDS {
                self.claimed(word);
            }
            self.pages[slot].freed = None;
        }
        if let Some(cell) = self.present(word) {
            cell.forget(bytes, &mut self.links);
        }
    }

    fn forget_page(&mut self, page: usize) {
        let slot = self.slot(page);
        if self.pages[slot].stamp != self.stamp {
            return;
        }
        self.pages[slot].freed.take_if(|(freed, _)| *freed == page);
        for word in page * PAGE_WORDS..(page + 1) * PAGE_WORDS {
            if let Some(cell) = self.present(word) {
                cell.clear(self.stamp, &mut self.links);
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
        let slot = self.slot(word / PAGE_WORDS);
        let page = &mut self.pages[slot];
        if page.stamp != self.stamp {
            page.stamp = self.stamp;
            page.freed = None;
        } else if let Some((freed, record)) = page.freed
            && freed == word / PAGE_WORDS
        {
            cell.insert(record, &mut self.links);
        }
    }

    /// The cell of a word if it says something of it. As for the lifetime, see `claimed`.
    #[inline]
    fn present<'a>(&mut self, word: usize) -> Option<&'a mut Cell> {
        // SAFETY: the index is that of a cell, and every caller drops one reference before the next.
        let cell = unsafe { &mut *self.cells.add(self.index(word)) };
        cell.holds(word, self.stamp).then_some(cell)
    }

    /// Where a page's entry is. Multiplying by the golden ratio spreads neighbouring pages evenly: a
    /// range of up to two fifths of the table never takes cells from itself.
    #[inline]
    fn slot(&self, page: usize) -> usize {
        let hash = (page as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash.checked_shr(self.shift).unwrap_or(0) as usize
    }

    #[inline]
    fn index(&self, word: usize) -> usize {
        self.slot(word / PAGE_WORDS) * PAGE_WORDS + word % PAGE_WORDS
    }

    /// All stamps have been used: makes every cell and page one of no execution.
    #[cold]
    fn wipe(&mut self) {
        for index in 0..self.pages.len() * PAGE_WORDS {
            // SAFETY: the index is that of a cell, and no other reference to one exists.
            let cell = unsafe { &mut *self.cells.add(index) };
            // Memory that was never used is not touched: it may have nothing behind it yet.
            if !cell.in_use(0) {
                cell.clear(0, &mut self.links);
            }
        }
        for page in &mut self.pages {
            page.stamp = 0;
        }
        self.stamp = 1;
    }
}
