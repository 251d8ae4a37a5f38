//! A point of the path, and how it is reached for the first time.

use super::Odpor;
use super::kept::Guided;
use super::question::Question;
use super::wakeup::{Branch, Sleeper};
use alloc::vec::Vec;
use unpick_engine::{Stop, View};
use unpick_trace::TaskId;

/// A point of the path.
#[derive(Clone)]
pub(super) struct Node {
    /// The tasks that could go on, by name.
    pub eligible: Vec<u32>,
    /// Units that need not be performed from here, those from the point before first.
    pub sleep: Vec<Sleeper>,
    /// How many of them are from the point before.
    pub inherited: usize,
    /// What is to be explored from here.
    pub branches: Vec<Branch>,
    /// Whether the first of them is being explored.
    pub is_begun: bool,
    /// The questions asked within the event that follows.
    pub questions: Vec<Question>,
    /// Objects known here.
    pub object_count: u32,
    /// Whether a question was asked within the unit that follows, so that what it touches may differ.
    pub has_questions: bool,
    /// Whether it lies within a unit.
    pub is_inner: bool,
}

impl Odpor {
    /// Adds a point that was not reached before. `inside` is the task that must go on, since it is
    /// within a section.
    pub(super) fn discover(&mut self, view: &View<'_>, inside: Option<TaskId>) -> Result<(), Stop> {
        let tasks = view.eligible().iter_from(view.last());
        let eligible: Vec<u32> = tasks.map(|task| self.names.name(task)).collect();
        let at = self.path.nodes.len();
        let mut sleep = Vec::new();
        let mut branches = Vec::new();
        let mut doubted = Vec::new();
        if let Some(task) = inside {
            branches.push(Branch::of(self.names.name(task)));
        } else {
            sleep = self
                .path
                .asleep_at(at, &self.history, &self.sections, &self.objects);
            let is_awake = |name: u32| sleep.iter().all(|one: &Sleeper| one.name != name);
            for branch in self.subtree.drain(..) {
                match eligible.contains(&branch.name) && is_awake(branch.name) {
                    true => branches.push(branch),
                    false => doubted.extend(branch.doubted),
                }
            }
        }
        self.path.nodes.push(Node {
            eligible,
            inherited: sleep.len(),
            sleep,
            branches,
            is_begun: false,
            questions: Vec::new(),
            object_count: view.trace().objects.len() as u32,
            has_questions: false,
            is_inner: inside.is_some(),
        });
        self.path.settle(at, doubted, &mut self.objects);
        let node = &mut self.path.nodes[at];
        if node.branches.is_empty() {
            let Some(name) = node.first_awake(self.guide.events.get(at)) else {
                self.path.nodes.pop();
                return Err(Stop::Cut);
            };
            node.branches.push(Branch::of(name));
        }
        Ok(())
    }
}

impl Node {
    /// The first task that is awake, or the one that is to go on if it is awake.
    fn first_awake(&self, guide: Option<&Guided>) -> Option<u32> {
        let is_awake = |name: u32| self.sleep.iter().all(|one| one.name != name);
        let is_wanted = |name: u32| guide.is_none_or(|guide| guide.name == name);
        let mut eligible = self.eligible.iter().copied();
        eligible.find(|&name| is_wanted(name) && is_awake(name))
    }
}
