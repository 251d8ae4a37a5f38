//! Tasks that wait for long, and executions that reach the step limit.
//!
//! *Long waits.* A strategy may ask for [fairness](crate::Strategy::is_fair). Then the engine looks from time
//! to time for a task that can run and has not run since it looked last. If there is one, the task that runs
//! counts as yielding: strategies prefer the others then (`fairness.rs`, [`View::yields`](crate::View::yields)).
//!
//! *The step limit.* The strategy leads an execution up to the limit only. From there on it goes on under a
//! fair schedule, its *tail*, up to [`Settings::patience`](crate::Settings::patience) times the limit. The tail
//! goes in rounds: each task that can run at the beginning of a round gets a turn, in random order and for a
//! random number of operations, or is no longer able to run when its turn comes. A task that yields or spins
//! gives up the rest of its turn. Random numbers follow from the schedule up to the limit, so that they are the
//! same for any number of workers. Strategies that follow a recorded execution lead the tail too.
//!
//! * An execution that ends in its tail was long. Its outcome is its outcome.
//! * It is a *livelock* if nothing in the program has changed in the last [`ROUNDS_MIN`] rounds or more when
//!   the tail ends: no task has changed the state of an object, and none was created or has ended. Every task
//!   that could run has run in each of these rounds, so the schedule is not to blame. Those that wait wait for
//!   a change. What a task computes by itself does not count: a loop that looks at something more often than
//!   the tail is long cannot be told from one that does so for ever.
//!   Before that time has passed: after every [`ROUNDS_MIN`] rounds without a change the clock jumps to the earliest
//!   deadline, as if no task could go on.
//! * Otherwise it is *inconclusive*: a server that serves for ever, or a program that needs longer. A tail in which one
//!   task alone can run has no other schedule, and goes on up to [`ALONE_MAX`] times as far.
//!
//! Nothing that happens in a tail is a point of a search: a search would never come back from there. So the
//! step limit is a proviso, and strategies that watch take an execution for over at the limit.

use super::Execution;
use crate::{Proviso, Strategy};
use alloc::{format, string::String, vec::Vec};
use unpick_trace::{Choice, Failure, FailureKind, ObjectId, Outcome, TaskBits, TaskId, TaskSet};

/// Operations between two looks for tasks that wait. More than ordinary executions have, so that these are
/// as they are without fairness.
const WAIT_MAX: u64 = 1_024;

/// Rounds without a change that make a livelock.
const ROUNDS_MIN: u64 = 100;

/// A turn in a tail has 2^0 to 2^6 operations.
const TURN_LOG_MAX: u64 = 6;

/// How many times as far a tail goes in which no second task can run, and one in which that task changes nothing but looks
/// at more than [`OBJECTS_MAX`] objects: to walk over many is not to wait.
const ALONE_MAX: u64 = 50;
const ALONE_UNCHANGED_MAX: u64 = 10;

/// Objects that a loop looks at that waits for a change.
const OBJECTS_MAX: usize = 16;

/// Which tasks have waited for long.
#[derive(Default)]
pub(super) struct Waits {
    is_wanted: bool,
    /// Operations of each task when the engine looked last.
    seen: Vec<u64>,
}

/// The part of an execution behind the step limit.
#[derive(Default)]
pub(super) struct Tail {
    pub is_active: bool,
    /// Whether more than one task could run at some point of it.
    is_contended: bool,
    /// Whether the execution was ended because it had no operation left.
    is_used_up: bool,
    /// Whether the execution counts, for a strategy that has looked at it at the limit.
    counts: Option<bool>,
    random: u64,
    /// The tasks without which the round is not over.
    awaited: TaskSet,
    /// Operations that are left of the turn.
    turn: u64,
    /// Rounds since something changed, and the epoch of that change.
    rounds: u64,
    epoch: u32,
    /// Objects that were looked at since then, up to one more than [`OBJECTS_MAX`].
    objects: Vec<ObjectId>,
}

impl Tail {
    /// A random number below `bound`. SplitMix64: G. Steele, D. Lea, C. Flood, *Fast splittable pseudorandom
    /// number generators*, OOPSLA 2014.
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.random;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        ((u128::from(word) * u128::from(bound)) >> 64) as u64
    }

    /// The task whose turn it is. `last` goes on if there is something left of its turn.
    fn choose(&mut self, last: Option<TaskId>, enabled: TaskBits<'_>) -> TaskId {
        if let Some(last) = last.filter(|_| self.turn > 0) {
            self.turn -= 1;
            return last;
        }
        self.awaited.retain_in(enabled);
        if self.awaited.bits().is_empty() {
            self.awaited.copy_from(enabled);
        }
        let count = self.awaited.bits().len() as u64;
        let chosen = self.below(count) as usize;
        self.turn = (1 << self.below(TURN_LOG_MAX + 1)) - 1;
        let task = self.awaited.bits().nth(chosen);
        task.expect("internal error: no task is enabled")
    }

    /// Notes that `task` goes on, chosen fairly or by the strategy. Answers whether [`ROUNDS_MIN`] more rounds are over
    /// in which nothing changed.
    fn note(&mut self, task: TaskId, enabled: TaskBits<'_>, epoch: u32) -> bool {
        self.awaited.remove(task);
        self.awaited.retain_in(enabled);
        if !self.awaited.bits().is_empty() {
            return false;
        }
        self.awaited.copy_from(enabled);
        self.rounds += 1;
        if self.epoch != epoch {
            self.epoch = epoch;
            self.rounds = 0;
            self.objects.clear();
        }
        self.rounds > 0 && self.rounds.is_multiple_of(ROUNDS_MIN)
    }
}

impl Execution {
    /// Asks for fairness to tasks that wait for long, from the next execution on.
    pub(crate) fn be_fair(&mut self, is_wanted: bool) {
        self.waits.is_wanted = is_wanted;
    }

    pub(super) fn reset_limits(&mut self) {
        self.waits.seen.clear();
        self.tail.is_active = false;
        self.tail.is_used_up = false;
        self.tail.counts = None;
        self.operation_limit = self.next_look();
    }

    /// The number of operations after which to look up next, before the step limit.
    fn next_look(&self) -> u64 {
        let limit = self.settings.steps_max;
        match self.waits.is_wanted {
            true => limit.min(self.operation_count + WAIT_MAX),
            false => limit,
        }
    }

    /// Whether the strategy has looked at the execution when it reached the step limit, and whether it
    /// counts as a schedule for it.
    pub(crate) fn counts_at_limit(&self) -> Option<bool> {
        self.tail.counts
    }

    /// Whether an execution that has performed as many operations as were asked for goes on. It may have
    /// been stopped otherwise.
    pub(super) fn goes_beyond<S: Strategy + ?Sized>(&mut self, strategy: &mut S) -> bool {
        if self.operation_count < self.operation_limit {
            true
        } else if self.operation_count < self.settings.steps_max {
            self.look_for_waits();
            true
        } else if self.tail.is_active {
            self.lengthen_tail()
        } else {
            self.operation_count < self.settings.operations_max() && self.begin_tail(strategy)
        }
    }

    /// Lets a tail go on in which one task alone could run. Answers whether it does.
    fn lengthen_tail(&mut self) -> bool {
        let length = self.settings.operations_max();
        let factor = match self.tail.rounds < ROUNDS_MIN {
            true => ALONE_MAX,
            false if self.tail.objects.len() > OBJECTS_MAX => ALONE_UNCHANGED_MAX,
            false => return false,
        };
        let is_short = self.operation_count < length.saturating_mul(factor);
        let goes_on = !self.tail.is_contended && is_short;
        if goes_on {
            self.operation_limit = self.operation_count + length;
        }
        goes_on
    }

    /// Has the running task yield if another one has waited since the last look.
    fn look_for_waits(&mut self) {
        self.operation_limit = self.next_look();
        let seen = &mut self.waits.seen;
        let known = seen.len();
        seen.resize(self.trace.tasks.len(), 0);
        let mut is_waiting = false;
        for (index, seen) in seen.iter_mut().enumerate() {
            let operations = self.tasks[index].operations;
            let can_run = self.enabled.bits().contains(TaskId(index as u32));
            is_waiting |= index < known && can_run && *seen == operations;
            *seen = operations;
        }
        if is_waiting && self.enabled.bits().contains(self.last) {
            self.tasks[self.last.index()].gives_way = true;
            self.last_yields = true;
            self.is_plain = false;
        }
    }

    /// Goes on behind the step limit. A strategy that watches looks at the execution here, as one that is
    /// over, and never learns of the rest. Answers whether the execution goes on.
    fn begin_tail<S: Strategy + ?Sized>(&mut self, strategy: &mut S) -> bool {
        self.assume(Proviso::StepLimit);
        if strategy.watches() && !strategy.leads_on(&self.view()) {
            self.outcome = Some(Outcome::StepLimit {
                limit: self.settings.steps_max,
            });
            let counts = strategy.end(self);
            self.outcome = None;
            match counts {
                Ok(counts) => self.tail.counts = Some(counts),
                Err(stop) => {
                    self.stop(stop);
                    return false;
                }
            }
            self.keep_calls(false);
        }
        self.is_plain = false;
        self.operation_limit = self.settings.operations_max();
        self.tail.is_active = true;
        self.tail.is_contended = false;
        self.tail.objects.clear();
        self.tail.random = self.trace.hash();
        self.tail.turn = 0;
        self.tail.rounds = 0;
        self.tail.epoch = self.epoch;
        self.tail.awaited.copy_from(self.enabled.bits());
        true
    }

    /// The task that goes on in the tail, where the strategy does not lead it.
    pub(super) fn choose_fairly(&mut self) -> TaskId {
        let enabled = self.enabled.bits();
        let goes_on = enabled.contains(self.last) && !self.yields(self.last);
        self.tail.choose(goes_on.then_some(self.last), enabled)
    }

    /// The answer to a question in the tail, where the strategy does not lead it.
    pub(super) fn answer_fairly(&mut self, question: Choice) -> u32 {
        self.tail.below(question.answer_count().into()) as u32
    }

    /// Notes that a task goes on in the tail. Tasks that only wait for a change in a loop do not hold up the clock for ever.
    pub(super) fn note_tail(&mut self, task: TaskId) {
        self.tail.is_contended |= self.enabled_count > 1;
        let object = self.tasks[task.index()].op.object;
        if self.tail.objects.len() <= OBJECTS_MAX && !self.tail.objects.contains(&object) {
            self.tail.objects.push(object);
        }
        if self.tail.note(task, self.enabled.bits(), self.epoch) {
            self.let_time_pass();
        }
    }

    /// Whether the execution has come to its last operation and not to its end, whatever it counts as.
    pub(crate) fn is_endless(&self) -> bool {
        let is_stopped = matches!(self.outcome, Some(Outcome::Cut | Outcome::Diverged(_)));
        self.tail.is_used_up && !is_stopped
    }

    /// The outcome of an execution that has come to its last operation, and not to its end.
    #[cold]
    pub(super) fn end_at_limit(&mut self) {
        let limit = self.operation_count;
        self.assume(Proviso::StepLimit);
        self.tail.is_used_up = true;
        let is_livelock = self.tail.is_active && self.tail.rounds >= ROUNDS_MIN;
        self.outcome = Some(if is_livelock {
            let message =
                "livelock: nothing changes any more, although every task that can run does so";
            self.endless(FailureKind::Livelock, message.into())
        } else if self.settings.fail_on_limit {
            let message = format!("not at its end after {limit} steps");
            self.endless(FailureKind::StepLimit, message)
        } else {
            Outcome::StepLimit { limit }
        });
    }

    /// Without a place: which task happens to be the last says nothing.
    fn endless(&self, kind: FailureKind, message: String) -> Outcome {
        Outcome::Fail(Failure {
            kind,
            task: self.last,
            message,
            site: None,
        })
    }
}
