//! What is asleep at the points of a path: units that need not be performed from there.

use super::footprint::Footprint;
use super::objects::Objects;
use super::path::Path;
use super::sections::{Sections, add_accesses};
use super::units::Units;
use super::wakeup::Sleeper;
use alloc::vec::Vec;
use unpick_engine::History;

impl Path {
    /// The branch that a point is exploring.
    pub fn current(&self, at: usize, units: &Units, objects: &Objects) -> Option<Sleeper> {
        let branch = self.nodes[at].branches.first()?;
        Some(self.sleeper(at, branch.name, units, objects))
    }

    /// The unit that began at a point in the last execution, put to sleep.
    pub fn sleeper(&self, event: usize, name: u32, units: &Units, objects: &Objects) -> Sleeper {
        let unit = units.all().iter().position(|unit| unit.first == event);
        let unit = unit.expect("internal error: a branch that was not performed");
        let node = &self.nodes[event];
        let footprint = match node.has_questions {
            true => Footprint::unknown(),
            false => Footprint::new(units, unit, node.object_count, objects),
        };
        Sleeper {
            name,
            footprint,
            is_open: false,
        }
    }

    /// Works out again what is asleep behind an event, after the section that begins there has lost its
    /// privilege.
    pub fn look_anew(
        &mut self,
        from: usize,
        history: &History,
        sections: &Sections,
        objects: &Objects,
    ) {
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
        // What was planned behind a unit is performed behind the answers that are tried first. Behind other answers
        // nothing is known to be explored elsewhere.
        let mut questions = self.nodes[first..=last]
            .iter()
            .flat_map(|node| &node.questions);
        if questions.any(|question| question.tried > 0) {
            return Vec::new();
        }
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
