//! Locks taken in orders that may lead to a deadlock, read out of an execution that had none.
//!
//! K. Havelund, *Using runtime analysis to guide model checking of Java programs*, SPIN 2000
//! (*Goodlock*); R. Agarwal, L. Wang, S. D. Stoller, *Detecting potential deadlocks with static
//! analysis and run-time monitoring*, HVC 2005, for any number of tasks. A task that takes lock `b`
//! while it holds lock `a` makes a *link* from `a` to `b`. Links of different tasks that close to a
//! ring are a possible deadlock, unless
//!
//! - two of the tasks hold a common lock meanwhile, a *gate*: they cannot be there at the same time;
//! - one of them has been there before the other one is created, or joins it (and so on): the same.
//!   Only the order of creating and joining counts, which no schedule can change;
//! - one wants to read what the other one reads.
//!
//! Attempts and operations with a time limit make no links, since they do not wait for ever, but what
//! they have taken is held. Mutexes and reader-writer locks are treated alike.
//!
//! Links are noted when they are made, which is off the path of all other steps; what creating and
//! joining order is worked out only if there is a ring. The memory is kept from execution to execution.

use crate::{
    Confirmation, Execution, Grant, Held, LockCycle, LockLink, Warning,
    warning::{LinkSites, add_warning, has_room_for_cycle},
};
use alloc::vec::Vec;
use core::ops::Range;
use unpick_trace::{OpKind, TaskId};

/// Links of one execution that are kept, at most.
const LINKS_MAX: usize = 128;

/// Links that the search for rings looks at in one execution, at most.
const SEARCH_MAX: u32 = 20_000;

/// Links of a ring, at most.
const RING_MAX: usize = 8;

impl Held {
    fn excludes(&self, other: &Held) -> bool {
        self.object == other.object && !(self.is_shared && other.is_shared)
    }
}

/// A task takes a lock while it holds another one.
struct Link {
    task: usize,
    /// What it holds that the link is about.
    from: Held,
    to: Held,
    /// The step in which it takes the lock.
    step: u32,
    /// How many tasks it had created and joined by then.
    era: u32,
    /// Where all that it holds is kept.
    held: Range<usize>,
}

/// The links of one execution, and what the search for rings uses.
#[derive(Default)]
pub(crate) struct LockOrder {
    links: Vec<Link>,
    /// Invariant: the ranges of the links.
    held: Vec<Held>,
    /// The links of the ring that is being built.
    path: Vec<usize>,
    looks: u32,
    /// By link and task, one more than the last step that certainly comes before. Empty until it is
    /// needed.
    clocks: Vec<u32>,
    /// The same by task, while the clocks of the links are worked out.
    now: Vec<u32>,
}

impl Execution {
    /// Notes that a task has just taken a lock that it might have waited for, and holds others.
    #[cold]
    pub(crate) fn note_nested_lock(&mut self, task: TaskId) {
        let slot = &self.tasks[task.index()];
        let Some((to, held)) = slot.held.split_last() else {
            return;
        };
        let era = slot.children + slot.joined;
        let step = self.operation_step() as u32;
        for from in held {
            let order = &mut self.lock_order;
            if from.object != to.object && order.links.len() < LINKS_MAX {
                order.add_link(task.index(), *from, *to, held, step, era);
            }
        }
    }

    /// Adds a warning for every cycle of locks that is not known yet.
    #[inline]
    pub(crate) fn judge_lock_order(&mut self, warnings: &mut Vec<Warning>) {
        if self.lock_order.links.len() > 1 {
            self.find_lock_cycles(warnings);
        }
    }

    #[cold]
    fn find_lock_cycles(&mut self, warnings: &mut Vec<Warning>) {
        let mut order = core::mem::take(&mut self.lock_order);
        order.search(self, warnings);
        self.lock_order = order;
    }
}

impl LockOrder {
    /// Prepares for another execution.
    #[inline]
    pub fn clear(&mut self) {
        self.links.clear();
        self.held.clear();
    }

    fn add_link(&mut self, task: usize, from: Held, to: Held, held: &[Held], step: u32, era: u32) {
        // What a task does twice between creating and joining others is the same to all of them.
        let is_known = self.links.iter().any(|link| {
            (link.task, link.era, link.from, link.to) == (task, era, from, to)
                && self.held[link.held.clone()] == *held
        });
        if is_known {
            return;
        }
        let start = self.held.len();
        self.held.extend_from_slice(held);
        self.links.push(Link {
            task,
            from,
            to,
            step,
            era,
            held: start..self.held.len(),
        });
    }

    /// Works out what comes before the links in every schedule.
    fn work_out_clocks(&mut self, execution: &Execution) {
        let width = execution.task_count();
        self.now.clear();
        self.now.resize(width * width, 0);
        let mut links = self.links.iter().peekable();
        let mut deviations = execution.deviations.iter().peekable();
        let mut created = 1;
        for (number, step) in execution.trace.steps.iter().enumerate() {
            let task = step.task.index();
            while links.next_if(|link| link.step as usize == number).is_some() {
                let clock = &self.now[task * width..][..width];
                self.clocks.extend_from_slice(clock);
            }
            let deviation = deviations.next_if(|(of, _)| *of as usize == number);
            if !step.is_operation() {
                continue;
            }
            if step.op.kind == OpKind::Spawn {
                self.now[task * width + task] = number as u32 + 1;
                let is_child = |child: &usize| execution.step_of_creation(*child) == number;
                while created < width && is_child(&created) {
                    self.now
                        .copy_within(task * width..(task + 1) * width, created * width);
                    created += 1;
                }
            } else if step.op.kind == OpKind::Join
                && deviation.is_none_or(|(_, grant)| *grant == Grant::Done)
                && let Some(TaskId(ended)) = execution.task_of(step.op.object)
            {
                let ended = ended as usize;
                for other in 0..width {
                    let theirs = self.now[ended * width + other];
                    let mine = &mut self.now[task * width + other];
                    *mine = (*mine).max(theirs);
                }
                self.now[task * width + ended] = number as u32;
            }
        }
    }

    /// Finds the rings. Each is begun with the first of its links, and so found once.
    fn search(&mut self, execution: &Execution, warnings: &mut Vec<Warning>) {
        self.clocks.clear();
        self.looks = 0;
        for first in 0..self.links.len() {
            self.path.push(first);
            self.extend(execution, warnings);
            self.path.pop();
        }
    }

    fn extend(&mut self, execution: &Execution, warnings: &mut Vec<Warning>) {
        let (first, last) = (self.path[0], self.path[self.path.len() - 1]);
        let is_closed = self.path.len() > 1 && self.waits_for(last, first);
        if is_closed {
            if self.clocks.is_empty() {
                self.work_out_clocks(execution);
            }
            if self.are_unordered(execution.task_count()) {
                self.report(execution, warnings);
            }
            return;
        }
        if self.path.len() == RING_MAX {
            return;
        }
        for next in first + 1..self.links.len() {
            self.looks += 1;
            if self.looks > SEARCH_MAX {
                return;
            }
            let is_next = self.waits_for(last, next)
                && self
                    .path
                    .iter()
                    .all(|&other| self.may_coincide(other, next));
            if is_next {
                self.path.push(next);
                self.extend(execution, warnings);
                self.path.pop();
            }
        }
    }

    /// Whether what one wants is what the other one holds.
    fn waits_for(&self, one: usize, other: usize) -> bool {
        self.links[one].to.excludes(&self.links[other].from)
    }

    /// Whether two tasks may stand there at the same time.
    fn may_coincide(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.links[one], &self.links[other]);
        let has_gate = self.held[one.held.clone()].iter().any(|lock| {
            let mut held = self.held[other.held.clone()].iter();
            held.any(|gate| gate.excludes(lock))
        });
        one.task != other.task && !has_gate
    }

    /// Whether no link of the ring comes before another one in every schedule.
    fn are_unordered(&self, width: usize) -> bool {
        self.path.iter().all(|&later| {
            let clock = &self.clocks[later * width..][..width];
            let mut earlier = self.path.iter().map(|&at| &self.links[at]);
            earlier.all(|link| link.task == self.links[later].task || clock[link.task] <= link.step)
        })
    }

    fn report(&self, execution: &Execution, warnings: &mut Vec<Warning>) {
        let trace = &execution.trace;
        let sites = |at: usize| -> LinkSites<'_> {
            let link = &self.links[self.path[at]];
            (trace.site(link.from.site), trace.site(link.to.site))
        };
        let mut cycles = warnings.iter().filter_map(|warning| warning.cycle.as_ref());
        if cycles.any(|known| known.is_same(self.path.len(), sites))
            || !has_room_for_cycle(warnings)
        {
            return;
        }
        let links = self.path.iter().map(|&at| {
            let Link { task, from, to, .. } = &self.links[at];
            let task = TaskId(*task as u32);
            LockLink {
                task,
                task_name: trace.task_name(task),
                held: trace.object_name(from.object),
                held_at: trace.site(from.site).cloned(),
                wanted: trace.object_name(to.object),
                wanted_at: trace.site(to.site).cloned(),
            }
        });
        let cycle = LockCycle {
            links: links.collect(),
            confirmation: Confirmation::NotTried,
        };
        add_warning(warnings, Warning::of_cycle(cycle));
    }
}
