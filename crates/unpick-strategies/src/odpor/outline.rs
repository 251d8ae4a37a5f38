//! The units of a kept execution, and whether it can begin with what a search plans.

use super::kept::{Guide, Guided};
use super::objects::Objects;
use super::path::Path;
use super::point::Node;
use super::question::Question;
use super::sections::Sections;
use super::units::Units;
use super::wakeup::Branch;
use crate::names::Names;
use alloc::{vec, vec::Vec};
use unpick_engine::{Execution, History};

/// The units of an execution and which of them happen before which.
#[derive(Clone)]
pub(super) struct Outline {
    /// How many sections had lost their privilege when it was made.
    pub fixed_count: usize,
    opening: Vec<u32>,
    events: Vec<Guided>,
    units: Vec<Piece>,
    /// By task: its name and its units.
    tasks: Vec<(u32, Vec<usize>)>,
}

/// A unit.
#[derive(Clone)]
struct Piece {
    first: usize,
    last: usize,
    is_section: bool,
    /// By task: its units that happen before this one, or are this one.
    clock: Vec<u32>,
}

impl Outline {
    /// The outline of an execution that has been taken note of.
    pub fn new(
        execution: &Execution,
        history: &History,
        names: &Names,
        (sections, objects): (&Sections, &Objects),
    ) -> Outline {
        let mut units = Units::default();
        units.build(execution, history, names, (sections, objects));
        let steps = &execution.trace().steps;
        let answers_from = |step: usize| -> Vec<u32> {
            let asked = steps[step..].iter().take_while(|step| !step.is_operation());
            asked.map(|step| step.choice.answer()).collect()
        };
        let events = history.events().iter().map(|event| Guided {
            name: names.name(event.task),
            answers: answers_from(event.step + 1),
        });
        let task_count = execution.task_count();
        let tasks = (0..task_count).map(|index| {
            let task = unpick_trace::TaskId(index as u32);
            let own = (0..units.performed()).filter(|&unit| units.all()[unit].task == task);
            (names.name(task), own.collect())
        });
        let pieces = (0..units.performed()).map(|number| {
            let unit = &units.all()[number];
            Piece {
                first: unit.first,
                last: unit.last,
                is_section: sections.at(unit.first).is_some(),
                clock: units.clock(number).to_vec(),
            }
        });
        Outline {
            fixed_count: sections.fixed_count(),
            opening: answers_from(0),
            events: events.collect(),
            tasks: tasks.collect(),
            units: pieces.collect(),
        }
    }

    /// Takes what a path plans, if an equivalent order begins with it. Otherwise answers the number of
    /// points of the path that one can begin with.
    pub fn begin_with(&self, path: &Path) -> Result<Taken<'_>, usize> {
        let mut taken = Taken {
            outline: self,
            counts: vec![0; self.tasks.len()],
            order: Vec::new(),
        };
        if !agree(&path.opening, &self.opening) {
            return Err(0);
        }
        let mut at = 0;
        while at < path.nodes.len() {
            let rest = &path.nodes[at + 1..];
            let inner = rest.iter().take_while(|node| node.is_inner).count();
            let (group, rest) = path.nodes[at..].split_at(inner + 1);
            self.begin_with_unit(group, rest.is_empty(), &mut taken)
                .ok_or(at)?;
            at += group.len();
        }
        Ok(taken)
    }

    /// Takes the unit of these points, and what is planned after it if it is the last one.
    fn begin_with_unit(&self, group: &[Node], is_last: bool, taken: &mut Taken<'_>) -> Option<()> {
        let branch = group[0].branches.first()?;
        let piece = match is_last && group.len() == 1 {
            true => taken.follow(branch)?,
            false => taken.next(branch.name)?,
        };
        // The last unit is perhaps not known as a whole.
        let length = piece.last + 1 - piece.first;
        let is_whole = length == group.len() || is_last && length > group.len();
        (is_whole && self.answers_agree(group, piece)).then_some(())
    }

    fn answers_agree(&self, group: &[Node], piece: &Piece) -> bool {
        let events = self.events[piece.first..=piece.last].iter();
        let mut pairs = group.iter().zip(events);
        pairs.all(|(node, event)| agree(&node.questions, &event.answers))
    }
}

/// Whether answers begin with those that are planned.
fn agree(planned: &[Question], answers: &[u32]) -> bool {
    planned.len() <= answers.len()
        && planned
            .iter()
            .zip(answers)
            .all(|(question, answer)| question.answer() == *answer)
}

/// An execution, part of which is taken.
pub(super) struct Taken<'a> {
    outline: &'a Outline,
    /// By task: how many of its units are taken.
    counts: Vec<u32>,
    /// What is taken, in order.
    order: Vec<usize>,
}

impl<'a> Taken<'a> {
    /// Takes the next unit of a task, if everything that happens before it is taken.
    fn next(&mut self, name: u32) -> Option<&'a Piece> {
        let outline = self.outline;
        let task = outline.tasks.iter().position(|task| task.0 == name)?;
        let unit = *outline.tasks[task].1.get(self.counts[task] as usize)?;
        self.counts[task] += 1;
        self.order.push(unit);
        let piece = &outline.units[unit];
        let mut before = piece.clock.iter().zip(&self.counts);
        before
            .all(|(needed, taken)| needed <= taken)
            .then_some(piece)
    }

    /// Takes what is to be explored first. Answers the first unit of it.
    fn follow(&mut self, branch: &Branch) -> Option<&'a Piece> {
        let first = self.next(branch.name)?;
        let events = &self.outline.events[first.first..=first.last];
        let mut answers = events.iter().flat_map(|event| &event.answers);
        if !branch
            .answers
            .iter()
            .all(|planned| answers.next() == Some(planned))
        {
            return None;
        }
        let (mut last, mut rest) = (first, branch.rest);
        while !last.is_section && rest > 0 {
            last = self.next(branch.name)?;
            rest -= 1;
        }
        if let Some(child) = branch.children.first() {
            self.follow(child)?;
        }
        Some(first)
    }

    /// What is taken, and then the rest.
    pub fn guide(mut self) -> Guide {
        let outline = self.outline;
        for unit in 0..outline.units.len() {
            if !self.order.contains(&unit) {
                self.order.push(unit);
            }
        }
        let pieces = self.order.iter().map(|&unit| &outline.units[unit]);
        let events = pieces.flat_map(|piece| &outline.events[piece.first..=piece.last]);
        Guide {
            opening: outline.opening.clone(),
            events: events.cloned().collect(),
        }
    }
}
