//! `odpor`: optimal dynamic partial order reduction, one execution for every happens-before relation.
//!
//! P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, *Optimal dynamic partial order reduction*, POPL
//! 2014, and *Source sets: a foundation for optimal dynamic partial order reduction*, J. ACM 2017.
//!
//! ```text
//! Explore(E, Sleep, WuT):
//!   if enabled(E) = {}:
//!     for e, e' in E in a reversible race:
//!       let E' = pre(E, e), v = notdep(e, E)·proc(e')
//!       if sleep(E') and WI[E'](v) are disjoint: insert[E'](v, wut(E'))
//!   else:
//!     wut(E) = WuT, or {p} for some p enabled and not asleep; sleep(E) = Sleep
//!     while p is first in wut(E):
//!       Explore(E·p, {q in sleep(E) | p, q independent}, subtree(wut(E), p))
//!       add p to sleep(E); remove p from wut(E)
//! ```
//!
//! *Departures from the paper.* A blocking operation cannot be performed before what enables it: a
//! lock races with the acquisition before it, not with the release. Next operations of tasks that
//! are blocked at the end take part in races. A failure ends an execution at once, so it depends on
//! everything. Questions that are not about tasks branch fully. A task that spins is not chosen
//! while others can go on, as in `dfs`.

mod race;
mod sections;
mod units;
mod wakeup;

use crate::names::Names;
use alloc::{boxed::Box, format, vec::Vec};
use race::{Races, Reversal};
use sections::Sections;
use units::{Units, add_accesses};
use unpick_engine::{Begin, Execution, History, Stop, Strategy, View};
use unpick_trace::{Choice, Divergence, Outcome, TaskId};
use wakeup::{Branch, Footprint, Sleeper, insert, is_covered};

/// A question that was asked within an event.
#[derive(Clone, Copy)]
struct Question {
    options: u32,
    /// The answer tried first.
    first: u32,
    /// How many were tried before the present one.
    tried: u32,
}

impl Question {
    fn answer(&self) -> u32 {
        match self.tried {
            0 => self.first,
            later if later <= self.first => later - 1,
            later => later,
        }
    }
}

/// A point of the current path.
struct Node {
    /// The tasks that could go on, by name.
    eligible: Vec<u32>,
    /// Units that need not be performed from here.
    sleep: Vec<Sleeper>,
    /// What is to be explored from here; the first is being explored.
    branches: Vec<Branch>,
    /// The questions asked within the event that follows.
    questions: Vec<Question>,
    object_count: u32,
    /// Whether a question was asked within the unit that follows, so that what it touches may differ.
    has_questions: bool,
    /// Whether it lies within a unit.
    is_inner: bool,
}

/// Optimal dynamic partial order reduction.
pub struct Odpor {
    nodes: Vec<Node>,
    /// Questions asked before the first event.
    opening: Vec<Question>,
    depth: usize,
    asked: usize,
    /// What is to be explored after the last event of the known path.
    subtree: Vec<Branch>,
    /// Answers to give within the current event, last first.
    script: Vec<u32>,
    names: Names,
    history: History,
    units: Units,
    sections: Sections,
    has_begun: bool,
}

impl Default for Odpor {
    fn default() -> Odpor {
        Odpor::new()
    }
}

impl Odpor {
    /// A search at its beginning.
    pub fn new() -> Odpor {
        Odpor::with_sections(false)
    }

    /// A search that moves critical sections as a whole where it can: see [`LazyOdpor`].
    ///
    /// [`LazyOdpor`]: crate::LazyOdpor
    pub(crate) fn with_sections(are_moved: bool) -> Odpor {
        Odpor {
            nodes: Vec::new(),
            opening: Vec::new(),
            depth: 0,
            asked: 0,
            subtree: Vec::new(),
            script: Vec::new(),
            names: Names::default(),
            history: History::new(&[]),
            units: Units::default(),
            sections: Sections::new(are_moved),
            has_begun: false,
        }
    }

    /// Goes to the next branch of the path that was explored last. `false` if there is none.
    fn advance(&mut self) -> bool {
        while let Some(node) = self.nodes.last_mut() {
            if next_answer(&mut node.questions) {
                node.branches[0].children.clear();
                node.branches[0].answers.clear();
                return true;
            }
            let done = node.branches.remove(0);
            if !node.branches.is_empty() {
                let event = self.nodes.len() - 1;
                let sleeper = self.sleeper(done.name, event);
                let node = &mut self.nodes[event];
                node.sleep.push(sleeper);
                return true;
            }
            self.nodes.pop();
        }
        next_answer(&mut self.opening)
    }

    /// The unit that began at an event of the last execution, put to sleep.
    fn sleeper(&self, name: u32, event: usize) -> Sleeper {
        let mut all = self.units.all().iter();
        let unit = all.position(|unit| unit.first == event);
        let unit = unit.expect("internal error: a branch that was not performed");
        let node = &self.nodes[event];
        let footprint = match node.has_questions {
            true => Footprint::unknown(),
            false => Footprint::new(&self.units, unit, node.object_count),
        };
        Sleeper { name, footprint }
    }

    /// A point that was not reached before. `inside` is the task that must go on, since it is within
    /// a section.
    fn discover(&mut self, view: &View<'_>, inside: Option<TaskId>) -> Result<Node, Stop> {
        let tasks = view.eligible().iter_from(view.last());
        let eligible: Vec<u32> = tasks.map(|task| self.names.name(task)).collect();
        let mut sleep = Vec::new();
        let mut branches = Vec::new();
        if let Some(task) = inside {
            branches.push(Branch::of(self.names.name(task)));
        } else {
            sleep = self.asleep_at(self.nodes.len());
            let is_awake = |name: u32| sleep.iter().all(|one: &Sleeper| one.name != name);
            branches.append(&mut self.subtree);
            branches.retain(|branch| eligible.contains(&branch.name) && is_awake(branch.name));
            if branches.is_empty() {
                let mut awake = eligible.iter().filter(|&&name| is_awake(name));
                branches.push(Branch::of(*awake.next().ok_or(Stop::Cut)?));
            }
        }
        Ok(Node {
            eligible,
            sleep,
            branches,
            questions: Vec::new(),
            object_count: view.trace().objects.len() as u32,
            has_questions: false,
            is_inner: inside.is_some(),
        })
    }

    /// Works out again what follows from what, after a section has lost its privilege.
    fn look_anew(&mut self, from: usize) {
        for at in from + 1..self.nodes.len() {
            let is_inner = self.sections.is_inside(at);
            let sleep = match is_inner {
                true => Vec::new(),
                false => self.asleep_at(at),
            };
            self.nodes[at].is_inner = is_inner;
            self.nodes[at].sleep = sleep;
        }
    }

    /// The sleepers of a point that the unit performed right before does not wake.
    fn asleep_at(&self, at: usize) -> Vec<Sleeper> {
        let Some(last) = at.checked_sub(1) else {
            return Vec::new();
        };
        let section = self.sections.ending_at(last);
        let first = section.map_or(last, |section| section.first);
        let mut performed = Vec::new();
        add_accesses(&self.history, first, last, section, &mut performed);
        let sleepers = self.nodes[first].sleep.iter();
        sleepers
            .filter(|one| !one.footprint.depends_on(&performed))
            .cloned()
            .collect()
    }
}

impl Strategy for Odpor {
    fn begin(&mut self, _index: u64) -> Begin {
        let is_anew = self.sections.is_refuted;
        if is_anew {
            self.nodes.clear();
            self.opening.clear();
            self.sections.forget();
        } else if self.has_begun && !self.advance() {
            return Begin::Exhausted;
        }
        self.has_begun = true;
        self.depth = 0;
        self.asked = 0;
        self.subtree.clear();
        self.script.clear();
        self.names.reset();
        self.history.reset();
        self.sections.reset();
        match is_anew {
            true => Begin::Restart,
            false => Begin::Ready,
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let execution = view.execution();
        self.names.update(view.trace());
        self.history.extend(execution);
        let can_go_on = |task| view.eligible().contains(task);
        let inside = self.sections.insist(execution, &self.history, can_go_on);
        if self.sections.is_refuted {
            return Err(Stop::Cut);
        }
        if let Err(first) = inside {
            self.look_anew(first);
        }
        if self.depth == self.nodes.len() {
            let node = self.discover(view, inside.unwrap_or(None))?;
            self.nodes.push(node);
        }
        let is_end = self.depth + 1 == self.nodes.len();
        let node = &mut self.nodes[self.depth];
        let branch = &mut node.branches[0];
        self.depth += 1;
        self.asked = 0;
        if is_end && !node.is_inner {
            self.subtree = core::mem::take(&mut branch.children);
            self.script.clone_from(&branch.answers);
            self.script.reverse();
        }
        let task = self.names.task(branch.name);
        let task = task.filter(|&task| view.enabled().contains(task));
        let task = task.ok_or_else(|| diverged(view, branch.name))?;
        let (history, names) = (&self.history, &self.names);
        if !node.is_inner && self.sections.is_movable(execution, history, names, task) {
            self.sections.open(execution, history, names, task);
        }
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        if let Some(first) = self.nodes[..self.depth]
            .iter_mut()
            .rfind(|one| !one.is_inner)
        {
            first.has_questions = true;
        }
        let questions = match self.depth {
            0 => &mut self.opening,
            depth => &mut self.nodes[depth - 1].questions,
        };
        if self.asked == questions.len() {
            let options = question.answer_count();
            questions.push(Question {
                options,
                first: self.script.pop().unwrap_or(0).min(options - 1),
                tried: 0,
            });
        }
        self.asked += 1;
        Ok(questions[self.asked - 1].answer())
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        if matches!(execution.outcome(), Some(Outcome::Diverged(_))) {
            return Ok(false);
        }
        self.names.update(execution.trace());
        self.history.extend(execution);
        if let Some(first) = self.sections.check(execution, &self.history) {
            self.look_anew(first);
        }
        let history = &self.history;
        self.units
            .build(execution, history, &self.names, &self.sections);
        if execution.outcome() == Some(&Outcome::Cut) || self.sections.is_refuted {
            return Ok(false);
        }
        let units = &self.units;
        let races = Races {
            units,
            history,
            execution,
        };
        let answers_of = |unit: usize| {
            let unit = &units.all()[unit];
            let events = unit.first..=unit.last;
            events.flat_map(|event| races.answers(event)).collect()
        };
        for Reversal { first, sequence } in races.reversals() {
            let node = &mut self.nodes[units.all()[first].first];
            let name = units.all()[sequence[0]].name;
            if node.eligible.contains(&name) && !is_covered(units, &sequence, &node.sleep) {
                let mut others = node.branches.split_off(1);
                insert(units, &mut others, sequence, node.object_count, &answers_of);
                node.branches.append(&mut others);
            }
        }
        Ok(true)
    }

    fn watches(&self) -> bool {
        true
    }
}

/// Goes to the next answer of the last question that has one. `false` if there is none.
fn next_answer(questions: &mut Vec<Question>) -> bool {
    while let Some(question) = questions.last_mut() {
        question.tried += 1;
        if question.tried < question.options {
            return true;
        }
        questions.pop();
    }
    false
}

#[cold]
fn diverged(view: &View<'_>, name: u32) -> Stop {
    Stop::Diverged(Box::new(Divergence {
        step: view.trace().steps.len() as u64,
        expected: format!("the task named {name} to be able to go on"),
        found: format!("{} enabled tasks without it", view.enabled_count()),
    }))
}
