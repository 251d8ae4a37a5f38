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

/// The words of a range, each with the first byte and the number of bytes that are meant. What would go
/// beyond the last address is left out.
pub fn words(address: usize, size: usize) -> impl Iterator<Item = (usize, usize, usize)> {
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
        Some((word, start, size))
    })
}

/// The bytes of a range without the words that only a part of is in it.
pub fn inner_words(address: usize, size: usize) -> core::ops::Range<usize> {
    let end = address.saturating_add(size) / WORD_BYTES * WORD_BYTES;
    address
        .div_ceil(WORD_BYTES)
        .saturating_mul(WORD_BYTES)
        .min(end)..end
}

/// A part of a range.
pub enum Piece {
    /// Some bytes of a word, not all: the first one, and how many.
    Part(usize, usize, usize),
    /// Words of a page, from one place in it to before another.
    Words(usize, usize, usize),
}

/// A range in whole words as far as possible, those of a page together.
pub fn pieces(address: usize, size: usize) -> impl Iterator<Item = Piece> {
    let end = address.saturating_add(size);
    let mut at = address;
    core::iter::from_fn(move || {
        let left = end - at;
        if left >= WORD_BYTES && at.is_multiple_of(WORD_BYTES) {
            let (page, from) = (at / PAGE_BYTES, at % PAGE_BYTES / WORD_BYTES);
            let to = (from + left / WORD_BYTES).min(PAGE_WORDS);
            at += (to - from) * WORD_BYTES;
            return Some(Piece::Words(page, from, to));
        }
        let (word, start, size) = words(at, left).next()?;
        at += size;
        Some(Piece::Part(word, start, size))
    })
}
