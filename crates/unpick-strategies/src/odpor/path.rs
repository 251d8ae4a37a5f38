//! The path from the first point of the search to the present one.

use super::finding::{Finding, Found};
use super::objects::Objects;
use super::point::Node;
use super::question::{Question, next_answer};
use super::race::{Races, Reversal};
use super::units::Units;
use super::wakeup::{insert, is_covered};
use crate::dpor::chain::Share;
use alloc::{boxed::Box, collections::BTreeSet, format, vec::Vec};
use unpick_engine::{Stop, View};
use unpick_trace::Divergence;

/// How a branch is left for the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// All of it has been explored.
    Done,
    /// All of it has been explored, and the part before may want more branches at this point.
    Held,
    /// The part before is still exploring it.
    Shared,
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
    pub fn next_branch(&mut self, units: &Units, objects: &mut Objects, left: Left) -> bool {
        let last = self.nodes.len() - 1;
        let node = &mut self.nodes[last];
        if next_answer(&mut node.questions) {
            node.branches[0].children.clear();
            node.branches[0].answers.clear();
            return true;
        }
        let done = node.branches.remove(0);
        node.is_begun = false;
        if !node.branches.is_empty() || !done.doubted.is_empty() || left == Left::Held {
            let mut sleeper = self.sleeper(last, done.name, units, objects);
            sleeper.is_open = left == Left::Shared;
            self.nodes[last].sleep.push(sleeper);
            self.settle(last, done.doubted, objects);
        }
        !self.nodes[last].branches.is_empty()
    }

    /// Adds sequences to the wakeup tree of a point, now that it is known what the branch does there
    /// that they were put aside for.
    pub fn settle(&mut self, at: usize, doubted: Vec<(u128, Finding)>, objects: &mut Objects) {
        let own = core::mem::take(&mut objects.identities);
        for (_, mut finding) in doubted {
            finding.at = at;
            objects.identities.clone_from(&finding.identities);
            finding.add_to(self, objects);
        }
        objects.identities = own;
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
                let count = self.nodes[at].object_count;
                let finding = Finding::new(at, units, &sequence, count, objects, &answers_of);
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
        let mut others = node.branches.split_off(usize::from(node.is_begun));
        let count = units.common(node.object_count);
        let is_news = insert(units, &mut others, sequence, count, objects, answers_of);
        node.branches.append(&mut others);
        is_news
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
