//! A plan as the runtime inside the program reads it: plain numbers in memory that both sides map.

use crate::{PLACEMENT_COUNT, Placement, Placements, Seeding};

/// Which plain accesses count for placements of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Variables {
    /// Those to addresses that two threads have touched, one of them writing.
    #[default]
    Shared,
    /// Of these, writes by a thread that has just read shared memory, so that what it writes may depend on
    /// it, and the reads.
    Dependent,
    /// Those at places in the code that earlier executions have seen to conflict.
    Aimed,
    /// All.
    All,
}

impl Variables {
    /// All of them.
    pub const ALL: &[Variables] = &[
        Variables::Shared,
        Variables::Dependent,
        Variables::Aimed,
        Variables::All,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Variables::Shared => "shared",
            Variables::Dependent => "dependent",
            Variables::Aimed => "aimed",
            Variables::All => "all",
        }
    }
}

/// Room for places in the code that are aimed at; at most half of it is used.
pub const AIM_MAX: usize = 4096;

/// Noise and tracing of one execution.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct NoiseOrder {
    /// The seed of this execution.
    pub seed: u64,
    /// Where noise may fire.
    pub noised: Placements,
    /// Where entries of the trace are made.
    pub traced: Placements,
    /// Where it is counted how often they are reached.
    pub counted: Placements,
    /// The thread that noise is for, by the order of creation, plus one; zero means all.
    pub only_thread: u32,
    /// Which plain accesses count.
    pub variables: Variables,
    /// Whether noise fires only at the places in [`NoiseOrder::aim`], whatever the operation.
    pub is_aimed: bool,
    /// The noise at each placement, by number.
    pub seedings: [Seeding; PLACEMENT_COUNT],
    /// Places in the code, as a set ([`set_of`]).
    pub aim: [u64; AIM_MAX],
}

impl NoiseOrder {
    /// Nothing is noised, traced or counted.
    pub fn nothing(seed: u64) -> NoiseOrder {
        NoiseOrder {
            seed,
            noised: Placements::default(),
            traced: Placements::default(),
            counted: Placements::default(),
            only_thread: 0,
            variables: Variables::Shared,
            is_aimed: false,
            seedings: [Seeding::default(); PLACEMENT_COUNT],
            aim: [0; AIM_MAX],
        }
    }

    /// The placements at which there is anything to do.
    pub fn active(&self) -> Placements {
        self.noised.union(self.traced).union(self.counted)
    }

    /// The noise at a placement.
    #[inline]
    pub fn seeding(&self, placement: Placement) -> &Seeding {
        &self.seedings[placement.number()]
    }

    /// Whether a place in the code is aimed at.
    #[inline]
    pub fn aims_at(&self, pc: u64) -> bool {
        is_in_set(&self.aim, pc)
    }
}

#[inline]
fn slot(pc: u64) -> usize {
    (pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

/// Places in the code as a set that is quick to look into. What does not fit is left out, the last first.
pub fn set_of(places: &[u64]) -> [u64; AIM_MAX] {
    let mut set = [0; AIM_MAX];
    for &pc in places.iter().filter(|&&pc| pc != 0).take(AIM_MAX / 2) {
        let mut at = slot(pc);
        while set[at] != 0 && set[at] != pc {
            at = (at + 1) % AIM_MAX;
        }
        set[at] = pc;
    }
    set
}

/// Whether a set made by [`set_of`] has a place.
#[inline]
pub fn is_in_set(set: &[u64; AIM_MAX], pc: u64) -> bool {
    let mut at = slot(pc);
    loop {
        match set[at] {
            0 => return false,
            found if found == pc => return true,
            _ => at = (at + 1) % AIM_MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_knows_what_was_put_into_it() {
        let places: alloc::vec::Vec<u64> = (1..=3_000).map(|number| number * 16 + 7).collect();
        let set = set_of(&places);
        let known = |pc: &&u64| is_in_set(&set, **pc);
        assert_eq!(places.iter().filter(known).count(), AIM_MAX / 2);
        assert!(is_in_set(&set, 23) && !is_in_set(&set, 24) && !is_in_set(&set, 0));
    }
}
