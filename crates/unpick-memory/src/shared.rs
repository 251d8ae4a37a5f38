//! The places in the program, as addresses of code, whose accesses share memory between tasks.
//!
//! A set that only grows and that outlives executions: the runtime asks it at every plain access
//! whether this place is a scheduling point, so a question is one probe in the usual case.

use alloc::vec;
use alloc::vec::Vec;

/// A set of addresses of code. Zero stands for an unknown place and is never in it.
#[derive(Debug)]
pub struct Shared {
    /// Open addressing with linear probing; zero is free.
    /// Invariant: a power of two of slots, at most half of them taken.
    slots: Vec<usize>,
    len: usize,
}

const SLOT_COUNT_MIN: usize = 64;

impl Default for Shared {
    fn default() -> Shared {
        Shared::new()
    }
}

impl Shared {
    /// No places.
    pub fn new() -> Shared {
        Shared {
            slots: vec![0; SLOT_COUNT_MIN],
            len: 0,
        }
    }

    /// Whether the accesses of a place share memory.
    #[inline]
    pub fn contains(&self, pc: usize) -> bool {
        pc != 0 && self.slots[self.slot(pc)] == pc
    }

    /// Adds a place and says whether it is new.
    #[inline]
    pub fn insert(&mut self, pc: usize) -> bool {
        if pc == 0 {
            return false;
        }
        let slot = self.slot(pc);
        if self.slots[slot] == pc {
            return false;
        }
        self.add(slot, pc);
        true
    }

    /// How many places there are. The set only grows, so this is also its version.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All places in order, to be handed to another process.
    pub fn export(&self) -> Vec<usize> {
        let mut places: Vec<_> = self.slots.iter().copied().filter(|pc| *pc != 0).collect();
        places.sort_unstable();
        places
    }

    /// Adds places found elsewhere.
    pub fn import(&mut self, places: &[usize]) {
        for place in places {
            self.insert(*place);
        }
    }

    /// Where a place is, or the free slot where it belongs.
    #[inline]
    fn slot(&self, pc: usize) -> usize {
        let mask = self.slots.len() - 1;
        let hash = (pc as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut slot = (hash >> 32) as usize & mask;
        while self.slots[slot] != pc && self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn add(&mut self, slot: usize, pc: usize) {
        self.slots[slot] = pc;
        self.len += 1;
        if self.len * 2 > self.slots.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let double = self.slots.len() * 2;
        let old = core::mem::replace(&mut self.slots, vec![0; double]);
        for pc in old.into_iter().filter(|pc| *pc != 0) {
            let slot = self.slot(pc);
            self.slots[slot] = pc;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in_and_nothing_else() {
        let mut shared = Shared::new();
        assert!(shared.is_empty());
        for pc in (4..40_000).step_by(4) {
            assert!(!shared.contains(pc));
            assert!(shared.insert(pc));
            assert!(!shared.insert(pc));
        }
        assert_eq!(shared.len(), 9_999);
        for pc in 0..40_000 {
            assert_eq!(shared.contains(pc), pc != 0 && pc % 4 == 0);
        }
    }

    #[test]
    fn an_unknown_place_is_not_kept() {
        let mut shared = Shared::new();
        assert!(!shared.insert(0));
        assert!(!shared.contains(0));
        assert_eq!(shared.len(), 0);
    }

    #[test]
    fn goes_out_sorted_and_comes_in_again() {
        let mut shared = Shared::new();
        shared.import(&[0x7fff_0010, 0x40_1000, 7, 0x40_1000]);
        assert_eq!(shared.export(), [7, 0x40_1000, 0x7fff_0010]);
        let mut other = Shared::new();
        other.import(&shared.export());
        assert!(other.contains(0x7fff_0010));
        assert_eq!(other.len(), 3);
    }
}
