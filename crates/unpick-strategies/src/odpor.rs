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
//! lock races with the acquisition before it, not with the release. What a message touches depends on
//! the messages before it: a send that is moved is asked for what it touches there, not for what it
//! touched where it was seen. What else may differ there is not foreseen: where an event leads to and
//! whether it fails counts only where it sees the same, and whether a branch that is moved covers a
//! sequence is decided when it has been performed (`odpor/README.md`, 4). Next operations of tasks that
//! are blocked at the end take part in races. A failure ends an execution at once, so it depends on
//! everything. Questions that are not about tasks branch fully. A task that spins is not chosen while
//! others can go on, as in `dfs`.

mod buffers;
mod chains;
mod finding;
mod footprint;
mod kept;
mod levels;
mod movable;
mod notes;
mod objects;
mod outline;
mod path;
mod point;
mod question;
mod race;
mod sections;
mod share;
mod simulation;
mod sleep;
mod unit;
mod units;
mod wakeup;

use crate::names::Names;
use alloc::{boxed::Box, vec::Vec};
use kept::{Guide, Kept};
use objects::Objects;
use path::{Path, diverged};
use sections::Sections;
use units::Units;
use unpick_engine::{Begin, Execution, Findings, History, Relation, Stop, Strategy, View};
use unpick_trace::{Choice, Outcome, TaskId};
use wakeup::Branch;

/// Optimal dynamic partial order reduction.
#[derive(Clone)]
pub struct Odpor {
    path: Path,
    /// Events of this execution, and questions asked within the last of them.
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
    objects: Objects,
    has_begun: bool,
    /// Executions that were run, for a search that begins anew.
    kept: Kept,
    /// If one of them is performed again: what is to happen.
    guide: Guide,
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
            path: Path::default(),
            depth: 0,
            asked: 0,
            subtree: Vec::new(),
            script: Vec::new(),
            names: Names::default(),
            history: History::new(&[Relation::Lazy]),
            units: Units::default(),
            sections: Sections::new(are_moved),
            objects: Objects::default(),
            has_begun: false,
            kept: Kept::new(are_moved),
            guide: Guide::default(),
        }
    }

    /// Whether executions have to be recorded, since the search may begin anew.
    pub(crate) fn keeps(&self) -> bool {
        self.kept.is_active()
    }
}

impl Strategy for Odpor {
    fn begin(&mut self, _index: u64) -> Begin {
        loop {
            let is_anew = self.sections.is_refuted;
            if is_anew {
                self.path.clear();
                self.sections.forget();
                self.kept.release();
            } else if self.has_begun {
                let begin = self.advance();
                if begin != Begin::Ready {
                    return begin;
                }
            }
            self.has_begun = true;
            if self.reuse() {
                continue;
            }
            self.prepare();
            return match is_anew && !self.keeps() {
                true => Begin::Restart,
                false => Begin::Ready,
            };
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let execution = view.execution();
        let inside = self.take_note(view);
        if self.sections.is_refuted && !self.keeps() {
            return Err(Stop::Cut);
        }
        if let Err(from) = inside {
            self.path
                .look_anew(from, &self.history, &self.sections, &self.objects);
        }
        if self.depth == self.path.nodes.len() {
            self.discover(view, inside.unwrap_or(None))?;
        }
        let is_end = self.depth + 1 == self.path.nodes.len();
        let node = &mut self.path.nodes[self.depth];
        node.is_begun = true;
        let branch = &mut node.branches[0];
        let guided = self.guide.events.get(self.depth);
        if guided.is_some_and(|guided| guided.name != branch.name) {
            return Err(Stop::Cut);
        }
        self.depth += 1;
        self.asked = 0;
        let task = self.names.task(branch.name);
        let task = task.filter(|&task| view.enabled().contains(task));
        let task = task.ok_or_else(|| diverged(view, branch.name))?;
        let key = self.objects.point(&self.history, &self.names, task);
        let is_section = !node.is_inner && self.sections.is_movable(execution, key, task);
        if is_end && !node.is_inner {
            self.subtree = branch.follow(is_section);
            self.script.clone_from(&branch.answers);
            self.script.reverse();
        }
        if is_section {
            self.sections.open(execution, &self.history, key, task);
        }
        Ok(task)
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        let guided = self.guide.answer(self.depth, self.asked);
        let script = &mut self.script;
        let first = || guided.or_else(|| script.pop()).unwrap_or(0);
        let options = question.answer_count();
        self.asked += 1;
        Ok(self.path.answer(self.depth, self.asked - 1, options, first))
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        if matches!(execution.outcome(), Some(Outcome::Diverged(_))) {
            return Ok(false);
        }
        let counts = self.look_at(execution);
        if self.keeps() && counts {
            self.kept.add(execution, &self.history);
        }
        Ok(counts)
    }

    fn watches(&self) -> bool {
        true
    }

    fn leave(&mut self) -> Option<Findings> {
        Some(Box::new(self.found()?))
    }

    fn receive(&mut self, findings: Findings) {
        self.path.share.findings = findings.downcast().ok().map(|found| *found);
    }
}
