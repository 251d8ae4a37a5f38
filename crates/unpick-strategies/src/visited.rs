//! A set of hashes, each with the least that was spent to come there.
//!
//! A table with open addressing: the keys are hashes already, and a search over millions of prefixes
//! looks twice at every step. The lower 64 bits are kept of each; the chance that any two of n
//! million different ones collide is about n² / 37,000,000.

use alloc::{vec, vec::Vec};

/// Hashes that were met.
#[derive(Default)]
pub(crate) struct Visited {
    /// Keys with their cost; the key zero marks a free place. Invariant: a power of two in length,
    /// and at least a quarter of it is free.
    places: Vec<(u64, u32)>,
    count: usize,
}

impl Visited {
    /// Notes a visit at this cost. Answers whether it is news: the first visit, or a cheaper one.
    pub fn visit(&mut self, hash: u128, cost: u32) -> bool {
        if 4 * (self.count + 1) > 3 * self.places.len() {
            self.grow();
        }
        let key = key(hash);
        let place = self.place(key);
        let (known, least) = &mut self.places[place];
        if *known == 0 {
            (*known, *least) = (key, cost);
            self.count += 1;
            return true;
        }
        let is_cheaper = cost < *least;
        *least = (*least).min(cost);
        is_cheaper
    }

    fn place(&self, key: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut place = key as usize & mask;
        while !matches!(self.places[place].0, known if known == 0 || known == key) {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        let length = (2 * self.places.len()).max(1_024);
        let old = core::mem::replace(&mut self.places, vec![(0, 0); length]);
        for (key, cost) in old {
            if key != 0 {
                let place = self.place(key);
                self.places[place] = (key, cost);
            }
        }
    }
}

fn key(hash: u128) -> u64 {
    (hash as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_is_news_once_unless_it_is_cheaper() {
        let mut visited = Visited::default();
        for hash in (0..10_000_u128).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
            assert!(visited.visit(hash, 2));
        }
        for hash in (0..10_000_u128).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
            assert!(!visited.visit(hash, 2));
            assert!(!visited.visit(hash, 3));
            assert!(visited.visit(hash, 1));
            assert!(!visited.visit(hash, 2));
        }
    }
}
