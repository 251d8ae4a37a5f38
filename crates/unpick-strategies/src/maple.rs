//! `maple`: forces the idioms of interleaving that earlier executions have not shown.
//!
//! J. Yu, S. Narayanasamy, C. Pereira, G. Pokam, *Maple: a coverage-driven testing tool for multithreaded
//! programs*, OOPSLA 2012.
//!
//! ```text
//! profile: executions as they come, until several in a row show no new dependency between tasks
//! predict: from what the tasks did, the idioms (iRoots, five forms of one or two dependencies between two
//!          tasks) that might be possible, less those that were seen
//! test:    for each of them, executions that force it: a task that comes to an event too early waits
//!          what is seen and predicted there counts as well
//! end:     when nothing is left to test; what could not be forced a few times over is taken for impossible
//! ```
//!
//! *Departures from the paper.* Profiling is not uncontrolled, since nothing is here: a task goes on until it
//! blocks, with a few random switches. Events are operations of the model, told apart by their place in the
//! program and their kind; taking a lock counts as a write of it, and what a lock protects is no event of its own.
//! Two accesses of a task belong to one idiom if few others lie between them, not little time. A critical section
//! that an idiom would have to break rules it out; orders of creating and joining tasks are looked at between
//! ancestors only. Of each idiom a limited number is tested. Tasks that are held back are known by a rule, not by
//! priorities of the operating system.

mod idiom;
mod predict;
mod profile;
mod script;

use crate::{RandomSource, random::uniform};
use alloc::collections::BTreeSet;
use idiom::{IDIOMS, Root};
use profile::Seen;
use script::Script;
use unpick_engine::{Begin, Execution, Stop, Strategy, View};
use unpick_trace::{Choice, TaskId};

/// Executions in a row that show nothing new, before profiling ends.
const QUIET_MAX: u32 = 5;
/// Executions that try to force an idiom before it is given up.
const ATTEMPTS_MAX: u32 = 2;
/// Idioms of one form that are tested at most.
const TESTED_MAX: u32 = 250;
/// Where nothing is forced, one point in so many is a switch.
const POINTS_A_SWITCH: u64 = 16;

/// Tests idioms until none is left.
pub struct Maple {
    seed: u64,
    source: RandomSource,
    /// Executions in a row that have shown nothing new, as long as there is profiling.
    quiet: u32,
    is_profiling: bool,
    /// Idioms that were seen, forced or given up.
    done: BTreeSet<Root>,
    /// Idioms that might be possible.
    predicted: BTreeSet<Root>,
    /// Idioms of each form that were tested.
    tested: [u32; IDIOMS],
    /// What is forced in this execution, and how often it was tried before.
    script: Option<(Script, u32)>,
}

impl Maple {
    /// A search at its beginning.
    pub fn new(seed: u64) -> Maple {
        Maple {
            seed,
            source: RandomSource::for_execution(seed, 0),
            quiet: 0,
            is_profiling: true,
            done: BTreeSet::new(),
            predicted: BTreeSet::new(),
            tested: [0; IDIOMS],
            script: None,
        }
    }

    /// The next idiom to test: simple ones first.
    fn next_root(&mut self) -> Option<Root> {
        while let Some(root) = self.predicted.pop_first() {
            let tested = &mut self.tested[root.form()];
            if self.done.insert(root) && *tested < TESTED_MAX {
                *tested += 1;
                return Some(root);
            }
        }
        None
    }

    /// A task that goes on for a while.
    fn drift(&mut self, view: &View<'_>) -> TaskId {
        let last = view.last();
        let stays = view.enabled().contains(last) && !view.yields(last);
        match stays && !self.source.chance(1, POINTS_A_SWITCH) {
            true => last,
            false => uniform(view, &mut self.source),
        }
    }
}

impl Strategy for Maple {
    fn begin(&mut self, index: u64) -> Begin {
        self.source = RandomSource::for_execution(self.seed, index);
        if self.is_profiling {
            return Begin::Ready;
        }
        let again = match self.script.take() {
            Some((script, tries)) if !script.is_done() && tries < ATTEMPTS_MAX => {
                Some((Script::new(script.root()), tries + 1))
            }
            _ => None,
        };
        self.script = again.or_else(|| Some((Script::new(self.next_root()?), 1)));
        match self.script {
            Some(_) => Begin::Ready,
            None => Begin::Stopped,
        }
    }

    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop> {
        let forced = match &mut self.script {
            Some((script, _)) => script.choose(view, &mut self.source),
            None => None,
        };
        Ok(forced.unwrap_or_else(|| self.drift(view)))
    }

    fn answer(&mut self, _view: &View<'_>, question: Choice) -> Result<u32, Stop> {
        Ok(self.source.below(question.answer_count().into()) as u32)
    }

    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        let seen = Seen::of(execution.trace());
        let mut is_new = false;
        for root in seen.roots() {
            is_new |= self.done.insert(root);
        }
        for root in seen.predict() {
            if !self.done.contains(&root) {
                is_new |= self.predicted.insert(root);
            }
        }
        if self.is_profiling {
            self.quiet = if is_new { 0 } else { self.quiet + 1 };
            self.is_profiling = self.quiet < QUIET_MAX;
        }
        Ok(true)
    }
}
