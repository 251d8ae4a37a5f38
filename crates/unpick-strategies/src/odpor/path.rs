//! The path from the first point of the search to the present one.

use super::objects::Objects;
use super::question::{Question, next_answer};
use super::race::{Races, Reversal};
use super::sections::{Sections, add_accesses};
use super::units::Units;
use super::wakeup::{Branch, Footprint, Sleeper, insert, is_covered};
use alloc::vec::Vec;
use unpick_engine::History;

/// A point of the path.
pub(super) struct Node {
    /// The tasks that could go on, by name.
    pub eligible: Vec<u32>,
    /// Units that need not be performed from here.
    pub sleep: Vec<Sleeper>,
    /// What is to be explored from here; the first is being explored.
    pub branches: Vec<Branch>,
    /// The questions asked within the event that follows.
    pub questions: Vec<Question>,
    /// Objects known here.
    pub object_count: u32,
    /// Whether a question was asked within the unit that follows, so that what it touches may differ.
    pub has_questions: bool,
    /// Whether it lies within a unit.
    pub is_inner: bool,
}

/// The path: one point before each event.
#[derive(Default)]
pub(super) struct Path {
    pub nodes: Vec<Node>,
    /// Questions asked before the first event.
    opening: Vec<Question>,
}

impl Path {
    /// Goes back to the beginning, for a search that begins anew.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.opening.clear();
    }

    /// Goes to the next branch; `units` are those of the last execution. `false` if there is none.
    pub fn advance(&mut self, units: &Units, objects: &Objects) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            if next_answer(&mut node.questions) {
                node.branches[0].children.clear();
                node.branches[0].answers.clear();
                return true;
            }
            let done = node.branches.remove(0);
            if !node.branches.is_empty() {
                let sleeper = self.sleeper(done.name, units, objects);
                let node = self.nodes.last_mut();
                node.expect("internal error: a path without its end")
                    .sleep
                    .push(sleeper);
                return true;
            }
            self.nodes.pop();
        }
        next_answer(&mut self.opening)
    }

    /// The unit that began at the last point, put to sleep.
    fn sleeper(&self, name: u32, units: &Units, objects: &Objects) -> Sleeper {
        let event = self.nodes.len() - 1;
        let unit = units.all().iter().position(|unit| unit.first == event);
        let unit = unit.expect("internal error: a branch that was not performed");
        let node = &self.nodes[event];
        let footprint = match node.has_questions {
            true => Footprint::unknown(),
            false => Footprint::new(units, unit, node.object_count, objects),
        };
        Sleeper { name, footprint }
    }

    /// The answer to a question asked at a depth, `asked` having been asked there before; `first` is
    /// the one to try first.
    pub fn answer(
        &mut self,
        depth: usize,
        asked: usize,
        options: u32,
        first: impl FnOnce() -> u32,
    ) -> u32 {
        let mut within = self.nodes[..depth].iter_mut();
        if let Some(unit) = within.rfind(|node| !node.is_inner) {
            unit.has_questions = true;
        }
        let questions = match depth {
            0 => &mut self.opening,
            depth => &mut self.nodes[depth - 1].questions,
        };
        if asked == questions.len() {
            questions.push(Question {
                options,
                first: first().min(options - 1),
                tried: 0,
            });
        }
        questions[asked].answer()
    }

    /// Adds what reverses the races of an execution to the wakeup trees of its points.
    pub fn plan(&mut self, races: &Races<'_>, objects: &Objects) {
        let units = races.units;
        let answers_of = |unit: usize| {
            let unit = &units.all()[unit];
            let events = unit.first..=unit.last;
            events.flat_map(|event| races.answers(event)).collect()
        };
        for Reversal { first, sequence } in races.reversals() {
            let node = &mut self.nodes[units.all()[first].first];
            let name = units.all()[sequence[0]].name;
            if node.eligible.contains(&name) && !is_covered(units, &sequence, &node.sleep, objects)
            {
                let mut others = node.branches.split_off(1);
                let object_count = node.object_count;
                insert(
                    units,
                    &mut others,
                    sequence,
                    object_count,
                    objects,
                    &answers_of,
                );
                node.branches.append(&mut others);
            }
        }
    }

    /// Works out again what is asleep, after a section has lost its privilege.
    pub fn look_anew(
        &mut self,
        from: usize,
        history: &History,
        sections: &Sections,
        objects: &Objects,
    ) {
        for at in from + 1..self.nodes.len() {
            let is_inner = sections.is_inside(at);
            let sleep = match is_inner {
                true => Vec::new(),
                false => self.asleep_at(at, history, sections, objects),
            };
            self.nodes[at].is_inner = is_inner;
            self.nodes[at].sleep = sleep;
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
        add_accesses(history, first, last, section, &mut performed);
        let sleepers = self.nodes[first].sleep.iter();
        sleepers
            .filter(|one| !one.footprint.depends_on(&performed, objects))
            .cloned()
            .collect()
    }
}
