//! Accesses, from the simplest to those that have to be held against what is remembered.

use unpick_trace::TaskId;

use super::finding::{finding, worse};
use super::private::Written;
use super::range::{PAGE_WORDS, Piece, pieces};
use super::record::{Mark, Record, WORD_BYTES};
use super::{Access, AccessKind, Finding, Learning, Shadow, TASK_COUNT_MAX};
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
        if self.access_own(clocks, task, address, size, kind, pc)
            || self.access_known(clocks, task, address, size, kind, pc)
        {
            return None;
        }
        self.access_any(clocks, task, address, size, kind, pc)
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
        match self.learning {
            Learning::Nothing => cell.is_owned(word, number, self.stamp) && cell.renew(&record),
            _ => cell.holds(word, self.stamp) && cell.remembers(&record),
        }
    }

    /// The next part of it: a word of which the task knows all that it has to. Answers whether it is that, as
    /// above. Memory of which cells say something is nobody's own.
    #[inline(always)]
    pub fn access_known(
        &mut self,
        clocks: &Clocks,
        task: TaskId,
        address: usize,
        size: usize,
        kind: AccessKind,
        pc: usize,
    ) -> bool {
        let start = address % WORD_BYTES;
        let is_word = size.wrapping_sub(1) < WORD_BYTES - start && task.0 < TASK_COUNT_MAX;
        if !is_word || self.learning != Learning::Nothing {
            return false;
        }
        let (word, number, epoch) = (address / WORD_BYTES, task.0 as u16, clocks.epoch(task));
        // SAFETY: the index is that of a cell, and no other reference to one exists.
        let cell = unsafe { &mut *self.cells.add(self.index(word)) };
        let record = Record::new(number, epoch, start, size, Mark::of(kind), pc);
        cell.holds(word, self.stamp)
            && (cell.knows(&record) || cell.follow(&record, clocks.known_to(task)))
    }

    /// The rest of [`Shadow::access`].
    #[inline]
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
        if self.privates.may_hold(address, size) {
            if self.privates.make_room(task.index(), address)
                && self.access_own(clocks, task, address, size, kind, pc)
            {
                return None;
            }
            self.take_from_others(address, size);
        }
        let access = Access {
            task,
            pc,
            kind,
            address,
            size,
        };
        let start = address % WORD_BYTES;
        if size.wrapping_sub(1) >= WORD_BYTES - start {
            return self.access_range(clocks, &access);
        }
        let word = address / WORD_BYTES;
        let (number, epoch) = (task.0 as u16, clocks.epoch(task));
        let record = Record::new(number, epoch, start, size, Mark::of(kind), pc);
        if self.access_first(word, &record) {
            return None;
        }
        let mut found = None;
        self.access_word(clocks, word, record, &access, &mut found);
        found
    }

    /// The same for more than a part of a word.
    #[inline(never)]
    fn access_range(&mut self, clocks: &Clocks, access: &Access) -> Option<Finding> {
        let (number, epoch) = (access.task.0 as u16, clocks.epoch(access.task));
        let (mark, pc) = (Mark::of(access.kind), access.pc);
        let mut found = None;
        for piece in pieces(access.address, access.size) {
            match piece {
                Piece::Part(word, start, size) => {
                    let record = Record::new(number, epoch, start, size, mark, pc);
                    self.access_word(clocks, word, record, access, &mut found);
                }
                Piece::Words(page, from, to) => {
                    let record = Record::new(number, epoch, 0, WORD_BYTES, mark, pc);
                    self.access_words(clocks, (page, from, to), record, access, &mut found);
                }
            }
        }
        found
    }

    /// The first access to a word, if its cell is not in use and it was not freed. Answers whether it is
    /// that; nothing is wrong then, and nothing is left to be done.
    #[inline(always)]
    fn access_first(&mut self, word: usize, record: &Record) -> bool {
        // SAFETY: the index is that of a cell, and no other reference to one exists.
        let cell = unsafe { &mut *self.cells.add(self.index(word)) };
        if cell.in_use(self.stamp) {
            return false;
        }
        let number = word / PAGE_WORDS;
        let page = self.page(number);
        page.open(self.stamp);
        if page.is_freed(number, word % PAGE_WORDS) {
            return false;
        }
        cell.start(word, self.stamp, *record);
        page.note_used(word);
        true
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
        let stamp = self.stamp;
        // SAFETY: the slot is that of a page of cells.
        let cells = unsafe { self.cells.add(self.slot(number) * PAGE_WORDS) };
        for place in from..to {
            let word = number * PAGE_WORDS + place;
            // SAFETY: the index is that of a cell, and no other reference to one exists.
            let cell = unsafe { &mut *cells.add(place) };
            if !cell.in_use(stamp) && !page.is_freed(number, place) {
                cell.start(word, stamp, record);
                page.note_used(word);
                continue;
            }
            let is_own = self.learning == Learning::Nothing
                && cell.is_owned(word, record.task_number(), stamp);
            if is_own && cell.renew(&record) {
                continue;
            }
            if has_freed || cell.holds(word, stamp) {
                self.access_word(clocks, word, record, access, found);
                continue;
            }
            cell.claim(word, stamp, &mut self.links);
            cell.begin(record);
            page.note_used(word);
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
        let is_known = match self.learning {
            Learning::Nothing => cell.knows(&record) || cell.read_again(&record),
            _ => false,
        };
        if !is_known {
            let lesson = self.learning.with(&mut self.shared);
            let meeting = cell.meet(&record, clocks, &mut self.links, lesson);
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
