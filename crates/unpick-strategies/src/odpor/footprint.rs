//! What a unit touches, in a form that other executions can be compared with.

use super::objects::Objects;
use super::units::Units;
use alloc::vec::Vec;
use unpick_engine::Access;

/// What a unit touches, as seen in an execution that passed some point, for other executions that
/// pass there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footprint {
    accesses: Vec<Access>,
    /// What the objects of these accesses are known as.
    identities: Vec<Option<u32>>,
    /// Whether the unit ends the execution, or may touch anything.
    is_last: bool,
    /// Objects below this number are the same in all executions that pass there; later ones may be
    /// numbered differently.
    object_count: u32,
}

impl Footprint {
    pub fn new(units: &Units, unit: usize, object_count: u32, objects: &Objects) -> Footprint {
        Footprint {
            is_last: units.all()[unit].is_last || units.all()[unit].is_partial,
            ..Footprint::of(units.accesses(unit), object_count, objects)
        }
    }

    /// The footprint of a unit that touches this.
    pub fn of(accesses: &[Access], object_count: u32, objects: &Objects) -> Footprint {
        let objects_used = accesses.iter().map(|access| access.location.object);
        Footprint {
            accesses: accesses.to_vec(),
            identities: objects_used
                .map(|object| objects.identity(object))
                .collect(),
            is_last: false,
            object_count,
        }
    }

    /// The footprint of a unit that may touch anything.
    pub fn unknown() -> Footprint {
        Footprint {
            is_last: true,
            ..Footprint::default()
        }
    }

    /// Whether a unit that was performed later depends on this one.
    pub fn depends_on(&self, other: &[Access], objects: &Objects) -> bool {
        self.conflicts(other, self.object_count, objects)
    }

    /// Whether it conflicts with another unit, where objects below `common` have the same numbers.
    fn conflicts(&self, other: &[Access], common: u32, objects: &Objects) -> bool {
        let is_known = |access: &Access| access.location.object.0 < common;
        self.is_last
            || self
                .accesses
                .iter()
                .zip(&self.identities)
                .any(|(mine, known)| {
                    other.iter().any(|theirs| {
                        let same = match (is_known(mine), is_known(theirs)) {
                            (true, true) => mine.location == theirs.location,
                            (false, false) => {
                                let theirs_known = objects.identity(theirs.location.object);
                                mine.location.part == theirs.location.part
                                    && objects.may_be_same(*known, theirs_known)
                            }
                            _ => false,
                        };
                        same && !mine.mode.commutes_with(theirs.mode)
                    })
                })
    }

    /// Whether a unit depends on none of a sequence.
    pub fn is_independent_of(&self, units: &Units, sequence: &[usize], objects: &Objects) -> bool {
        let common = units.common(self.object_count);
        let mut sequence = sequence.iter();
        sequence.all(|&unit| {
            let is_last = units.all()[unit].is_last;
            !is_last && !self.conflicts(units.accesses(unit), common, objects)
        })
    }
}
