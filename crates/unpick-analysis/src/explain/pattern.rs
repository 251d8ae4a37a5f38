//! Names for what causes look like together.

use super::overtaken::{is_overtaken, is_seen_first};
use super::{Cause, Event, Meaning, made_locks, serial};
use crate::shrink::Ended;
use unpick_trace::{Deadlock, FailureKind, ObjectId, OpKind, Outcome, TaskId};

/// A kind of concurrency bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Nothing orders two accesses to plain memory.
    DataRace,
    /// Memory is used that another task has freed.
    UseAfterFree,
    /// Tasks take locks in different orders, and wait for each other in a ring.
    LockOrder,
    /// A notification comes before the one that waits for it, or goes to another one.
    LostWakeUp,
    /// A task writes what it has worked out from a value that another one has changed meanwhile.
    LostUpdate,
    /// A task finds an old value again and takes it for proof that nothing has changed.
    Aba,
    /// What a task has found out is no longer so when it acts on it.
    CheckThenAct,
    /// A task sees what another one has done by half.
    HalfDone,
    /// The same, where the one works under a lock and the other one looks without taking it, because what it
    /// finds tells it that all is done.
    DoubleChecked,
    /// A task fails by a value that it has read and that another one has overwritten since; it has changed
    /// nothing in between.
    StaleRead,
    /// A task goes on before others see what it has stored, and the failure needs both.
    MissingFence,
    /// A task does something before another one has done what it relies on, or after that one has undone
    /// it.
    OrderViolation,
    /// Everything that was tried fails: the order of tasks is not the matter.
    EveryOrder,
}

impl Pattern {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::DataRace => "data race",
            Pattern::UseAfterFree => "use after free",
            Pattern::LockOrder => "locks taken in different orders",
            Pattern::LostWakeUp => "lost wake-up",
            Pattern::LostUpdate => "lost update",
            Pattern::Aba => "ABA",
            Pattern::CheckThenAct => "check-then-act",
            Pattern::HalfDone => "half-done update seen",
            Pattern::DoubleChecked => "double-checked locking",
            Pattern::StaleRead => "stale read",
            Pattern::MissingFence => "missing fence",
            Pattern::OrderViolation => "order violation",
            Pattern::EveryOrder => "fails in every order",
        }
    }
}

/// An operation of one task in between two of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intrusion {
    /// The operation before, as an index into [`Explanation::events`](super::Explanation::events).
    pub before: usize,
    /// The operation of the other task.
    pub between: usize,
    /// The operation after it, of the same task as the one before.
    pub after: usize,
}

/// What is known of a failing execution.
#[derive(Clone)]
pub(super) struct Known<'a> {
    pub failing: &'a Ended,
    pub events: &'a [Event],
    /// All of them, also those that follow from others.
    pub causes: Vec<Cause>,
    pub intrusions: Vec<Intrusion>,
    /// What tasks that had not ended would have changed, as far as executions that do not fail show.
    pub left_undone: &'a [(TaskId, ObjectId)],
    /// The locks that tasks take in executions that do not fail.
    pub locks_elsewhere: &'a [(TaskId, ObjectId)],
    /// How much an event means to the user.
    pub meaning: &'a dyn Fn(&Event) -> Meaning,
    /// Whether every schedule that was tried fails.
    pub is_inevitable: bool,
    /// Whether its intrusions only lie within those that were tried.
    pub is_wide: bool,
}

impl Known<'_> {
    /// How much the operations of a cause mean to the user.
    pub fn meaning_of(&self, cause: &Cause) -> Meaning {
        self.least([cause.first, cause.second])
    }

    /// What lies in the user's own code; if that is nothing, what no handle counts; if that is nothing either, what
    /// lies within intrusions into the counts of handles; else all. A library orders its tasks by counts and latches,
    /// and to turn those round may well keep a bug of the user from showing.
    fn own(&self) -> Known<'_> {
        let mut wider = self.clone();
        let within = self.intrusions.iter();
        let within = within.flat_map(|outer| serial::within(self.events, outer));
        wider.intrusions.extend(within);
        wider.is_wide = true;
        let wider = [(&wider, Meaning::Own), (&wider, Meaning::Library)];
        let levels = [(self, Meaning::Own), (self, Meaning::Library)];
        for (known, least) in levels.into_iter().chain(wider) {
            let mut known = known.clone();
            known
                .causes
                .retain(|cause| self.least([cause.first, cause.second]) >= least);
            known
                .intrusions
                .retain(|one| self.least([one.before, one.between, one.after]) >= least);
            if !known.causes.is_empty() || !known.intrusions.is_empty() {
                return known;
            }
        }
        self.clone()
    }

    /// How much these events mean, at least.
    fn least<const N: usize>(&self, events: [usize; N]) -> Meaning {
        let events = events.iter().map(|&index| &self.events[index]);
        let meanings = events.map(|event| (self.meaning)(event));
        meanings.min().unwrap_or(Meaning::Own)
    }
}

/// What an execution that fails for these causes is called, and the intrusion that shows it if one does.
pub(super) fn of(known: &Known<'_>) -> Option<(Pattern, Option<Intrusion>)> {
    let is_explained = !known.causes.is_empty() || !known.intrusions.is_empty();
    let by_causes = || is_explained.then(|| of_causes(&known.own()));
    match &known.failing.outcome {
        Outcome::Fail(failure) => match failure.kind {
            FailureKind::DataRace => Some((Pattern::DataRace, None)),
            FailureKind::UseAfterFree | FailureKind::InvalidFree => {
                let intrusion = by_causes().and_then(|(_, intrusion)| intrusion);
                Some((Pattern::UseAfterFree, intrusion))
            }
            _ if known.is_inevitable => Some((Pattern::EveryOrder, None)),
            _ => by_causes(),
        },
        _ if known.is_inevitable => Some((Pattern::EveryOrder, None)),
        Outcome::Deadlock(deadlock)
            if is_ring_of_locks(deadlock)
                || made_locks::are_in_a_ring(deadlock, &known.failing.trace) =>
        {
            Some((Pattern::LockOrder, None))
        }
        Outcome::Deadlock(deadlock) if is_notified_in_vain(deadlock, known.events) => {
            Some((Pattern::LostWakeUp, None))
        }
        _ => by_causes(),
    }
}

fn is_ring_of_locks(deadlock: &Deadlock) -> bool {
    let is_locking = |task| {
        let of_task = deadlock.blocked.iter().find(|blocked| blocked.task == task);
        of_task.is_some_and(|blocked| {
            let kind = blocked.op.kind;
            matches!(kind, OpKind::Lock | OpKind::ReadLock | OpKind::WriteLock)
        })
    };
    deadlock.cycle.len() > 1 && deadlock.cycle.iter().all(|&task| is_locking(task))
}

/// Whether somebody waits for a notification, and one was given.
fn is_notified_in_vain(deadlock: &Deadlock, events: &[Event]) -> bool {
    let mut waiting = deadlock.blocked.iter();
    waiting.any(|blocked| {
        let is_it = |event: &Event| event.notifies() && event.op.object == blocked.op.object;
        matches!(blocked.op.kind, OpKind::Wait | OpKind::Park) && events.iter().any(is_it)
    })
}

fn of_causes(known: &Known<'_>) -> (Pattern, Option<Intrusion>) {
    let is_unfenced = |cause: &Cause| is_overtaken(known, cause) || is_seen_first(known, cause);
    if known.causes.iter().any(is_unfenced) {
        return (Pattern::MissingFence, None);
    }
    let intrusions = known.intrusions.iter();
    let found: Vec<(Pattern, Intrusion)> = intrusions
        .filter_map(|intrusion| Some((of_intrusion(known.events, intrusion)?, *intrusion)))
        .collect();
    let ranked = [
        Pattern::Aba,
        Pattern::LostUpdate,
        Pattern::CheckThenAct,
        Pattern::HalfDone,
    ];
    for pattern in ranked {
        if let Some((_, intrusion)) = found.iter().find(|(kind, _)| *kind == pattern) {
            // What a whole task did is more than to bring a value back.
            let pattern = match pattern {
                Pattern::Aba if known.is_wide => Pattern::CheckThenAct,
                pattern => pattern,
            };
            return (pattern, Some(*intrusion));
        }
    }
    for &cause in &known.causes {
        if let Some(after) = acts_on_old_news(known.events, cause) {
            let intrusion = Intrusion {
                before: cause.first,
                between: cause.second,
                after,
            };
            return (Pattern::CheckThenAct, Some(intrusion));
        }
    }
    let half_done: Vec<&Cause> = known
        .causes
        .iter()
        .filter(|cause| is_half_done(known, cause))
        .collect();
    let is_double_checked = |cause: &&Cause| is_double_checked(known, cause);
    let pattern = match half_done.is_empty() {
        false if half_done.iter().any(is_double_checked) => Pattern::DoubleChecked,
        false => Pattern::HalfDone,
        true if known.causes.iter().any(|cause| is_stale(known, cause)) => Pattern::StaleRead,
        true => Pattern::OrderViolation,
    };
    (pattern, None)
}

/// If a task reads what another one then changes, the operation by which it acts on what it has read.
fn acts_on_old_news(events: &[Event], cause: Cause) -> Option<usize> {
    let (first, second) = (&events[cause.first], &events[cause.second]);
    let is_old_news = first.is_access() && !first.writes() && second.writes();
    let mut after = events.iter().enumerate().skip(cause.second + 1);
    let acts = |event: &Event| event.task == first.task && event.is_part() && event.writes();
    let act = after.find(|(_, event)| acts(event) && event.is_performed);
    act.filter(|_| is_old_news).map(|(index, _)| index)
}

fn of_intrusion(events: &[Event], intrusion: &Intrusion) -> Option<Pattern> {
    let [before, between, after] =
        [intrusion.before, intrusion.between, intrusion.after].map(|index| &events[index]);
    // What is done under a lock is not known. Locks may be made of atomics: the one lets go, the other one gets
    // it, and the first one gets it again.
    let is_exchange = |event: &Event| event.op.kind == OpKind::CompareExchange;
    let is_home_made = before.writes() && is_exchange(between) && is_exchange(after);
    if between.takes_lock() || is_home_made {
        // A wait lets the others in on purpose.
        let mut meanwhile = events[intrusion.before..intrusion.after].iter();
        let waits =
            meanwhile.any(|event| event.task == before.task && event.op.kind == OpKind::Wait);
        return (!waits).then_some(Pattern::CheckThenAct);
    }
    match (before.writes(), between.writes(), after.writes()) {
        (false, true, true) if after.op.kind == OpKind::CompareExchange => Some(Pattern::Aba),
        (false, true, true) => Some(Pattern::LostUpdate),
        (false, true, false) | (true, true, false) => Some(Pattern::CheckThenAct),
        (true, _, true) => Some(Pattern::HalfDone),
        _ => None,
    }
}

/// Whether a task that changes something was left before it changed something else that the other one uses
/// as well.
fn is_half_done(known: &Known<'_>, cause: &Cause) -> bool {
    let (first, second) = (&known.events[cause.first], &known.events[cause.second]);
    let is_used = |object: ObjectId| {
        let mut others = known.events.iter().filter(|event| event.is_part());
        others.any(|event| event.task == second.task && event.op.object == object)
    };
    let mut left_undone = known.left_undone.iter();
    first.writes()
        && left_undone.any(|&(task, object)| {
            task == first.task && object != first.op.object && is_used(object)
        })
}

/// Whether the failing task has read what another one then overwrote, before it failed. That it has acted on it
/// by changing something has been ruled out before.
fn is_stale(known: &Known<'_>, cause: &Cause) -> bool {
    let (first, second) = (&known.events[cause.first], &known.events[cause.second]);
    let is_read = first.is_part() && !first.writes();
    let is_overwritten = second.is_performed && second.is_part() && second.writes();
    matches!(&known.failing.outcome, Outcome::Fail(failure) if failure.task == first.task)
        && is_read
        && is_overwritten
}

/// Whether a task that works under a lock is seen by one that would have taken the lock, had it looked before.
fn is_double_checked(known: &Known<'_>, cause: &Cause) -> bool {
    let (working, looking) = (
        known.events[cause.first].task,
        known.events[cause.second].task,
    );
    let held = |task: TaskId, at: usize| locks_held(&known.events[..at], task);
    let looks_under = held(looking, cause.second);
    held(working, cause.first).iter().any(|lock| {
        let would_take = known.locks_elsewhere.contains(&(looking, *lock));
        would_take && !looks_under.contains(lock)
    })
}

/// The locks that a task holds after these events.
fn locks_held(events: &[Event], task: TaskId) -> Vec<ObjectId> {
    let mut held: Vec<ObjectId> = Vec::new();
    for event in events.iter().filter(|event| event.task == task) {
        if event.takes_lock() {
            held.push(event.op.object);
        } else if event.releases_lock() {
            held.retain(|&lock| lock != event.op.object);
        }
    }
    held
}
