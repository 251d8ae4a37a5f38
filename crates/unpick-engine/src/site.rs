//! Source locations as small numbers, without hashing on the path of a step.

use alloc::vec::Vec;
use core::panic::Location;
use unpick_trace::{Site, SiteId};

/// Slots of the table at first; a power of two.
const SLOT_COUNT_MIN: usize = 256;

/// Places for the locations seen last; a power of two.
const RECENT_COUNT: usize = 128;

type Slot = (Option<&'static Location<'static>>, SiteId);

const EMPTY: Slot = (None, SiteId::UNKNOWN);

/// Numbers locations in order of first sight. The numbers last for a whole exploration.
pub(crate) struct Sites {
    /// The locations seen last, each at the one place that its address gives it: quickly looked up, and
    /// locations of one function, which lie side by side, have places of their own.
    recent: [Slot; RECENT_COUNT],
    /// A table with open addressing, by the address of the location.
    ///
    /// Invariant: the number of slots is a power of two, and no more than a quarter of them are in use, so
    /// that nearly every look-up ends where it begins, however many locations a program has.
    slots: Vec<Slot>,
    used_count: usize,
    /// Those with numbers of their own, in their order.
    known: Vec<&'static Location<'static>>,
}

impl Sites {
    pub fn new() -> Sites {
        Sites {
            recent: [EMPTY; RECENT_COUNT],
            slots: alloc::vec![EMPTY; SLOT_COUNT_MIN],
            used_count: 0,
            known: Vec::new(),
        }
    }

    #[inline]
    pub fn intern(
        &mut self,
        location: &'static Location<'static>,
        table: &mut Vec<Site>,
    ) -> SiteId {
        let place =
            core::ptr::from_ref(location) as usize / align_of::<Location<'_>>() % RECENT_COUNT;
        match self.recent[place] {
            (Some(here), site) if core::ptr::eq(here, location) => site,
            _ => {
                let site = self.look_up(location, table);
                self.recent[place] = (Some(location), site);
                site
            }
        }
    }

    fn first_slot(&self, location: &'static Location<'static>) -> usize {
        let address = core::ptr::from_ref(location) as u64;
        // The upper half of the product: all bits of an address have a part in it.
        let hash = address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash as usize & (self.slots.len() - 1)
    }

    /// The slot of a location, or the free one that it is to have.
    fn slot_of(&self, location: &'static Location<'static>) -> usize {
        let mut slot = self.first_slot(location);
        while let (Some(other), _) = self.slots[slot]
            && !core::ptr::eq(other, location)
        {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        slot
    }

    #[cold]
    fn look_up(&mut self, location: &'static Location<'static>, table: &mut Vec<Site>) -> SiteId {
        let slot = self.slot_of(location);
        if let (Some(_), site) = self.slots[slot] {
            return site;
        }
        // One place can have several addresses, one for each unit of code it was compiled into.
        let known = self.known.iter().position(|other| *other == location);
        let index = known.unwrap_or_else(|| {
            self.known.push(location);
            table.push(site_of(location));
            self.known.len() - 1
        });
        let site = SiteId(index as u32);
        self.slots[slot] = (Some(location), site);
        self.used_count += 1;
        if self.used_count * 4 > self.slots.len() {
            self.grow();
        }
        site
    }

    fn grow(&mut self) {
        let larger = alloc::vec![EMPTY; self.slots.len() * 2];
        for slot in core::mem::replace(&mut self.slots, larger) {
            if let (Some(location), _) = slot {
                let place = self.slot_of(location);
                self.slots[place] = slot;
            }
        }
    }
}

pub(crate) fn site_of(location: &Location<'_>) -> Site {
    Site::new(location.file(), location.line(), location.column())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::boxed::Box;

    #[test]
    fn numbers_last_however_many_places_there_are() {
        let here = Location::caller();
        let mut sites = Sites::new();
        let mut table = Vec::new();
        // One place at many addresses.
        let addresses: Vec<&'static Location<'static>> =
            (0..3_000).map(|_| &*Box::leak(Box::new(*here))).collect();
        for _ in 0..2 {
            for location in &addresses {
                assert_eq!(sites.intern(location, &mut table), SiteId(0));
            }
        }
        assert_eq!(table, [site_of(here)]);
        let other = Location::caller();
        assert_eq!(sites.intern(other, &mut table), SiteId(1));
        assert_eq!(sites.intern(here, &mut table), SiteId(0));
        assert_eq!(table[1].line, other.line());
        let is_sparse = |sites: &Sites| sites.used_count * 4 <= sites.slots.len();
        assert!(is_sparse(&sites) && sites.used_count == 3_002);
    }
}
