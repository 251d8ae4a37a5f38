//! Small numbers for addresses: which object lies where.
//!
//! Open addressing, emptied in no time by a stamp. No string is hashed and nothing is allocated once
//! the table has its size.

use alloc::{vec, vec::Vec};

#[derive(Clone, Copy, Default)]
struct Entry {
    address: u64,
    stamp: u32,
    number: u32,
}

/// A map from addresses to numbers.
pub struct AddressTable {
    entries: Vec<Entry>,
    stamp: u32,
    count: usize,
}

impl AddressTable {
    pub fn new() -> AddressTable {
        AddressTable {
            entries: vec![Entry::default(); 1024],
            stamp: 1,
            count: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.count = 0;
        self.stamp += 1;
        if self.stamp == u32::MAX {
            self.entries.fill(Entry::default());
            self.stamp = 1;
        }
    }

    fn place(&self, address: u64) -> usize {
        let mask = self.entries.len() - 1;
        let mut place = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        loop {
            let entry = &self.entries[place];
            if entry.stamp != self.stamp || entry.address == address {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    /// The number of an address, if it has one.
    #[inline]
    pub fn get(&self, address: u64) -> Option<u32> {
        let entry = &self.entries[self.place(address)];
        (entry.stamp == self.stamp).then_some(entry.number)
    }

    /// Gives an address a number.
    pub fn insert(&mut self, address: u64, number: u32) {
        if 2 * (self.count + 1) > self.entries.len() {
            self.grow();
        }
        let place = self.place(address);
        self.count += usize::from(self.entries[place].stamp != self.stamp);
        self.entries[place] = Entry {
            address,
            stamp: self.stamp,
            number,
        };
    }

    /// All addresses with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let entries = self.entries.iter();
        let present = entries.filter(|entry| entry.stamp == self.stamp);
        present.map(|entry| (entry.address, entry.number))
    }

    #[cold]
    fn grow(&mut self) {
        let twice = vec![Entry::default(); 2 * self.entries.len()];
        let old = core::mem::replace(&mut self.entries, twice);
        for entry in old {
            if entry.stamp == self.stamp {
                let place = self.place(entry.address);
                self.entries[place] = entry;
            }
        }
    }
}
