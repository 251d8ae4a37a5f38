//! `dfs`: every schedule, depth first.
//!
//! P. Thomson, *Practical systematic concurrency testing for concurrent and distributed software*,
//! PhD thesis, Imperial College London, 2016, section 3.2.1; P. Godefroid, *Model checking for
//! programming languages using VeriSoft*, POPL 1997.
//!
//! ```text
//! explore(S): for t in order(enabled(state(S))): explore(S·<t>)
//! ```
//!
//! The tree is discovered on the fly: to backtrack is to run again, follow the stored branches, take
//! the next one, and from there always the first. The order of branches is the order of creation,
//! starting at the task that ran last and wrapping round, so the first schedule is the
//! non-preemptive round-robin one.
//!
//! *Departures from the paper.* Points with one option are not stored. The task that
//! ran last is left out if it is about to yield and others are enabled, as in the thesis, and in addition scheduling is fair
//! to tasks that a circle of yielding ones would starve, so that the search ends on programs that
//! spin.

use alloc::{boxed::Box, format, string::String, vec::Vec};
use unpick_engine::{Begin, Execution, Stop, Strategy, View, portion_of};
use unpick_trace::{Choice, Divergence, Outcome, TaskBits, TaskId};

/// A point of the current path with more than one option.
#[derive(Clone, Copy)]
struct Node {
    options: u32,
    taken: u32,
    /// The branches from here on belong to another part of the search.
    end: u32,
    /// The task that the taken branch runs, once an execution has been here.
    task: Option<TaskId>,
}

impl Node {
    /// Branches of this search that follow the taken one.
    fn open_count(&self) -> u32 {
        self.end - self.taken - 1
    }
}

/// Depth-first search.
#[derive(Clone, Default)]
pub struct Dfs {
    stack: Vec<Node>,
    depth: usize,
    has_begun: bool,
}

impl Dfs {
    /// A search at its beginning.
    pub fn new() -> Dfs {
        Dfs::default()
    }

    /// The task to run at a point that an execution has been to in the same way: nearly all points of an
    /// execution.
    #[inline(always)]
    fn task_known(&mut self, options: u32, eligible: TaskBits<'_>) -> Option<TaskId> {
        let node = self.stack.get(self.depth)?;
        let task = node.task.filter(|_| node.options == options)?;
        eligible.contains(task).then(|| {
            self.depth += 1;
            task
        })
    }

    /// The task to run at any other point.
    #[inline(never)]
    fn task_at(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let branch = self.branch(view.eligible_count() as u32, view)?;
        let task = nth_from(view.eligible(), view.last(), branch);
        if let Some(node) = self.stack.get_mut(self.depth - 1) {
            node.task = Some(task);
        }
        Ok(task)
    }

    fn branch(&mut self, options: u32, view: &View<'_>) -> Result<u32, Stop> {
        if options == 1 {
            return Ok(0);
        }
        let taken = match self.stack.get(self.depth) {
            Some(node) if node.options != options => {
                return Err(diverged(view, node.options, options));
            }
            Some(node) => node.taken,
            None => self.grow(options),
        };
        self.depth += 1;
        Ok(taken)
    }

    /// Comes to a point for the first time.
    fn grow(&mut self, options: u32) -> u32 {
        self.stack.push(Node {
            options,
            taken: 0,
            end: options,
            task: None,
        });
        0
    }
}

impl Strategy for Dfs {
    fn begin(&mut self, _index: u64) -> Begin {
        self.depth = 0;
        if !self.has_begun {
            self.has_begun = true;
            return Begin::Ready;
        }
        while let Some(top) = self.stack.last_mut() {
            top.taken += 1;
            top.task = None;
            if top.taken < top.end {
                return Begin::Ready;
            }
            self.stack.pop();
        }
        Begin::Exhausted
    }

    #[inline(always)]
    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let (eligible, options) = (view.eligible(), view.eligible_count() as u32);
        if options == 1 {
            return Ok(nth_from(eligible, view.last(), 0));
        }
        match self.task_known(options, eligible) {
            Some(task) => Ok(task),
            None => self.task_at(view),
        }
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.branch(question.answer_count(), view)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        match self.stack.get(self.depth) {
            Some(node) if !is_diverged(execution) => Err(ended_early(execution, node.options)),
            _ => Ok(true),
        }
    }

    fn portion(&mut self) -> Option<u64> {
        let way = &self.stack[..self.depth];
        Some(portion_of(way.iter().map(|node| node.options)))
    }

    /// The shallowest open point comes last in the order of the search: half of its open branches
    /// go.
    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let open: u32 = self.stack.iter().map(Node::open_count).sum();
        if open + u32::from(!self.has_begun) < 2 {
            return None;
        }
        let depth = self.stack.iter().position(|node| node.open_count() > 0)?;
        let mut stack = self.stack[..=depth].to_vec();
        let node = &mut self.stack[depth];
        node.end -= node.open_count().div_ceil(2);
        stack[depth].taken = node.end;
        stack[depth].task = None;
        Some(Box::new(Dfs {
            stack,
            depth: 0,
            has_begun: false,
        }))
    }

    fn duplicate(&self) -> Option<Box<dyn Strategy>> {
        Some(Box::new(self.clone()))
    }
}

/// Branch number `branch` in the order of the searches: creation order from `last` on, wrapping.
#[inline]
pub(crate) fn nth_from(eligible: TaskBits<'_>, last: TaskId, branch: u32) -> TaskId {
    eligible
        .nth_from(last, branch as usize)
        .expect("internal error: a branch beyond the options")
}

/// Whether the divergence has been noticed already.
pub(crate) fn is_diverged(execution: &Execution) -> bool {
    matches!(execution.outcome(), Some(Outcome::Diverged(_)))
}

/// The program ended where it offered several options under the same choices before.
#[cold]
pub(crate) fn ended_early(execution: &Execution, expected: u32) -> Stop {
    Stop::Diverged(Box::new(Divergence {
        step: execution.trace().steps.len() as u64,
        expected: format!("{expected} options"),
        found: String::from("the end of the execution"),
    }))
}

/// The program offered another number of options than it did under the same choices before.
#[cold]
pub(crate) fn diverged(view: &View<'_>, expected: u32, found: u32) -> Stop {
    let options =
        |count: u32| -> String { format!("{count} option{}", if count == 1 { "" } else { "s" }) };
    Stop::Diverged(Box::new(Divergence {
        step: view.trace().steps.len() as u64,
        expected: options(expected),
        found: options(found),
    }))
}
