//! What a part of a search has found about points that it does not own.

use super::objects::{Objects, mix};
use super::path::Path;
use super::units::{Unit, Units};
use super::wakeup::{Sleeper, is_covered};
use crate::names::Names;
use alloc::{collections::BTreeMap, vec, vec::Vec};

/// A sequence that reverses a race, with all that is needed to add it to a wakeup tree elsewhere.
#[derive(Clone)]
pub(crate) struct Finding {
    /// The point from which it is to be explored.
    pub at: usize,
    /// The units of the sequence and nothing else, in order.
    units: Units,
    answers: Vec<Vec<u32>>,
    /// By object of the execution in which the race was seen.
    pub identities: Vec<Option<u32>>,
}

impl Finding {
    pub fn new(
        at: usize,
        units: &Units,
        sequence: &[usize],
        object_count: u32,
        objects: &Objects,
        answers_of: &dyn Fn(usize) -> Vec<u32>,
    ) -> Finding {
        Finding {
            at,
            units: units.extract(sequence, object_count),
            answers: sequence.iter().map(|&unit| answers_of(unit)).collect(),
            identities: objects.identities.clone(),
        }
    }

    fn sequence(&self) -> Vec<usize> {
        (0..self.units.all().len()).collect()
    }

    /// Adds it to the wakeup tree of its point. `objects` must stand for the execution it is from.
    pub fn add_to(&self, path: &mut Path, objects: &Objects) -> bool {
        let answers_of = |unit: usize| self.answers[unit].clone();
        path.add(self.at, &self.units, self.sequence(), objects, &answers_of)
    }

    /// A hash of everything that decides whether it is covered. Objects below `object_count` are the
    /// same in all executions.
    pub fn key(&self, object_count: u32) -> u128 {
        let object_count = self.units.common(object_count);
        let mut words = vec![self.at as u64];
        for (number, unit) in self.units.all().iter().enumerate() {
            words.push(u64::from(unit.name) << 2 | u64::from(unit.is_last) << 1);
            words.push(u64::from(unit.is_partial) << 1 | 1);
            for access in self.units.accesses(number) {
                let object = access.location.object;
                let identity = self.identities.get(object.index()).copied().flatten();
                words.push(match object.0 < object_count {
                    true => u64::from(object.0),
                    false => 1 << 32 | identity.map_or(1 << 33, u64::from),
                });
                words.push(u64::from(access.location.part) << 8 | access.mode as u64);
            }
            words.extend(self.answers[number].iter().map(|&answer| u64::from(answer)));
        }
        let hash = |start: u64| words.iter().fold(start, |seen, &word| mix(seen, word));
        u128::from(hash(1)) << 64 | u128::from(hash(2))
    }
}

/// What a part that is exhausted leaves: its findings, in order, and what their names mean.
#[derive(Clone)]
pub(super) struct Found {
    pub findings: Vec<Finding>,
    pub names: Names,
    pub objects: Objects,
}

/// Adds what another part has found to a path. `current` are the branches that its points are
/// exploring.
pub(super) fn accept(
    found: Found,
    path: &mut Path,
    current: Vec<Option<Sleeper>>,
    names: &mut Names,
    objects: &mut Objects,
) {
    let names = names.absorb(&found.names);
    let same = objects.absorb(&found.objects, &names);
    let own = core::mem::take(&mut objects.identities);
    for mut finding in found.findings {
        finding.units.rename(&names);
        let identities = finding.identities.iter();
        finding.identities = identities
            .map(|identity| identity.map(|identity| same[identity as usize]))
            .collect();
        objects.identities.clone_from(&finding.identities);
        let current = current[finding.at].as_slice();
        if is_covered(&finding.units, &finding.sequence(), current, objects) {
            continue;
        }
        if finding.at + 1 >= path.share.base {
            finding.add_to(path, objects);
        } else if path.share.is_heard {
            path.report(finding, objects);
        }
    }
    objects.identities = own;
}

impl Units {
    /// How many of so many objects that are the same in all executions that pass some point have the
    /// same numbers here.
    pub fn common(&self, object_count: u32) -> u32 {
        self.foreign_from.unwrap_or(u32::MAX).min(object_count)
    }

    /// These units and nothing else, in this order. Objects below `object_count` are the same in all
    /// executions that they are compared with.
    fn extract(&self, sequence: &[usize], object_count: u32) -> Units {
        let mut extract = Units::default();
        extract.foreign_from = Some(self.common(object_count));
        for &number in sequence {
            let unit = &self.units[number];
            let start = extract.accesses.len();
            extract.accesses.extend_from_slice(self.accesses(number));
            let before = unit.before;
            extract.units.push(Unit {
                before: before.and_then(|before| sequence.iter().position(|&one| one == before)),
                accesses: (start, extract.accesses.len()),
                direct: (0, 0),
                ..*unit
            });
        }
        extract
    }

    fn rename(&mut self, names: &[u32]) {
        for unit in &mut self.units {
            unit.name = names[unit.name as usize];
        }
    }
}

impl Objects {
    /// How many executions a copy should be worth.
    pub fn weight(&self) -> u64 {
        self.known.len() as u64 / 16
    }

    /// Learns what another part has learned. Answers what its identities are here.
    fn absorb(&mut self, other: &Objects, names: &[u32]) -> Vec<u32> {
        let mut same: Vec<Option<u32>> = vec![None; other.same.len()];
        let point_here =
            |&(name, count, seen): &(u32, u32, u64)| (names[name as usize], count, seen);
        let mut unknown = BTreeMap::new();
        for (point, &theirs) in &other.known {
            let point = point_here(point);
            match (self.known.get(&point).copied(), theirs) {
                (Some(None), _) => {}
                (_, None) => {
                    self.known.insert(point, None);
                }
                (None, Some(theirs)) => {
                    unknown.insert(point, theirs);
                }
                (Some(Some(mine)), Some(theirs)) => match same[theirs as usize] {
                    None => same[theirs as usize] = Some(mine),
                    Some(other) if !self.merge(other, mine) => {
                        self.known.insert(point, None);
                    }
                    Some(_) => {}
                },
            }
        }
        let same: Vec<u32> = same
            .into_iter()
            .map(|known| known.unwrap_or_else(|| self.new_identity()))
            .collect();
        for (point, theirs) in unknown {
            self.known.insert(point, Some(same[theirs as usize]));
        }
        for (identity, bits) in other.others.iter().enumerate() {
            let root = other.root(identity as u32);
            if root != identity as u32 {
                self.merge(same[identity], same[root as usize]);
            }
            let mut others = vec![0; self.same.len().div_ceil(64)];
            let is_set = |one: &usize| {
                bits.get(one / 64)
                    .is_some_and(|word| word >> (one % 64) & 1 == 1)
            };
            for one in (0..same.len()).filter(is_set) {
                let one = self.root(same[one]);
                others[one as usize / 64] |= 1 << (one % 64);
            }
            self.add_others(self.root(same[identity]), &others);
        }
        same
    }
}
