//! A search as a chain of parts, so that workers can share it.
//!
//! A reduction finds out what to explore at a point while it explores what lies below. So the end of
//! what it has left cannot simply be given away: it is not known yet. But the points of a path can
//! have different owners. A part that is divided keeps the branch that it explores at its shallowest
//! open point, and the part behind it gets the point, the other branches and all points above. What a
//! part would add to a point that it does not own it notes, and leaves to the part behind it when it
//! is exhausted; that one takes it in when it would otherwise leave the point for good.
//!
//! A search divides itself after a certain number of executions, whether anybody wants a part or
//! not, and runs the parts one after the other. So what it runs does not depend on who runs which of
//! them when: `split` only cuts the chain between two parts.

use alloc::{boxed::Box, vec::Vec};
use unpick_engine::{Begin, Execution, Findings, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Executions of a part between two divisions, unless told otherwise.
const INTERVAL: u64 = 64;

/// A search that can be a part of a larger one.
pub(crate) trait Part: Strategy + Clone + 'static {
    /// Gives the shallowest open point, without the branch that is being explored there, and
    /// everything above it to a part that comes behind this one. Called between two executions.
    fn divide(&mut self) -> Option<Self>;

    /// As [`Part::divide`], for parts that never tell each other anything: whatever could be found
    /// out to be necessary at the point is done there.
    fn detach(&mut self) -> Option<Self>;

    /// How many executions a division should be worth.
    fn weight(&self) -> u64;
}

/// What a part has to do with the part before and the part behind it. Places of the path are counted
/// from the first one.
#[derive(Clone)]
pub(crate) struct Share<F> {
    /// Places before this one belong to parts behind.
    pub base: usize,
    /// At places before this one the part before may want more.
    pub shared: usize,
    /// Whether the part before has yet to tell what it has found.
    pub awaits: bool,
    /// What it has found, until it is taken in.
    pub findings: Option<F>,
    /// Whether the branches of the last place are done, and only findings can add to them.
    pub is_stuck: bool,
    /// Whether somebody behind wants to know what this part finds.
    pub is_heard: bool,
}

impl<F> Default for Share<F> {
    fn default() -> Share<F> {
        Share {
            base: 0,
            shared: 0,
            awaits: false,
            findings: None,
            is_stuck: false,
            is_heard: false,
        }
    }
}

impl<F> Share<F> {
    /// Divides at a place; answers the share of the part behind.
    pub fn divide(&mut self, place: usize) -> Share<F> {
        let behind = Share {
            base: self.base,
            shared: place + 1,
            awaits: true,
            is_heard: self.is_heard,
            ..Share::default()
        };
        self.base = place + 1;
        self.is_heard = true;
        behind
    }

    /// Divides at a place where everything is done, so that nobody has to be told.
    pub fn sever(&mut self, place: usize) -> Share<F> {
        let behind = Share {
            shared: 0,
            awaits: false,
            ..self.divide(place)
        };
        self.is_heard = false;
        behind
    }

    /// Whether a place that is done must not be left before the part before is done, too.
    pub fn holds(&self, place: usize) -> bool {
        self.awaits && place < self.shared
    }
}

/// A search in parts, which are run one after the other.
#[derive(Clone)]
pub(crate) struct Chain<P> {
    current: P,
    /// The other parts, last first.
    later: Vec<P>,
    /// Executions of a part between two divisions, at least.
    interval: u64,
    /// Executions of the current part since it was divided.
    executions: u64,
    /// Whether the current part has run at all.
    has_run: bool,
}

impl<P: Part> Chain<P> {
    /// A search that is divided after so many executions.
    pub fn new(whole: P, interval: Option<u64>) -> Chain<P> {
        Chain {
            current: whole,
            later: Vec::new(),
            interval: interval.unwrap_or(INTERVAL),
            executions: 0,
            has_run: false,
        }
    }

    fn boxed(&self, current: P, later: Vec<P>) -> Box<dyn Strategy> {
        Box::new(Chain {
            current,
            later,
            interval: self.interval,
            executions: 0,
            has_run: false,
        })
    }
}

impl<P: Part> Strategy for Chain<P> {
    fn begin(&mut self, index: u64) -> Begin {
        if self.executions >= self.interval.max(self.current.weight())
            && let Some(behind) = self.current.divide()
        {
            self.later.push(behind);
            self.executions = 0;
        }
        loop {
            let begin = self.current.begin(index);
            self.executions += u64::from(begin == Begin::Ready);
            self.has_run |= begin == Begin::Ready;
            if begin != Begin::Exhausted {
                return begin;
            }
            let Some(next) = self.later.pop() else {
                return begin;
            };
            let mut done = core::mem::replace(&mut self.current, next);
            if let Some(findings) = done.leave() {
                self.current.receive(findings);
            }
            self.executions = 0;
            self.has_run = false;
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        self.current.choose(view)
    }

    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        self.current.answer(view, question)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        self.current.end(execution)
    }

    fn watches(&self) -> bool {
        self.current.watches()
    }

    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        let next = self.later.pop()?;
        let rest = core::mem::take(&mut self.later);
        Some(self.boxed(next, rest))
    }

    fn sever(&mut self) -> Option<Box<dyn Strategy>> {
        // What a branch touches is known once it was run.
        if !self.later.is_empty() || !self.has_run {
            return None;
        }
        let behind = self.current.detach()?;
        Some(self.boxed(behind, Vec::new()))
    }

    fn leave(&mut self) -> Option<Findings> {
        self.current.leave()
    }

    fn receive(&mut self, findings: Findings) {
        self.current.receive(findings);
    }

    fn duplicate(&self) -> Option<Box<dyn Strategy>> {
        Some(Box::new(self.clone()))
    }
}
