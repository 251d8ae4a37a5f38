//! What is asleep at the points of a path: units that need not be performed from there.

use super::footprint::Footprint;
use super::objects::Objects;
use super::path::Path;
use super::sections::{Section, Sections, add_accesses};
use super::units::Units;
use super::wakeup::Sleeper;
use alloc::vec::Vec;
use unpick_engine::History;

impl Path {
    /// The branch that a point is exploring.
    pub fn current(&self, at: usize, units: &Units, objects: &Objects) -> Option<Sleeper> {
        let branch = self.nodes[at].branches.first()?;
        let dissolved = self.nodes[at].dissolved.clone();
        Some(self.sleeper(at, branch.name, dissolved, units, objects))
    }

    /// The unit that began at a point in the last execution, put to sleep. What was found out while it
    /// was a whole section holds for the section as a whole.
    pub fn sleeper(
        &self,
        event: usize,
        name: u32,
        dissolved: Option<Footprint>,
        units: &Units,
        objects: &Objects,
    ) -> Sleeper {
        let unit = units.all().iter().position(|unit| unit.first == event);
        let unit = unit.expect("internal error: a branch that was not performed");
        let node = &self.nodes[event];
        let footprint = match node.has_questions {
            true => Footprint::unknown(),
            false => {
                dissolved.unwrap_or_else(|| Footprint::new(units, unit, node.object_count, objects))
            }
        };
        Sleeper {
            name,
            footprint,
            is_open: false,
        }
    }

    /// Works out again what is asleep, after sections have lost their privilege.
    pub fn look_anew(
        &mut self,
        dissolved: &[Section],
        history: &History,
        sections: &Sections,
        objects: &Objects,
    ) {
        for section in dissolved {
            let events = section.first..=section.last;
            let mut accesses = Vec::new();
            add_accesses(
                events.flat_map(|event| history.accesses(event)),
                None,
                &mut accesses,
            );
            let node = &mut self.nodes[section.first];
            let count = node.object_count;
            let whole = || Footprint::of(&accesses, count, objects);
            node.dissolved = node.is_known.then(whole);
        }
        let from = dissolved.first().map_or(self.nodes.len(), |one| one.first);
        for at in from + 1..self.nodes.len() {
            let is_inner = sections.is_inside(at);
            let mut sleep = match is_inner {
                true => Vec::new(),
                false => self.asleep_at(at, history, sections, objects),
            };
            let node = &mut self.nodes[at];
            let own = node.sleep.split_off(node.inherited);
            node.inherited = sleep.len();
            sleep.extend(own);
            node.is_inner = is_inner;
            node.sleep = sleep;
        }
    }

    /// The sleepers at a point: those that the unit performed right before does not wake.
    pub fn asleep_at(
        &self,
        at: usize,
        history: &History,
        sections: &Sections,
        objects: &Objects,
    ) -> Vec<Sleeper> {
        let Some(last) = at.checked_sub(1) else {
            return Vec::new();
        };
        let section = sections.ending_at(last);
        let first = section.map_or(last, |section| section.first);
        let mut performed = Vec::new();
        let accesses = (first..=last).flat_map(|event| history.accesses(event));
        add_accesses(accesses, section, &mut performed);
        let sleepers = self.nodes[first].sleep.iter();
        sleepers
            .filter(|one| !one.footprint.depends_on(&performed, objects))
            .cloned()
            .collect()
    }
}
