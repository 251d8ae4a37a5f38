//! The search that dynamic partial-order reductions share: a path with what is still to be explored
//! at each of its points, and sleep sets.
//!
//! Knows nothing of races: its users tell at which event which task should have gone first. How it goes
//! on from one execution to the next is told in `share.rs`.

use super::share::Wanted;
use super::sleep::Sleeper;
use crate::dfs::{diverged, ended_early, is_diverged};
use crate::dpor::chain::Share;
use alloc::vec::Vec;
use unpick_engine::{Access, Execution, History, Relation, Stop, View, merge_access};
use unpick_trace::{Choice, Outcome, TaskId, TaskSet};

/// A place on the path where something was chosen.
#[derive(Clone)]
pub(super) enum Node {
    /// Which task goes on.
    Point(Point),
    /// A question within a transition.
    Question { options: u32, taken: u32 },
}

/// A scheduling point.
#[derive(Clone)]
pub(super) struct Point {
    last: TaskId,
    pub eligible: TaskSet,
    /// Tasks that go round in circles and are not eligible: to run them leads nowhere.
    spinning: TaskSet,
    pub backtrack: TaskSet,
    done: TaskSet,
    sleep: Vec<Sleeper>,
    chosen: TaskId,
    /// What the chosen transition touches, whatever the answers to its questions.
    footprint: Vec<Access>,
    pub is_last: bool,
    object_count: usize,
}

/// Where a search stands.
#[derive(Clone)]
pub(crate) struct Search {
    pub history: History,
    relation: Relation,
    pub(super) uses_sleep_sets: bool,
    pub(super) stack: Vec<Node>,
    /// Nodes met in this execution, and how many it follows.
    pub(super) depth: usize,
    pub(super) followed: usize,
    /// By event of this execution: its node.
    pub(super) nodes: Vec<usize>,
    pub(super) has_begun: bool,
    pub share: Share<Wanted>,
}

impl Search {
    pub fn new(relation: Relation, uses_sleep_sets: bool) -> Search {
        Search {
            history: History::new(&[relation]),
            relation,
            uses_sleep_sets,
            stack: Vec::new(),
            depth: 0,
            followed: 0,
            nodes: Vec::new(),
            has_begun: false,
            share: Share::default(),
        }
    }

    /// A search like this one, at its beginning.
    pub(super) fn anew(&self) -> Search {
        Search::new(self.relation, self.uses_sleep_sets)
    }

    /// Takes in the event that is over. Answers whether the prefix that ends with it is new.
    pub fn extend(&mut self, execution: &Execution) -> bool {
        self.history.extend(execution);
        let is_new = self.depth >= self.followed;
        let last = self.history.events().len().checked_sub(1);
        if let (Some(event), true) = (last, is_new) {
            let is_last = self.history.events()[event].is_last;
            let Node::Point(point) = &mut self.stack[self.nodes[event]] else {
                panic!("internal error: an event without a scheduling point");
            };
            point.is_last |= is_last;
            for access in self.history.accesses(event) {
                merge_access(&mut point.footprint, *access);
            }
        }
        is_new
    }

    /// Notes that `task` should be tried where the event was chosen: itself if it can run there,
    /// otherwise everything that can. If it sleeps there it will not be tried, so that what it races
    /// with in turn would not be found from there; everything is tried then, too.
    pub fn add_backtrack(&mut self, event: usize, task: TaskId) {
        let is_next_there = !matches!(self.history.last_of(task), Some(last) if last >= event);
        let Node::Point(point) = &mut self.stack[self.nodes[event]] else {
            panic!("internal error: an event without a scheduling point");
        };
        let sleeps = point.sleep.iter().any(|sleeper| sleeper.task == task)
            && !point.done.bits().contains(task);
        if point.eligible.bits().contains(task) && !sleeps {
            point.backtrack.insert(task);
        } else if !(is_next_there && point.spinning.bits().contains(task)) {
            point.backtrack.insert_all(point.eligible.bits());
        }
    }

    /// Follows the path, or extends it by the first task that is awake.
    pub fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let depth = self.depth;
        let chosen = match self.stack.get(depth) {
            Some(Node::Point(point)) if point.eligible.bits().iter().eq(view.eligible().iter()) => {
                point.chosen
            }
            Some(node) => {
                let expected = node.options();
                return Err(diverged(view, expected, view.eligible_count() as u32));
            }
            None => {
                let point = self.new_point(view).ok_or(Stop::Cut)?;
                let chosen = point.chosen;
                self.stack.push(Node::Point(point));
                chosen
            }
        };
        self.nodes.push(depth);
        self.depth += 1;
        Ok(chosen)
    }

    /// A point at the end of the path; none if every task that can run is asleep.
    fn new_point(&self, view: &View<'_>) -> Option<Point> {
        let mut sleep = Vec::new();
        if let Some(event) = self.history.events().len().checked_sub(1) {
            let Node::Point(before) = &self.stack[self.nodes[event]] else {
                panic!("internal error: an event without a scheduling point");
            };
            let accesses = self.history.accesses(event);
            let asleep = before.sleep.iter();
            sleep.extend(asleep.filter(|one| !one.is_woken_by(accesses)).cloned());
        }
        let is_awake = |task: &TaskId| !sleep.iter().any(|sleeper| sleeper.task == *task);
        let chosen = view.eligible().iter_from(view.last()).find(is_awake)?;
        let mut eligible = TaskSet::new();
        eligible.copy_from(view.eligible());
        let mut spinning = TaskSet::new();
        for task in view.enabled().iter() {
            let spins = view.yields(task) && !view.next_op(task).yields();
            if spins && !eligible.bits().contains(task) {
                spinning.insert(task);
            }
        }
        Some(Point {
            last: view.last(),
            eligible,
            spinning,
            backtrack: TaskSet::new(),
            done: TaskSet::new(),
            sleep,
            chosen,
            footprint: Vec::new(),
            is_last: false,
            object_count: view.trace().objects.len(),
        })
    }

    /// All answers are explored, the ordinary one first.
    pub fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        let found = question.answer_count();
        let taken = match self.stack.get(self.depth) {
            Some(Node::Question { options, taken }) if *options == found => *taken,
            Some(node) => return Err(diverged(view, node.options(), found)),
            None => {
                let (options, taken) = (found, 0);
                self.stack.push(Node::Question { options, taken });
                taken
            }
        };
        self.depth += 1;
        Ok(taken)
    }

    /// Whether an execution that has ended shows something: not one that was cut. An error if it
    /// ended before the path did.
    pub fn is_complete(&self, execution: &Execution) -> Result<bool, Stop> {
        if is_diverged(execution) || execution.outcome() == Some(&Outcome::Cut) {
            return Ok(false);
        }
        match self.stack.get(self.depth) {
            Some(node) => Err(ended_early(execution, node.options())),
            None => Ok(true),
        }
    }
}

impl Node {
    fn options(&self) -> u32 {
        match self {
            Node::Point(point) => point.eligible.bits().len() as u32,
            Node::Question { options, .. } => *options,
        }
    }
}

impl Point {
    /// Puts the chosen task to sleep.
    pub fn finish(&mut self, uses_sleep_sets: bool) {
        let accesses = core::mem::take(&mut self.footprint);
        if uses_sleep_sets {
            self.sleep.push(Sleeper {
                task: self.chosen,
                accesses,
                is_last: self.is_last,
                object_count: self.object_count,
            });
        }
        self.is_last = false;
        self.done.insert(self.chosen);
    }

    /// Chooses the next task that is wanted and awake.
    pub fn choose_next(&mut self) -> bool {
        let untried = self.untried(&self.backtrack);
        let next = untried.bits().iter_from(self.last).next();
        self.chosen = next.unwrap_or(self.chosen);
        next.is_some()
    }

    /// Whether some of these tasks are still to be tried after the chosen one.
    pub fn has_next(&self, tasks: &TaskSet) -> bool {
        let mut untried = self.untried(tasks);
        untried.remove(self.chosen);
        !untried.bits().is_empty()
    }

    /// Those of these tasks that are awake and were not tried.
    fn untried(&self, tasks: &TaskSet) -> TaskSet {
        let mut untried = tasks.clone();
        untried.remove_all(self.done.bits());
        for sleeper in &self.sleep {
            untried.remove(sleeper.task);
        }
        untried
    }
}
