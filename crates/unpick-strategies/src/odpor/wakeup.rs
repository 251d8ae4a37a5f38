//! Wakeup trees: what is still to be explored from a point, as an ordered tree of units.

use super::objects::Objects;
use super::units::Units;
use alloc::vec::Vec;
use unpick_engine::Access;

/// A unit to perform, and what to perform after it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Branch {
    /// The task, by name.
    pub name: u32,
    /// What it touches, as far as it is known.
    pub footprint: Footprint,
    /// How questions within the unit are answered.
    pub answers: Vec<u32>,
    /// Empty: anything.
    pub children: Vec<Branch>,
}

impl Branch {
    /// Whatever the task does next.
    pub fn of(name: u32) -> Branch {
        Branch {
            name,
            ..Branch::default()
        }
    }
}

/// A unit that need not be performed: what it leads to has been explored.
#[derive(Clone, Debug)]
pub(crate) struct Sleeper {
    pub name: u32,
    pub footprint: Footprint,
    /// Whether it is still being explored, by another part of the search, so that what it leads to
    /// has not been looked at for races yet.
    pub is_open: bool,
}

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
        let accesses = units.accesses(unit);
        let objects_used = accesses.iter().map(|access| access.location.object);
        Footprint {
            accesses: accesses.to_vec(),
            identities: objects_used
                .map(|object| objects.identity(object))
                .collect(),
            is_last: units.all()[unit].is_last || units.all()[unit].is_partial,
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
        let is_known = |access: &Access| access.location.object.0 < self.object_count;
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
    fn is_independent_of(&self, units: &Units, sequence: &[usize], objects: &Objects) -> bool {
        let mut sequence = sequence.iter();
        sequence.all(|&unit| {
            !units.all()[unit].is_last && !self.depends_on(units.accesses(unit), objects)
        })
    }
}

/// Whether the unit of `name` in `sequence`, or else a unit that is not in it, could as well be
/// performed first.
fn position_of_initial(units: &Units, sequence: &[usize], name: u32) -> Option<Option<usize>> {
    let mut names = sequence.iter().map(|&unit| units.all()[unit].name);
    let Some(position) = names.position(|other| other == name) else {
        return Some(None);
    };
    let (before, unit) = (&sequence[..position], sequence[position]);
    let is_initial = before.iter().all(|&other| !units.depend(other, unit));
    is_initial.then_some(Some(position))
}

/// Whether a sleeper is a weak initial of a sequence: what the sequence leads to has been explored.
pub(crate) fn is_covered(
    units: &Units,
    sequence: &[usize],
    sleep: &[Sleeper],
    objects: &Objects,
) -> bool {
    sleep.iter().any(
        |sleeper| match position_of_initial(units, sequence, sleeper.name) {
            None => false,
            // The last unit of a sequence is moved from elsewhere and need not have ended the execution
            // there; if it does so here, nothing in the sequence comes after it.
            Some(Some(position)) => {
                let is_moved = position + 1 == sequence.len();
                position == 0 || !is_moved || !sleeper.footprint.is_last
            }
            Some(None) => {
                let footprint = &sleeper.footprint;
                !sleeper.is_open && footprint.is_independent_of(units, sequence, objects)
            }
        },
    )
}

/// Adds a sequence to a tree, unless the tree has one that leads to the same. Answers whether it was
/// added.
pub(crate) fn insert(
    units: &Units,
    branches: &mut Vec<Branch>,
    mut sequence: Vec<usize>,
    object_count: u32,
    objects: &Objects,
    answers_of: &dyn Fn(usize) -> Vec<u32>,
) -> bool {
    for branch in branches.iter_mut() {
        match position_of_initial(units, &sequence, branch.name) {
            None => continue,
            Some(Some(position)) => {
                sequence.remove(position);
            }
            Some(None)
                if branch
                    .footprint
                    .is_independent_of(units, &sequence, objects) => {}
            Some(None) => continue,
        }
        if !branch.children.is_empty() && !sequence.is_empty() {
            return insert(
                units,
                &mut branch.children,
                sequence,
                object_count,
                objects,
                answers_of,
            );
        }
        return false;
    }
    let chain = sequence.iter().rev().fold(Vec::new(), |children, &unit| {
        let branch = Branch {
            name: units.all()[unit].name,
            footprint: Footprint::new(units, unit, object_count, objects),
            answers: answers_of(unit),
            children,
        };
        Vec::from([branch])
    });
    branches.extend(chain);
    true
}
