//! The path from the first point of the search to the present one.

use super::finding::{Finding, Found};
use super::objects::Objects;
use super::question::{Question, next_answer};
use super::race::{Races, Reversal};
use super::sections::{Section, Sections, add_accesses};
use super::units::Units;
use super::wakeup::{Branch, Footprint, Sleeper, insert, is_covered};
use crate::dpor::chain::Share;
use alloc::{boxed::Box, collections::BTreeSet, format, vec::Vec};
use unpick_engine::{History, Stop, View};
use unpick_trace::Divergence;

/// A point of the path.
#[derive(Clone)]
pub(super) struct Node {
    /// The tasks that could go on, by name.
    pub eligible: Vec<u32>,
    /// Units that need not be performed from here, those from the point before first.
    pub sleep: Vec<Sleeper>,
    /// How many of them are from the point before.
    pub inherited: usize,
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
    /// Whether a section begins here that was moved as a whole in an execution before.
    pub is_known: bool,
    /// What that section touches, if it is not moved any more.
    pub dissolved: Option<Footprint>,
}

/// The path: one point before each event.
#[derive(Clone, Default)]
pub(super) struct Path {
    pub nodes: Vec<Node>,
    /// Questions asked before the first event.
    pub opening: Vec<Question>,
    /// What belongs to this part of the search.
    pub share: Share<Found>,
    /// What was found for points that do not.
    pub findings: Vec<Finding>,
    /// The keys of these.
    pub reported: BTreeSet<u128>,
    /// Whether something sleeps that other parts are still exploring, so that executions which end
    /// for that reason have to be looked at, too.
    pub is_divided: bool,
}

impl Path {
    /// Goes back to the beginning, for a search that begins anew.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.opening.clear();
    }

    /// Goes to the next answer or branch of the last point; `units` are those of the last execution.
    /// `false` if there is none; what was done is put to sleep even so if more may come.
    pub fn next_branch(&mut self, units: &Units, objects: &Objects, may_get_more: bool) -> bool {
        let last = self.nodes.len() - 1;
        let node = &mut self.nodes[last];
        if next_answer(&mut node.questions) {
            node.branches[0].children.clear();
            node.branches[0].answers.clear();
            return true;
        }
        let done = node.branches.remove(0);
        let dissolved = node.dissolved.take();
        let goes_on = !node.branches.is_empty();
        if goes_on || may_get_more {
            let sleeper = self.sleeper(last, done.name, dissolved, units, objects);
            self.nodes[last].sleep.push(sleeper);
        }
        goes_on
    }

    /// The branch that a point is exploring.
    pub fn current(&self, at: usize, units: &Units, objects: &Objects) -> Option<Sleeper> {
        let branch = self.nodes[at].branches.first()?;
        let dissolved = self.nodes[at].dissolved.clone();
        Some(self.sleeper(at, branch.name, dissolved, units, objects))
    }

    /// The unit that began at a point in the last execution, put to sleep. What was found out while it
    /// was a whole section holds for the section as a whole.
    fn sleeper(
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
    pub fn plan(&mut self, races: &mut Races<'_>, objects: &Objects) {
        for reversal in races.reversals() {
            let Reversal {
                first,
                mut sequence,
                touches,
            } = reversal;
            if let (Some(touches), Some(last)) = (touches, sequence.last_mut()) {
                *last = races.units.add_moved(*last, &touches);
            }
            let units = &*races.units;
            let answers_of = |unit: usize| {
                let unit = &units.all()[unit];
                let events = unit.first..=unit.last;
                events.flat_map(|event| races.answers(event)).collect()
            };
            let at = units.all()[first].first;
            if at + 1 >= self.share.base {
                self.add(at, units, sequence, objects, &answers_of);
            } else if self.share.is_heard {
                let finding = Finding::new(at, units, &sequence, objects, &answers_of);
                self.report(finding, objects);
            }
        }
    }

    /// Notes what should be explored at a point of a part behind, unless it is explored anyway. What
    /// was noted before promises nothing, since the part behind may find it unnecessary.
    pub fn report(&mut self, finding: Finding, objects: &Objects) {
        let at = finding.at;
        let known = self.nodes[at].branches.clone();
        let is_news = finding.add_to(self, objects);
        self.nodes[at].branches = known;
        let object_count = self.nodes[at].object_count;
        if is_news && self.reported.insert(finding.key(object_count)) {
            self.findings.push(finding);
        }
    }

    /// Adds a sequence to the wakeup tree of a point, unless what it leads to is explored anyway.
    /// Answers whether it was added.
    pub fn add(
        &mut self,
        at: usize,
        units: &Units,
        sequence: Vec<usize>,
        objects: &Objects,
        answers_of: &dyn Fn(usize) -> Vec<u32>,
    ) -> bool {
        let node = &mut self.nodes[at];
        let name = units.all()[sequence[0]].name;
        if !node.eligible.contains(&name) || is_covered(units, &sequence, &node.sleep, objects) {
            return false;
        }
        let mut others = node.branches.split_off(node.branches.len().min(1));
        let count = node.object_count;
        let is_news = insert(units, &mut others, sequence, count, objects, answers_of);
        node.branches.append(&mut others);
        is_news
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
            let mut accesses = Vec::new();
            add_accesses(history, section.first, section.last, None, &mut accesses);
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
        add_accesses(history, first, last, section, &mut performed);
        let sleepers = self.nodes[first].sleep.iter();
        sleepers
            .filter(|one| !one.footprint.depends_on(&performed, objects))
            .cloned()
            .collect()
    }
}

/// The program does not offer what it offered under the same choices before.
#[cold]
pub(super) fn diverged(view: &View<'_>, name: u32) -> Stop {
    Stop::Diverged(Box::new(Divergence {
        step: view.trace().steps.len() as u64,
        expected: format!("the task named {name} to be able to go on"),
        found: format!("{} enabled tasks without it", view.enabled_count()),
    }))
}
