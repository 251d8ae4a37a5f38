//! Ranges of bytes as words and pages.

use super::record::WORD_BYTES;

/// Bytes of memory whose cells lie together.
pub const PAGE_BYTES: usize = 4096;

/// Words in a page.
pub const PAGE_WORDS: usize = PAGE_BYTES / WORD_BYTES;

/// The bits of `size` bytes from the given one of a word.
#[inline]
pub fn span(start: usize, size: usize) -> u8 {
    (0xff_u32 >> (WORD_BYTES - size) << start) as u8
}

/// The words of a range, each with its bytes. What would go beyond the last address is left out.
pub fn words(address: usize, size: usize) -> impl Iterator<Item = (usize, u8)> {
    let end = address.saturating_add(size);
    let mut at = address;
    core::iter::from_fn(move || {
        let left = end - at;
        if left == 0 {
            return None;
        }
        let start = at % WORD_BYTES;
        let size = left.min(WORD_BYTES - start);
        let word = at / WORD_BYTES;
        at += size;
        Some((word, span(start, size)))
    })
}

/// A part of a range.
pub enum Piece {
    /// Some bytes of a word.
    Word(usize, u8),
    /// All of a page.
    Page(usize),
}

/// A range in whole pages as far as possible, words where not.
pub fn pieces(address: usize, size: usize) -> impl Iterator<Item = Piece> {
    let end = address.saturating_add(size);
    let mut at = address;
    core::iter::from_fn(move || {
        let left = end - at;
        if left >= PAGE_BYTES && at.is_multiple_of(PAGE_BYTES) {
            at += PAGE_BYTES;
            return Some(Piece::Page((at - 1) / PAGE_BYTES));
        }
        let (word, bytes) = words(at, left).next()?;
        at += bytes.count_ones() as usize;
        Some(Piece::Word(word, bytes))
    })
}
