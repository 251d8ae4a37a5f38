//! Wakeup trees: what is still to be explored from a point, as an ordered tree of units.

use super::finding::Finding;
use super::footprint::Footprint;
use super::objects::Objects;
use super::units::Units;
use alloc::vec::Vec;

/// A unit to perform, and what to perform after it.
#[derive(Clone, Default)]
pub(crate) struct Branch {
    /// The task, by name.
    pub name: u32,
    /// What it touches, as far as it is known.
    pub footprint: Footprint,
    /// How questions within the unit are answered.
    pub answers: Vec<u32>,
    /// The number of events after its first one.
    pub(super) rest: usize,
    /// Whether it is moved from elsewhere, so that it may touch something else here, or end the
    /// execution.
    is_moved: bool,
    /// Sequences that it may lead to as well, or not: that shows when it has been performed. With
    /// their keys.
    pub doubted: Vec<(u128, Finding)>,
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

    /// What to perform after its first event, or after the whole of it.
    pub fn follow(&mut self, is_whole: bool) -> Vec<Branch> {
        let children = core::mem::take(&mut self.children);
        match self.rest.checked_sub(1).filter(|_| !is_whole) {
            None => children,
            Some(rest) => Vec::from([Branch {
                name: self.name,
                footprint: self.footprint.clone(),
                answers: Vec::new(),
                rest,
                children,
                ..Branch::default()
            }]),
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

/// Whether the next unit of `name`, known to touch this, could as well be performed before the others
/// of a sequence, and where it stands in it.
fn position_of_initial(
    units: &Units,
    sequence: &[usize],
    name: u32,
    footprint: &Footprint,
    objects: &Objects,
) -> Option<Option<usize>> {
    let mut names = sequence.iter().map(|&unit| units.all()[unit].name);
    let position = names.position(|other| other == name);
    let before = &sequence[..position.unwrap_or(sequence.len())];
    // The last one is moved from elsewhere, so it need not touch the same, nor end the execution, where
    // it is performed first. What it touches there was seen when it was.
    let is_last = before.len() + 1 >= sequence.len();
    let is_initial = match position.filter(|_| !is_last) {
        Some(position) => {
            let unit = sequence[position];
            before.iter().all(|&other| !units.depend(other, unit))
        }
        None => before.is_empty() || footprint.is_independent_of(units, before, objects),
    };
    is_initial.then_some(position)
}

/// Whether a sleeper is a weak initial of a sequence: what the sequence leads to has been explored.
pub(crate) fn is_covered(
    units: &Units,
    sequence: &[usize],
    sleep: &[Sleeper],
    objects: &Objects,
) -> bool {
    sleep.iter().any(|sleeper| {
        let Sleeper {
            name, footprint, ..
        } = sleeper;
        match position_of_initial(units, sequence, *name, footprint, objects) {
            None => false,
            Some(Some(_)) => true,
            Some(None) => !sleeper.is_open,
        }
    })
}

/// Whether the sequence itself tells what the next unit of `name` does first: it is in the sequence,
/// and not moved from elsewhere to a place behind others.
fn is_certain(units: &Units, sequence: &[usize], name: u32) -> bool {
    let mut names = sequence.iter().map(|&unit| units.all()[unit].name);
    let position = names.position(|other| other == name);
    position.is_some_and(|position| position == 0 || position + 1 < sequence.len())
}

/// Adds a sequence to a tree, unless the tree has one that leads to the same. Answers whether it was
/// added, or may still be.
pub(crate) fn insert(
    units: &Units,
    branches: &mut Vec<Branch>,
    mut sequence: Vec<usize>,
    object_count: u32,
    objects: &Objects,
    answers_of: &dyn Fn(usize) -> Vec<u32>,
) -> bool {
    for branch in branches.iter_mut() {
        if branch.is_moved && !is_certain(units, &sequence, branch.name) {
            let doubted = Finding::new(0, units, &sequence, object_count, objects, answers_of);
            let key = doubted.key(object_count);
            if branch.doubted.iter().all(|(other, _)| *other != key) {
                branch.doubted.push((key, doubted));
            }
            return true;
        }
        let Branch {
            name, footprint, ..
        } = &*branch;
        match position_of_initial(units, &sequence, *name, footprint, objects) {
            None => continue,
            Some(None) => {}
            Some(Some(position)) => {
                let unit = sequence.remove(position);
                if branch.is_moved && !sequence.is_empty() {
                    branch.footprint = footprint_of(units, unit, object_count, objects, answers_of);
                    branch.is_moved = false;
                }
            }
        }
        let children = &mut branch.children;
        return !sequence.is_empty()
            && insert(units, children, sequence, object_count, objects, answers_of);
    }
    let last = sequence.last().copied();
    let chain = sequence.iter().rev().fold(Vec::new(), |children, &unit| {
        let branch = Branch {
            name: units.all()[unit].name,
            footprint: footprint_of(units, unit, object_count, objects, answers_of),
            answers: answers_of(unit),
            rest: units.all()[unit].last - units.all()[unit].first,
            is_moved: Some(unit) == last,
            doubted: Vec::new(),
            children,
        };
        Vec::from([branch])
    });
    branches.extend(chain);
    true
}

/// What a unit of a branch touches. Every answer to a question within it is tried, and each may lead to something else.
fn footprint_of(
    units: &Units,
    unit: usize,
    object_count: u32,
    objects: &Objects,
    answers_of: &dyn Fn(usize) -> Vec<u32>,
) -> Footprint {
    match answers_of(unit).is_empty() {
        true => Footprint::new(units, unit, object_count, objects),
        false => Footprint::unknown(),
    }
}
