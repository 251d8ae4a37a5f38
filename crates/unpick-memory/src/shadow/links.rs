//! Lists of what does not fit where it belongs, by number: all in one place, given back one by one.

use alloc::vec::Vec;

/// Links there may be: their numbers have 24 bits.
const LINK_COUNT_MAX: usize = (1 << 24) - 1;

/// The links of all lists of one execution.
#[derive(Debug)]
pub struct Links<T> {
    links: Vec<Link<T>>,
    /// The number of the first free one, zero for none.
    free: u32,
}

/// One of a list.
#[derive(Debug)]
pub struct Link<T> {
    pub item: T,
    /// The number of the next link, zero for none.
    pub next: u32,
}

impl<T> Default for Links<T> {
    fn default() -> Links<T> {
        Links {
            links: Vec::new(),
            free: 0,
        }
    }
}

impl<T> Links<T> {
    /// Begins an execution: all lists are gone, their memory is kept.
    pub fn reset(&mut self) {
        self.links.clear();
        self.free = 0;
    }

    /// How many links belong to lists.
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
    pub fn get(&mut self, number: u32) -> &mut Link<T> {
        &mut self.links[number as usize - 1]
    }

    /// A link in front of `next`; nothing if there are too many.
    #[inline]
    pub fn take(&mut self, item: T, next: u32) -> Option<u32> {
        let link = Link { item, next };
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

    /// Calls `change` for all links of a list, takes out those for which it answers `false`, and gives
    /// the number of the first that stays.
    pub fn retain(&mut self, first: u32, mut change: impl FnMut(&mut T) -> bool) -> u32 {
        let mut kept = first;
        let mut previous = 0;
        let mut at = first;
        while at != 0 {
            let link = self.get(at);
            let stays = change(&mut link.item);
            let next = link.next;
            if stays {
                previous = at;
            } else {
                match previous {
                    0 => kept = next,
                    _ => self.get(previous).next = next,
                }
                self.give_back(at);
            }
            at = next;
        }
        kept
    }

    fn give_back(&mut self, number: u32) {
        self.get(number).next = self.free;
        self.free = number;
    }
}
