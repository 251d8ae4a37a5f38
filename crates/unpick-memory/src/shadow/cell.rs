//! What is remembered of one word: three accesses in the cell, further ones in a chain.

use alloc::vec::Vec;

use super::record::{Meeting, Record};
use crate::{Clocks, Shared};

/// How many accesses a cell holds itself: a line of the cache with its head.
const INLINE_COUNT: usize = 3;

/// Links there may be: their numbers have 24 bits.
const LINK_COUNT_MAX: usize = (1 << 24) - 1;

/// Remembers the accesses to one word. Zeroed memory is a cell that belongs to no execution.
#[repr(C, align(64))]
pub struct Cell {
    word: u64,
    /// The execution that it belongs to.
    stamp: u32,
    /// The number of the first link of its chain, from one, zero for none; in the low eight bits the
    /// bytes that are known to be shared between tasks.
    more: u32,
    records: [Record; INLINE_COUNT],
}

const _: () = assert!(size_of::<Cell>() == 64);

impl Cell {
    /// Whether the cell says something of a word in an execution.
    #[inline]
    pub fn holds(&self, word: usize, stamp: u32) -> bool {
        self.word == word as u64 && self.stamp == stamp
    }

    /// Whether the cell is in use in an execution.
    #[inline]
    pub fn in_use(&self, stamp: u32) -> bool {
        self.stamp == stamp
    }

    /// Whether an access tells nothing new, as far as the cell itself shows.
    #[inline]
    pub fn knows(&self, later: &Record) -> bool {
        self.records.iter().any(|record| record.stands_for(later))
    }

    /// The bytes that are known to be shared between tasks.
    #[inline]
    pub fn shared(&self) -> u8 {
        self.more as u8
    }

    #[inline]
    fn chain(&self) -> u32 {
        self.more >> 8
    }

    #[inline]
    fn set_chain(&mut self, link: u32) {
        self.more = link << 8 | self.more & 0xff;
    }

    /// Takes the cell for a word of which nothing is known yet.
    pub fn claim(&mut self, word: usize, stamp: u32, links: &mut Links) {
        self.drop_chain(stamp, links);
        self.word = word as u64;
        self.stamp = stamp;
        self.more = 0;
        for record in &mut self.records {
            record.bytes = 0;
        }
    }

    /// Makes the cell one that belongs to no execution.
    pub fn clear(&mut self, stamp: u32, links: &mut Links) {
        self.drop_chain(stamp, links);
        self.stamp = 0;
    }

    /// Forgets all accesses to some bytes.
    pub fn forget(&mut self, bytes: u8, links: &mut Links) {
        self.more &= !u32::from(bytes);
        for record in &mut self.records {
            record.bytes &= !bytes;
        }
        self.each_link(links, |record| record.bytes &= !bytes);
    }

    /// Holds all that is remembered against a new access, and notes the places that share memory.
    #[inline]
    pub fn meet(
        &mut self,
        later: &Record,
        clocks: &Clocks,
        links: &mut Links,
        places: &mut Shared,
    ) -> Meeting {
        let mut meeting = Meeting::default();
        let mut meet = |earlier: &mut Record| {
            if meeting.meet(earlier, later, clocks) {
                places.insert(earlier.pc());
            }
        };
        for record in &mut self.records {
            meet(record);
        }
        if self.chain() != 0 {
            self.each_link(links, meet);
        }
        if meeting.shared != 0 {
            self.more |= u32::from(meeting.shared);
            places.insert(later.pc());
        }
        meeting
    }

    /// Remembers an access, in front: its task is the one most likely to come again.
    #[inline]
    pub fn insert(&mut self, record: Record, links: &mut Links) {
        match self.records.iter().position(|one| one.bytes == 0) {
            Some(free) => self.records[free] = self.records[0],
            None => {
                if let Some(link) = links.take(self.records[0], self.chain()) {
                    self.set_chain(link);
                }
            }
        }
        self.records[0] = record;
    }

    /// Calls `change` for all records of the chain and takes out those that it leaves without bytes.
    fn each_link(&mut self, links: &mut Links, mut change: impl FnMut(&mut Record)) {
        let mut previous = 0;
        let mut at = self.chain();
        while at != 0 {
            let link = links.get(at);
            change(&mut link.record);
            let next = link.next;
            if link.record.bytes != 0 {
                previous = at;
            } else {
                match previous {
                    0 => self.set_chain(next),
                    _ => links.get(previous).next = next,
                }
                links.give_back(at);
            }
            at = next;
        }
    }

    fn drop_chain(&mut self, stamp: u32, links: &mut Links) {
        if self.stamp == stamp {
            let mut at = self.chain();
            while at != 0 {
                let next = links.get(at).next;
                links.give_back(at);
                at = next;
            }
            self.set_chain(0);
        }
    }
}

/// The links of all chains of one execution.
#[derive(Debug, Default)]
pub struct Links {
    links: Vec<Link>,
    /// The number of the first free one, zero for none.
    free: u32,
}

#[derive(Debug)]
struct Link {
    record: Record,
    /// The number of the next link, zero for none.
    next: u32,
}

impl Links {
    /// Begins an execution: all chains are gone, their memory is kept.
    pub fn reset(&mut self) {
        self.links.clear();
        self.free = 0;
    }

    /// How many links belong to chains.
    #[cfg(test)]
    pub fn taken(&self) -> usize {
        let mut free_count = 0;
        let mut at = self.free;
        while at != 0 {
            free_count += 1;
            at = self.links[at as usize - 1].next;
        }
        self.links.len() - free_count
    }

    #[inline]
    fn get(&mut self, number: u32) -> &mut Link {
        &mut self.links[number as usize - 1]
    }

    /// A link in front of `next`; nothing if there are too many.
    fn take(&mut self, record: Record, next: u32) -> Option<u32> {
        let link = Link { record, next };
        match self.free {
            0 if self.links.len() == LINK_COUNT_MAX => None,
            0 => {
                self.links.push(link);
                Some(self.links.len() as u32)
            }
            number => {
                self.free = self.get(number).next;
                *self.get(number) = link;
                Some(number)
            }
        }
    }

    fn give_back(&mut self, number: u32) {
        self.get(number).next = self.free;
        self.free = number;
    }
}
