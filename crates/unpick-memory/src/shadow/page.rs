//! What is known of a page as a whole: which of its cells are in use, which of its words were freed.
//!
//! A block is freed with a look at those cells that are in use; for all others the page says that they
//! are freed, by whom and where, and a cell that comes into use later is told. The same for a block that is
//! written as a whole when it is handed out.

use super::links::Links;
use super::range::PAGE_WORDS;
use super::record::Record;

/// One bit a word.
type Bits = [u64; PAGE_WORDS / 64];

/// What is known of the pages that share some cells. Zeroed memory is one of no execution.
#[derive(Debug)]
#[repr(C)]
pub struct Page {
    /// The execution that it belongs to.
    stamp: u32,
    /// The number of the newest of the frees, zero for none.
    frees: u32,
    /// The page that was freed, the whole or a part.
    number: usize,
    /// Cells that may be in use. Cells that are not among them are not.
    used: Bits,
    /// Words that were freed. Cells that hold something of such a word have been told.
    freed: Bits,
}

/// Some words of a page that were freed together.
#[derive(Debug)]
pub struct Freed {
    /// The first one, and the one behind the last.
    words: (u16, u16),
    record: Record,
}

impl Page {
    /// Whether nothing is known of any of its words.
    #[inline]
    pub fn is_blank(&self, stamp: u32) -> bool {
        self.stamp != stamp
    }

    /// Makes it one of no execution. What was never used is not touched.
    pub fn wipe(&mut self) {
        if self.stamp != 0 {
            self.stamp = 0;
        }
    }

    /// Begins what is known in an execution.
    #[inline]
    pub fn open(&mut self, stamp: u32) {
        if self.stamp != stamp {
            *self = Page {
                stamp,
                frees: 0,
                number: 0,
                used: [0; PAGE_WORDS / 64],
                freed: [0; PAGE_WORDS / 64],
            };
        }
    }

    /// Notes that a cell is in use.
    #[inline]
    pub fn note_used(&mut self, word: usize) {
        let place = word % PAGE_WORDS;
        self.used[place / 64] |= 1 << (place % 64);
    }

    /// Calls `clear` for each place between two whose cell may be in use. It answers whether the cell is
    /// not in use any more; otherwise it belongs to another page.
    pub fn clear_used(&mut self, from: usize, to: usize, mut clear: impl FnMut(usize) -> bool) {
        for (index, mask) in masks(from, to) {
            let mut found = self.used[index] & mask;
            while found != 0 {
                let bit = found.trailing_zeros();
                if clear(index * 64 + bit as usize) {
                    self.used[index] &= !(1 << bit);
                }
                found &= found - 1;
            }
        }
    }

    /// Notes that words were freed or written, as the record says. What was known of another page is lost.
    pub fn tell(
        &mut self,
        number: usize,
        from: usize,
        to: usize,
        record: Record,
        frees: &mut Links<Freed>,
    ) {
        if self.number != number {
            self.frees = frees.retain(self.frees, |_| false);
            self.freed = [0; PAGE_WORDS / 64];
            self.number = number;
        }
        let words = (from as u16, to as u16);
        if let Some(link) = frees.take(Freed { words, record }, self.frees) {
            self.frees = link;
            for (index, mask) in masks(from, to) {
                self.freed[index] |= mask;
            }
        }
    }

    /// Words have been handed out: they are not freed any more.
    pub fn allocate(&mut self, number: usize, from: usize, to: usize, frees: &mut Links<Freed>) {
        if self.number != number || self.frees == 0 {
            return;
        }
        for (index, mask) in masks(from, to) {
            self.freed[index] &= !mask;
        }
        let is_left = |freed: &mut Freed| {
            let (first, end) = (usize::from(freed.words.0), usize::from(freed.words.1));
            first < from || to < end
        };
        self.frees = frees.retain(self.frees, is_left);
    }

    /// Whether any word of a page may have been freed.
    #[inline]
    pub fn has_freed(&self, number: usize) -> bool {
        self.number == number && self.frees != 0
    }

    /// Whether a word of a page was freed.
    #[inline]
    pub fn is_freed(&self, number: usize, place: usize) -> bool {
        self.number == number && self.freed[place / 64] >> (place % 64) & 1 != 0
    }

    /// Who freed a word, if it was.
    #[inline]
    pub fn freed(&self, number: usize, place: usize, frees: &mut Links<Freed>) -> Option<Record> {
        match self.is_freed(number, place) {
            true => self.newest(place, frees),
            false => None,
        }
    }

    /// Calls `look` with words between two that were freed or written as a whole, and with what was done to
    /// them, until it answers that this was enough. Words that one record stands for may be left out.
    pub fn each_told(
        &self,
        number: usize,
        from: usize,
        to: usize,
        frees: &mut Links<Freed>,
        mut look: impl FnMut(usize, Record) -> bool,
    ) {
        if self.number != number || self.frees == 0 {
            return;
        }
        for (index, mask) in masks(from, to) {
            let mut found = self.freed[index] & mask;
            while found != 0 {
                let place = index * 64 + found.trailing_zeros() as usize;
                found &= found - 1;
                let newest = &frees.get(self.frees).item;
                let is_all = (usize::from(newest.words.0)..usize::from(newest.words.1))
                    .contains(&place)
                    && usize::from(newest.words.1) >= to;
                let told = self.newest(place, frees);
                if told.is_some_and(|record| look(place, record)) || is_all {
                    return;
                }
            }
        }
    }

    /// Who freed a word last. Older frees of it are out of date.
    fn newest(&self, place: usize, frees: &mut Links<Freed>) -> Option<Record> {
        let mut at = self.frees;
        while at != 0 {
            let link = frees.get(at);
            let (first, end) = link.item.words;
            if (usize::from(first)..usize::from(end)).contains(&place) {
                return Some(link.item.record);
            }
            at = link.next;
        }
        None
    }
}

/// The words of bits between two places, each with its bits that are meant.
fn masks(from: usize, to: usize) -> impl Iterator<Item = (usize, u64)> {
    (from / 64..to.div_ceil(64)).map(move |index| {
        let low = from.saturating_sub(index * 64);
        let high = (to - index * 64).min(64);
        (index, !0 << low & !0 >> (64 - high))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_hold_each_place_once() {
        for (from, to) in [(0, 512), (0, 1), (63, 65), (64, 128), (511, 512), (3, 200)] {
            let mut bits: Bits = [0; PAGE_WORDS / 64];
            for (index, mask) in masks(from, to) {
                assert_eq!(bits[index], 0);
                bits[index] = mask;
            }
            for place in 0..PAGE_WORDS {
                let is_in = bits[place / 64] >> (place % 64) & 1 != 0;
                assert_eq!(
                    is_in,
                    (from..to).contains(&place),
                    "{place} of {from}..{to}"
                );
            }
        }
    }
}
