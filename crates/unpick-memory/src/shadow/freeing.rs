//! Memory that is handed out and taken back.

use unpick_trace::TaskId;

use super::finding::{finding, worse};
use super::range::{PAGE_WORDS, Piece, pieces, span, words};
use super::record::{Mark, Meeting, Record, WORD_BYTES};
use super::{Access, AccessKind, Finding, Learning, Shadow, TASK_COUNT_MAX};
use crate::Clocks;

impl Shadow {
    /// Memory has been handed out: whatever was known of it is forgotten.
    pub fn allocate(&mut self, address: usize, size: usize) {
        self.disclose(address, size);
        for piece in pieces(address, size) {
            match piece {
                Piece::Part(word, start, size) => self.forget_part(word, span(start, size)),
                Piece::Words(page, from, to) => self.forget_words(page, from, to),
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
        if task.0 >= TASK_COUNT_MAX {
            return None;
        }
        self.disclose(address, size);
        let (number, epoch) = (task.0 as u16, clocks.epoch(task));
        let mut finding = None;
        for piece in pieces(address, size) {
            let next = match piece {
                Piece::Part(word, start, size) => {
                    let record = Record::new(number, epoch, start, size, Mark::Free, pc);
                    self.free_part(clocks, word, record, &access)
                }
                Piece::Words(page, from, to) => {
                    let record = Record::new(number, epoch, 0, WORD_BYTES, Mark::Free, pc);
                    self.free_words(clocks, page, (from, to), record, &access)
                }
            };
            finding = worse(finding, next);
        }
        finding
    }

    /// Memory that was just handed out counts as written by a task, as a whole: it was cleared, or copied to.
    /// The pages note it, and cells that come into use later are told.
    pub fn imprint(
        &mut self,
        task: TaskId,
        address: usize,
        size: usize,
        pc: usize,
        clocks: &Clocks,
    ) {
        if task.0 >= TASK_COUNT_MAX {
            return;
        }
        let (number, epoch) = (task.0 as u16, clocks.epoch(task));
        for piece in pieces(address, size) {
            match piece {
                Piece::Part(word, start, size) => {
                    let record = Record::new(number, epoch, start, size, Mark::Write, pc);
                    self.claimed(word).insert(record, &mut self.links);
                }
                Piece::Words(page, from, to) => {
                    let record = Record::new(number, epoch, 0, WORD_BYTES, Mark::Write, pc);
                    let entry = self.page(page);
                    entry.open(self.stamp);
                    entry.tell(page, from, to, record, &mut self.frees);
                }
            }
        }
    }

    /// Whether a byte is known to have been freed.
    pub fn is_freed(&mut self, address: usize) -> bool {
        let (word, byte) = (address / WORD_BYTES, span(address % WORD_BYTES, 1));
        let (number, place) = (word / PAGE_WORDS, word % PAGE_WORDS);
        let page = self.page(number);
        let is_told = !page.is_blank(self.stamp) && page.is_freed(number, place);
        is_told || self.present(word).is_some_and(|cell| cell.forbids(byte))
    }

    /// Some bytes of a word must not be used, and whoever uses them is to be looked at closely.
    pub fn forbid(&mut self, address: usize, size: usize) {
        for (word, start, size) in words(address, size) {
            let record = Record::new(0, 0, start, size, Mark::Free, 0);
            let cell = self.claimed(word);
            if !cell.forbids(record.bytes()) {
                cell.insert(record, &mut self.links);
            }
        }
    }

    fn free_part(
        &mut self,
        clocks: &Clocks,
        word: usize,
        record: Record,
        access: &Access,
    ) -> Option<Finding> {
        let cell = self.claimed(word);
        let lesson = self.learning.with(&mut self.shared);
        let meeting = cell.meet(&record, clocks, &mut self.links, lesson);
        cell.forget(record.bytes(), &mut self.links);
        cell.insert(record, &mut self.links);
        finding(word, &meeting, access)
    }

    fn free_words(
        &mut self,
        clocks: &Clocks,
        number: usize,
        (from, to): (usize, usize),
        record: Record,
        access: &Access,
    ) -> Option<Finding> {
        let page = self.page(number);
        page.open(self.stamp);
        let mut found = None;
        let now = clocks.known_to(record.task());
        // SAFETY: the slot is that of a page of cells.
        let cells = unsafe { self.cells.add(self.slot(number) * PAGE_WORDS) };
        page.clear_used(from, to, |place| {
            let word = number * PAGE_WORDS + place;
            // SAFETY: the index is that of a cell, and no other reference to one exists.
            let cell = unsafe { &mut *cells.add(place) };
            // The usual case: the task frees what nobody else has used.
            if cell.is_owned(word, record.task_number(), self.stamp) {
                cell.release();
                return true;
            }
            if !cell.holds(word, self.stamp) {
                return false;
            }
            if self.learning == Learning::Nothing && cell.is_before(&record, now) {
                cell.clear(self.stamp, &mut self.links);
                return true;
            }
            let lesson = self.learning.with(&mut self.shared);
            let meeting = cell.meet(&record, clocks, &mut self.links, lesson);
            cell.clear(self.stamp, &mut self.links);
            found = worse(found, finding(word, &meeting, access));
            true
        });
        page.each_told(number, from, to, &mut self.frees, |place, earlier| {
            let mut meeting = Meeting::NOTHING;
            meeting.meet(&mut earlier.clone(), &record, now);
            let word = number * PAGE_WORDS + place;
            found = worse(found, finding(word, &meeting, access));
            meeting.is_bad()
        });
        page.tell(number, from, to, record, &mut self.frees);
        found
    }

    fn forget_part(&mut self, word: usize, bytes: u8) {
        let (number, place) = (word / PAGE_WORDS, word % PAGE_WORDS);
        if self.page(number).is_blank(self.stamp) {
            return;
        }
        // What holds for the word as a whole is put down in its cell, as it no longer does.
        let freed = self.page(number).freed(number, place, &mut self.frees);
        if freed.is_some() {
            self.claimed(word);
            let page = self.page(number);
            page.allocate(number, place, place + 1, &mut self.frees);
        }
        if let Some(cell) = self.present(word) {
            cell.forget(bytes, &mut self.links);
        }
    }

    fn forget_words(&mut self, number: usize, from: usize, to: usize) {
        let page = self.page(number);
        if page.is_blank(self.stamp) {
            return;
        }
        page.allocate(number, from, to, &mut self.frees);
        page.clear_used(from, to, |place| {
            let cell = self.present(number * PAGE_WORDS + place);
            let is_ours = cell.is_some();
            if let Some(cell) = cell {
                cell.clear(self.stamp, &mut self.links);
            }
            is_ours
        });
    }
}
