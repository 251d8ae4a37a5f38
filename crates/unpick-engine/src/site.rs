//! Source locations as small numbers, without hashing on the path of a step.

use alloc::{string::String, vec::Vec};
use core::panic::Location;
use unpick_trace::{Site, SiteId};

const SLOTS: usize = 256;

/// Numbers locations in order of first sight. The numbers last for a whole exploration.
pub(crate) struct Sites {
    /// A direct-mapped cache in front of the table: nearly every look-up ends here.
    cache: [(Option<&'static Location<'static>>, SiteId); SLOTS],
    known: Vec<&'static Location<'static>>,
}

impl Sites {
    pub fn new() -> Sites {
        Sites {
            cache: [(None, SiteId::UNKNOWN); SLOTS],
            known: Vec::new(),
        }
    }

    #[inline]
    pub fn intern(
        &mut self,
        location: &'static Location<'static>,
        table: &mut Vec<Site>,
    ) -> SiteId {
        let address = core::ptr::from_ref(location) as u64;
        let slot = (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
        match self.cache[slot] {
            (Some(cached), site) if core::ptr::eq(cached, location) => site,
            _ => self.intern_slow(location, slot, table),
        }
    }

    #[cold]
    fn intern_slow(
        &mut self,
        location: &'static Location<'static>,
        slot: usize,
        table: &mut Vec<Site>,
    ) -> SiteId {
        let is_it = |other: &&'static Location<'static>| core::ptr::eq(*other, location);
        let known = self.known.iter().position(is_it).or_else(|| {
            // One place can have several addresses, one for each unit of code it was compiled into.
            self.known.iter().position(|other| *other == location)
        });
        let index = known.unwrap_or_else(|| {
            self.known.push(location);
            table.push(site_of(location));
            self.known.len() - 1
        });
        let site = SiteId(index as u32);
        self.cache[slot] = (Some(location), site);
        site
    }
}

pub(crate) fn site_of(location: &Location<'_>) -> Site {
    Site {
        file: String::from(location.file()),
        line: location.line(),
        column: location.column(),
    }
}
