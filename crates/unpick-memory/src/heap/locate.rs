//! Which block an address belongs to, or lies beside.

use super::class::UNIT_BYTES;
use super::{HEADER_UNITS, Heap, State, asked_for};

/// Who has allocated or freed a block, and where: the number of the task above 48 bits of an address of
/// code. Zero for nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Origin(u64);

const PC_BITS: u32 = 48;

impl Origin {
    /// Not known.
    pub const NONE: Origin = Origin(0);

    /// A task, and an address in the code.
    #[inline]
    pub fn new(task: u32, pc: usize) -> Origin {
        Origin(u64::from(task) << PC_BITS | pc as u64 & ((1 << PC_BITS) - 1))
    }

    /// The number of the task, in 16 bits.
    pub fn task(self) -> u32 {
        (self.0 >> PC_BITS) as u32
    }

    /// The address in the code, in 48 bits.
    pub fn pc(self) -> usize {
        (self.0 & ((1 << PC_BITS) - 1)) as usize
    }
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its first byte.
    pub start: usize,
    /// The bytes that were asked for.
    pub size: usize,
    /// Who allocated it.
    pub allocated: Origin,
    /// Who freed it, if that has happened.
    pub freed: Option<Origin>,
}

impl Placed {
    /// Whether all bytes of an access are its own.
    #[inline]
    pub fn holds(&self, address: usize, size: usize) -> bool {
        let place = address.wrapping_sub(self.start);
        place <= self.size && size <= self.size - place
    }

    /// How far away from it an address is.
    fn distance(&self, address: usize) -> usize {
        match address < self.start {
            true => self.start - address,
            false => address - (self.start + self.size).min(address),
        }
    }
}

impl Heap {
    /// Where in the region the list of blocks begins.
    pub(super) fn list_start(&self) -> usize {
        let end = self.root().unit_count as usize * UNIT_BYTES;
        // Room for one more, so that a block that fits can be listed.
        end.saturating_sub((self.root().block_count as usize + 1) * size_of::<u32>())
    }

    /// Puts a fresh block into the list.
    pub(super) fn list(&mut self, unit: u32) {
        let number = self.root().block_count;
        // SAFETY: inside of the region, behind all blocks.
        unsafe { self.entry(number).write(unit) };
        self.root_mut().block_count = number + 1;
    }

    fn entry(&self, number: u32) -> *mut u32 {
        let end = self.root().unit_count as usize * UNIT_BYTES;
        let offset = end - (number as usize + 1) * size_of::<u32>();
        // SAFETY: entries lie inside of the region, which is larger than all of them.
        unsafe { self.root.cast::<u8>().add(offset).cast() }
    }

    /// The block that the bytes of an access belong to, or the one that is nearest to the first of them.
    /// Nothing if the address is not in the region, nothing was allocated, or a header was overwritten.
    #[inline]
    pub fn locate(&mut self, address: usize, size: usize) -> Option<Placed> {
        if let Some(last) = self.last
            && last.holds(address, size)
        {
            return Some(last);
        }
        self.look_up(address, size)
    }

    #[inline(never)]
    fn look_up(&mut self, address: usize, size: usize) -> Option<Placed> {
        let offset = address.checked_sub(self.root.addr())?;
        let unit = u32::try_from(offset / UNIT_BYTES).ok()?;
        if unit >= self.root().unit_count {
            return None;
        }
        // How many blocks begin at the unit or before it, with what is in front of them.
        let (mut low, mut high) = (0, self.root().block_count);
        while low < high {
            let middle = low + (high - low) / 2;
            // SAFETY: the entry is in the list.
            let start = unsafe { self.entry(middle).read() } - HEADER_UNITS;
            match start <= unit {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let before = match low.checked_sub(1) {
            Some(number) => Some(self.placed(number)?),
            None => None,
        };
        if let Some(before) = before
            && before.holds(address, size)
        {
            self.last = Some(before).filter(|one| one.freed.is_none());
            return Some(before);
        }
        let after = (low < self.root().block_count).then(|| self.placed(low));
        let both = [before, after.flatten()].into_iter().flatten();
        both.min_by_key(|one| one.distance(address))
    }

    /// A block of the list; nothing if its header was overwritten.
    fn placed(&self, number: u32) -> Option<Placed> {
        // SAFETY: the entry is in the list.
        let mut unit = unsafe { self.entry(number).read() };
        if self.state(unit)? == State::Moved {
            unit += self.header(unit).link;
        }
        let state = self.state(unit)?;
        let header = self.header(unit);
        Some(Placed {
            start: self.place(unit).addr(),
            size: match state {
                State::Live => asked_for(&header),
                _ => super::bytes_of(header.class as usize).saturating_sub(header.slack as usize),
            },
            allocated: header.allocated,
            freed: (state == State::Freed).then_some(header.freed),
        })
    }
}
