//! The interface of every exploration technique.

use crate::{Execution, Provisos, View, Warning};
use alloc::{boxed::Box, collections::BTreeMap, vec::Vec};
use core::{any::Any, panic::Location};
use serde::{Deserialize, Serialize};
use unpick_trace::{Choice, Divergence, Op, TaskId};

/// Whether there is another execution to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Run it.
    Ready,
    /// Run it; the search begins anew, and the schedules so far do not count.
    Restart,
    /// The search space is exhausted.
    Exhausted,
    /// Everything within the bound at hand was run, and something beyond it was skipped. The loop
    /// calls [`Strategy::raise_bound`] before it begins another execution.
    BoundDone,
    /// Nothing can be run before [`Strategy::receive`] has told what the search before this one has
    /// found. Never answered by a search that was not given away by [`Strategy::split`].
    Waiting,
    /// The technique ends by its own rule, with parts of the space left.
    Stopped,
}

/// What a search that is exhausted leaves to the one behind it; only the technique knows what it is.
pub type Findings = Box<dyn Any + Send>;

/// A part of a round: executions, and the search that runs them.
pub struct Round {
    /// How many.
    pub executions: u64,
    /// Runs them, and is exhausted then.
    pub strategy: Box<dyn Strategy>,
}

/// Why a strategy ends an execution before the program does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Going on cannot show anything new.
    Cut,
    /// The program does not do what it did before under the same schedule.
    Diverged(Box<Divergence>),
}

/// What earlier executions have shown of the size of the program.
///
/// Maxima, and what cannot differ, so that profiles of parts can be merged in any order. The loop hands a profile to
/// the strategy after executions 1, 2, 4, 8, …: what an execution does then depends on its number
/// alone, however many workers share the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Most tasks in one execution.
    pub tasks_max: u32,
    /// Most steps in one execution, counted from the first point with two enabled tasks.
    pub contended_steps_max: u64,
    /// Most steps in one execution, of those that a strategy counts; filled by strategies that ask for it.
    pub chosen_steps_max: u64,
    /// Most operations of each task, by task number.
    pub operations_max: Vec<u64>,
    /// The task that created each task, by task number; the lowest seen.
    pub parents: Vec<TaskId>,
    /// Most operations and most writes of each task on each object, by task and object number;
    /// filled by strategies that ask for it.
    pub accesses_max: Vec<Vec<(u64, u64)>>,
    /// What single executions have shown, by their numbers; filled by strategies that ask for it.
    pub samples: BTreeMap<u64, Sample>,
}

/// What one execution has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// A hash of the order of its operations.
    pub history: u64,
    /// How many options there were where there were several, as far as they were noted.
    pub options: Vec<u16>,
    /// What the execution assumed.
    pub provisos: Provisos,
}

impl Profile {
    /// Joins what another worker has seen.
    pub fn merge(&mut self, other: &Profile) {
        self.tasks_max = self.tasks_max.max(other.tasks_max);
        self.contended_steps_max = self.contended_steps_max.max(other.contended_steps_max);
        self.chosen_steps_max = self.chosen_steps_max.max(other.chosen_steps_max);
        for (index, &count) in other.operations_max.iter().enumerate() {
            match self.operations_max.get_mut(index) {
                Some(mine) => *mine = (*mine).max(count),
                None => self.operations_max.push(count),
            }
        }
        for (index, &parent) in other.parents.iter().enumerate() {
            match self.parents.get_mut(index) {
                Some(mine) => *mine = (*mine).min(parent),
                None => self.parents.push(parent),
            }
        }
        self.merge_accesses(&other.accesses_max);
        for (&index, sample) in &other.samples {
            let samples = &mut self.samples;
            samples.entry(index).or_insert_with(|| sample.clone());
        }
    }

    /// Joins counts of operations and writes by task and object.
    pub fn merge_accesses(&mut self, other: &[Vec<(u64, u64)>]) {
        if self.accesses_max.len() < other.len() {
            self.accesses_max.resize(other.len(), Vec::new());
        }
        for (mine, theirs) in self.accesses_max.iter_mut().zip(other) {
            if mine.len() < theirs.len() {
                mine.resize(theirs.len(), (0, 0));
            }
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine = (mine.0.max(theirs.0), mine.1.max(theirs.1));
            }
        }
    }
}

/// What a technique that plans between executions has done for that.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Planning {
    /// Schedules it has found to begin executions with.
    pub seeds: u64,
    /// Questions about traces it has asked.
    pub queries: u64,
    /// Those that were answered yes.
    pub sat: u64,
    /// Those that were answered no; of the rest nothing is known.
    pub unsat: u64,
    /// Constraints that it took.
    pub constraints: u64,
    /// Time that it took. Plans that differ in nothing else are equal.
    pub nanoseconds: u64,
}

impl PartialEq for Planning {
    fn eq(&self, other: &Planning) -> bool {
        let counts = |one: &Planning| (one.seeds, one.queries, one.sat, one.unsat, one.constraints);
        counts(self) == counts(other)
    }
}

impl Eq for Planning {}

impl Planning {
    /// Adds what was done elsewhere.
    pub fn merge(&mut self, other: &Planning) {
        self.seeds += other.seeds;
        self.queries += other.queries;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.constraints += other.constraints;
        self.nanoseconds += other.nanoseconds;
    }
}

/// An exploration technique.
///
/// It sees the enabled set, the next operation of every task and the trace so far, and answers which
/// task goes on. It does not see the program, and it is called at every step, so it must be quick.
pub trait Strategy: Send {
    /// Prepares execution number `index`, from 0.
    fn begin(&mut self, index: u64) -> Begin;

    /// Which enabled task performs its next operation. There is at least one.
    fn choose(&mut self, view: &View<'_>) -> Result<TaskId, Stop>;

    /// Answers a question that is not about tasks, with a number below
    /// [`Choice::answer_count`]; zero is the ordinary course of things.
    fn answer(&mut self, view: &View<'_>, question: Choice) -> Result<u32, Stop>;

    /// Takes in the next operation of the running task, lets this strategy choose who goes on, and
    /// performs the operation of that task. Answers the handle of that task, or the one of the end if the
    /// execution is over.
    ///
    /// Not to be written anew, unless to hand it on to another strategy: it stands here so that every
    /// technique has the path of a step to itself, with [`Strategy::choose`] inlined into it, and a step
    /// makes one virtual call.
    fn advance(
        &mut self,
        execution: &mut Execution,
        op: Op,
        location: &'static Location<'static>,
    ) -> usize {
        execution.advance(op, location, self)
    }

    /// Ends the running task, and goes on as [`Strategy::advance`]. Not to be written anew either.
    fn advance_past_end(&mut self, execution: &mut Execution) -> usize {
        execution.advance_past_end(self)
    }

    /// Whether this strategy still decides what happens behind the step limit. One that follows a recorded
    /// execution does, as far as the record goes. Otherwise the execution goes on under a fair schedule.
    fn leads_on(&mut self, view: &View<'_>) -> bool {
        let _ = view;
        false
    }

    /// Whether a task that keeps another one waiting for long, although that one could run, is to be taken
    /// for one that yields.
    fn is_fair(&self) -> bool {
        false
    }

    /// Looks at a finished execution. `Ok(false)` means that it does not count as a schedule.
    fn end(&mut self, execution: &Execution) -> Result<bool, Stop> {
        let _ = execution;
        Ok(true)
    }

    /// Whether this strategy wants the effects of transitions noted, as [`History`](crate::History)
    /// needs them. One that does takes an execution that reaches the step limit for finished there.
    fn watches(&self) -> bool {
        false
    }

    /// Whether this strategy wants to [perform](crate::Recording::perform) executions again. Those that
    /// say so have to watch, too.
    fn records(&self) -> bool {
        false
    }

    /// Whether this strategy uses a profile. If not, none is kept.
    fn learns(&self) -> bool {
        false
    }

    /// Adds to the profile what this strategy wants to learn besides the sizes.
    fn measure(&self, execution: &Execution, profile: &mut Profile) {
        let _ = (execution, profile);
    }

    /// Takes note of the size of the program.
    fn learn(&mut self, profile: &Profile) {
        let _ = profile;
    }

    /// What the user should know about the results, so far.
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }

    /// What the technique itself has assumed so far, besides what executions report.
    fn provisos(&self) -> Provisos {
        Provisos::NONE
    }

    /// Which of several techniques leads the execution at hand, for a strategy that has several.
    fn member(&self) -> Option<&'static str> {
        None
    }

    /// The part of [`TREE`](crate::TREE) that is done by the execution that has ended, for techniques that
    /// walk a tree: see [`Coverage`](crate::Coverage). Asked for after each execution or never; the answers
    /// of a whole search add up to the whole tree, but for what is rounded off, whatever its parts are.
    fn portion(&mut self) -> Option<u64> {
        None
    }

    /// What was done between executions since this was asked last, for techniques that plan there.
    fn take_planning(&mut self) -> Option<Planning> {
        None
    }

    /// Whether this technique goes in [rounds](Strategy::round).
    fn goes_in_rounds(&self) -> bool {
        false
    }

    /// For techniques that go in rounds, whose executions are known when a round begins: those of the round
    /// at hand, as at most `parts` searches that run them in order, each for itself. None of them if the
    /// search is exhausted. What they [leave](Strategy::leave) is to be [received](Strategy::receive), in
    /// order, before the next round.
    fn round(&mut self, parts: usize) -> Vec<Round> {
        let _ = parts;
        Vec::new()
    }

    /// The bound at hand, for techniques that iterate over one.
    fn bound(&self) -> Option<u32> {
        None
    }

    /// Goes on to the next bound, after [`Begin::BoundDone`]. `failures` is the number of failing
    /// schedules of the whole exploration so far. `false` ends it by the technique's own rule. The
    /// answer depends on the bound and on `failures` alone.
    fn raise_bound(&mut self, failures: u64) -> bool {
        let _ = failures;
        false
    }

    /// Gives away the end of what is left to run, as a search of its own; `None` if there is too
    /// little of it, or if this technique cannot be split. Called between two executions only.
    ///
    /// This search followed by the one given away runs exactly what this one would have run alone:
    /// the same executions in the same order, whatever either of them meets. Under a bound that
    /// holds for each bound, with this search first in each of them.
    ///
    /// What this search finds may add to what the other one has to run. So when this one is
    /// exhausted, what it [leaves](Strategy::leave) is handed to the one behind it, which
    /// [receives](Strategy::receive) it, and which may have to [wait](Begin::Waiting) for it.
    fn split(&mut self) -> Option<Box<dyn Strategy>> {
        None
    }

    /// Gives away the end of what is left to run to a search in another process, so that neither is
    /// ever told what the other one finds. A technique for which that makes a difference may run
    /// more than it would have run alone, and must not run less.
    fn sever(&mut self) -> Option<Box<dyn Strategy>> {
        self.split()
    }

    /// What this search, which is exhausted, leaves to the one behind it. Asked for once.
    fn leave(&mut self) -> Option<Findings> {
        None
    }

    /// Takes what the search before this one has left, between two executions.
    fn receive(&mut self, findings: Findings) {
        let _ = findings;
    }

    /// A copy that would run from here on what this search runs. A technique that can be split has
    /// to give one. Called between two executions only.
    fn duplicate(&self) -> Option<Box<dyn Strategy>> {
        None
    }
}
