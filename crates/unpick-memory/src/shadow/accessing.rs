//! Accesses, from the simplest to those that have to be held against what is remembered.

use unpick_trace::TaskId;

use super::finding::{finding, worse};
use super::private::Written;
use super::range::{PAGE_WORDS, Piece, pieces};
use super::record::{Mark, Record, WORD_BYTES};
use super::{Access, AccessKind, Finding, Shadow, TASK_COUNT_MAX};
use crate::Clocks;

impl Shadow {
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
        match self.access_own(clocks, task, address, size, kind, pc) {
            true => None,
            false => self.access_any(clocks, task, address, size, kind, pc),
        }
    }

    /// The simple part of [`Shadow::access`]: memory that the task has for itself, or a word of which only
    /// accesses of this very task are known. Answers whether it is that; nothing is wrong then, and
    /// nothing is left to be done.
    #[inline(always)]
    pub fn access_own(
        &mut self,
        clocks: &Clocks,
        task: TaskId,
        address: usize,
        size: usize,
        kind: AccessKind,
        pc: usize,
    ) -> bool {
        let (epoch, mark) = (clocks.epoch(task), Mark::of(kind));
        let written = Written {
            address,
            size: size.min(u32::MAX as usize) as u32,
            epoch,
            pc,
            mark,
        };
        if self.privates.write(task.index(), written) {
            return true;
        }
        let start = address % WORD_BYTES;
        if size.wrapping_sub(1) >= WORD_BYTES - start || task.0 >= TASK_COUNT_MAX {
            return false;
        }
        let (word, number) = (address / WORD_BYTES, task.0 as u16);
        // SAFETY: the index is that of a cell, and no other reference to one exists.
        let cell = unsafe { &mut *self.cells.add(self.index(word)) };
        let record = Record::new(number, epoch, start, size, mark, pc);
        cell.is_owned(word, number, self.stamp) && cell.renew(&record)
    }

    /// The rest of [`Shadow::access`].
    #[inline(never)]
    pub fn access_any(
        &mut self,
        clocks: &Clocks,
        task: TaskId,
        address: usize,
        size: usize,
        kind: AccessKind,
        pc: usize,
    ) -> Option<Finding> {
        if task.0 >= TASK_COUNT_MAX {
            return None;
        }
        let access = Access {
            task,
            pc,
            kind,
            address,
            size,
        };
        self.disclose(address, size);
        let (number, epoch) = (task.0 as u16, clocks.epoch(task));
        let mark = Mark::of(kind);
        let mut found = None;
        let start = address % WORD_BYTES;
        if size.wrapping_sub(1) < WORD_BYTES - start {
            let word = address / WORD_BYTES;
            let record = Record::new(number, epoch, start, size, mark, pc);
            if !self.access_known(clocks, word, &record) {
                self.access_word(clocks, word, record, &access, &mut found);
            }
            return found;
        }
        for piece in pieces(address, size) {
            match piece {
                Piece::Part(word, start, size) => {
                    let record = Record::new(number, epoch, start, size, mark, pc);
                    self.access_word(clocks, word, record, &access, &mut found);
                }
                Piece::Words(page, from, to) => {
                    let record = Record::new(number, epoch, 0, WORD_BYTES, mark, pc);
                    self.access_words(clocks, (page, from, to), record, &access, &mut found);
                }
            }
        }
        found
    }

    /// An access to a word of which the task knows all that it has to. Answers whether it is that;
    /// nothing is wrong then, and nothing is left to be done.
    #[inline(always)]
    fn access_known(&mut self, clocks: &Clocks, word: usize, record: &Record) -> bool {
        // SAFETY: the index is that of a cell, and no other reference to one exists.
        let cell = unsafe { &mut *self.cells.add(self.index(word)) };
        !self.looks_for_shared
            && cell.holds(word, self.stamp)
            && (cell.knows(record) || cell.follow(record, clocks.known_to(record.task())))
    }

    /// An access to words of a page, from one place in it to before another: most of them are new, or
    /// the task's own.
    #[inline(always)]
    fn access_words(
        &mut self,
        clocks: &Clocks,
        (number, from, to): (usize, usize, usize),
        record: Record,
        access: &Access,
        found: &mut Option<Finding>,
    ) {
        let page = self.page(number);
        page.open(self.stamp);
        let has_freed = page.has_freed(number);
        let first = self.slot(number) * PAGE_WORDS;
        for place in from..to {
            let word = number * PAGE_WORDS + place;
            // SAFETY: the index is that of a cell, and no other reference to one exists.
            let cell = unsafe { &mut *self.cells.add(first + place) };
            if cell.is_owned(word, record.task_number(), self.stamp) && cell.renew(&record) {
                continue;
            }
            if has_freed || cell.holds(word, self.stamp) {
                self.access_word(clocks, word, record, access, found);
                continue;
            }
            cell.claim(word, self.stamp, &mut self.links);
            cell.begin(record);
            self.page(number).note_used(word);
        }
    }

    /// An access to a word that is new, or not the task's own.
    #[inline(never)]
    fn access_word(
        &mut self,
        clocks: &Clocks,
        word: usize,
        record: Record,
        access: &Access,
        found: &mut Option<Finding>,
    ) {
        // SAFETY: the index is that of a cell, and no other reference to one exists.
        let cell = unsafe { &mut *self.cells.add(self.index(word)) };
        if !cell.holds(word, self.stamp) {
            self.claim(cell, word);
            if cell.begin(record) {
                return;
            }
        }
        if !cell.knows(&record) && !cell.read_again(&record) {
            let places = self.looks_for_shared.then_some(&mut self.shared);
            let meeting = cell.meet(&record, clocks, &mut self.links, places);
            if meeting.is_bad() {
                *found = worse(*found, finding(word, &meeting, access));
            }
            // The use of freed memory is not remembered, so that the next one is found as well.
            if !meeting.known && meeting.freed.bytes() == 0 {
                cell.insert(record, &mut self.links);
            }
        }
        if cell.shared() & record.bytes() != 0 && !clocks.is_alone() {
            self.shared.insert(record.pc());
        }
    }
}
