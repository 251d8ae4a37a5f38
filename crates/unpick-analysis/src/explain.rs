//! Explanation: which orderings of a failing execution make it fail, and what that is called.
//!
//! Of every two operations of different tasks that touch the same object the order is turned round, by
//! running the program again. If the failure then vanishes, the order is one of its *causes*. Where one task
//! got in between two operations of another one, the two are brought together ([`serial`]). If neither shows
//! anything, the failing task may have been too early ([`hasty`]), or no order is the matter but what was
//! answered to other questions ([`answers`]). What all that looks like is named if it
//! has a name ([`Pattern`]). And the *critical step* is looked for: the first one after which every
//! continuation that was tried fails.
//!
//! After A. Zeller, *Isolating cause-effect chains from computer programs*, FSE 2002, with orderings for
//! variables. Nothing is concluded from names or texts.

mod answers;
mod critical;
mod events;
mod hasty;
mod made_locks;
mod overtaken;
mod pattern;
mod random;
mod reversal;
mod serial;

use crate::shrink::{Ended, Run};
use critical::Critical;
pub(crate) use events::essential;
pub use events::{At, Event};
use pattern::Known;
pub use pattern::{Intrusion, Pattern};
use reversal::{Reversed, reverse};
use std::cmp::Reverse;
use unpick_trace::{Access, ObjectId, Outcome, Plan, SiteId, Step, TaskId, Trace};

/// Two operations, and the first before the second is a cause of the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// An index into [`Explanation::events`].
    pub first: usize,
    /// An index into [`Explanation::events`], behind the first.
    pub second: usize,
}

/// Why an execution fails.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The operations of the execution, in order; then those that tasks wait to perform.
    pub events: Vec<Event>,
    /// The orderings without which it does not fail, but for those that follow from others. None: it is not
    /// explained by orderings.
    pub causes: Vec<Cause>,
    /// So many of them, the first ones, lie in the user's own code.
    pub own_causes: usize,
    /// The steps whose answers it does not fail without, if it is not explained by orderings: a time-out, a
    /// wake-up without a reason, a value.
    pub answers: Vec<usize>,
    /// What it is, if it has a name.
    pub pattern: Option<Pattern>,
    /// What shows that, if it is that a task got in between.
    pub intrusion: Option<Intrusion>,
    /// The event after which everything that was tried fails.
    pub critical: Option<usize>,
    /// An execution that passes: of those that were tried, the one that goes along with the failing one for
    /// longest.
    pub passing: Option<Trace>,
    /// Executions that it took.
    pub executions: u64,
}

/// How much a place means to the user, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    /// A handle counts its references there: no user orders anything by that.
    Handle,
    /// It lies in a library.
    Library,
    /// It lies in the user's own code.
    Own,
}

/// Explains a failing execution within `executions_max` executions. What lies in the user's own code, as
/// `meaning` tells of places, comes before what lies in libraries, and that before the counts of handles.
pub fn explain(
    failing: &Ended,
    executions_max: u64,
    meaning: &dyn Fn(SiteId) -> Meaning,
    run: &mut Run<'_>,
) -> Explanation {
    let mut events = events::of(failing);
    let (mut left, mut executions) = (executions_max, 0);
    let mut nearest = Nearest::default();
    let mut counted = |plan: &Plan| {
        if left == 0 {
            return None;
        }
        let ended = judged(failing, run(plan)?);
        left = left.saturating_sub(ended.price());
        executions += 1;
        nearest.take(failing, &ended);
        Some(ended)
    };
    let Reversals {
        mut causes,
        left_undone,
        locks_elsewhere,
    } = reversals(failing, &events, &mut counted);
    let critical = critical::step(failing, &mut counted);
    let intrusions = serial::intrusions(failing, &events, &mut counted).unwrap_or_default();
    let is_explained = !causes.is_empty() || !intrusions.is_empty();
    if (!is_explained || overtaken::leaves_stores_behind(&failing.trace))
        && let Some((first, late)) = hasty::ordering(failing, &events, &mut counted)
    {
        let second = events.len();
        events.push(late);
        causes.push(Cause { first, second });
    }
    let answers = match causes.is_empty() && intrusions.is_empty() {
        true => answers::needed(failing, &mut counted),
        false => Vec::new(),
    };
    let is_inevitable = critical == Critical::Inevitable
        && random::all_fail(failing, &mut counted)
        && nearest.passing.is_none();
    let meaning = |event: &Event| match event.step() {
        Some(step) => meaning(failing.trace.steps[step].site),
        None => Meaning::Own,
    };
    let known = Known {
        failing,
        events: &events,
        causes,
        intrusions,
        left_undone: &left_undone,
        locks_elsewhere: &locks_elsewhere,
        meaning: &meaning,
        is_inevitable,
        is_wide: false,
    };
    let named = pattern::of(&known);
    let mut causes = essential(&events, &known.causes);
    // Of those that mean as much, the ones that the fate of the execution hangs on come first.
    let is_critical = |cause: &Cause| critical == Critical::Step(cause.second);
    causes.sort_by_key(|cause| Reverse((known.meaning_of(cause), is_critical(cause))));
    let is_own = |cause: &&Cause| known.meaning_of(cause) == Meaning::Own;
    let own_causes = causes.iter().take_while(is_own).count();
    Explanation {
        own_causes,
        pattern: named.map(|(pattern, _)| pattern),
        intrusion: named.and_then(|(_, intrusion)| intrusion),
        causes,
        answers,
        events,
        critical: critical.to_step(),
        passing: nearest.passing,
        executions,
    }
}

/// What came of turning round the orderings of a failing execution.
#[derive(Default)]
struct Reversals {
    /// Those without which the failure vanishes.
    causes: Vec<Cause>,
    /// What the executions that pass did beyond the failing one.
    left_undone: Vec<(TaskId, ObjectId)>,
    /// The locks that the executions that pass took.
    locks_elsewhere: Vec<(TaskId, ObjectId)>,
}

/// Turns the orderings round one by one, until the executions run out.
fn reversals(failing: &Ended, events: &[Event], run: &mut Run<'_>) -> Reversals {
    let mut found = Reversals::default();
    for cause in events::orderings(events) {
        let others = match reverse(failing, events, cause, run) {
            Reversed::Vanished(others) => others,
            Reversed::NoMatter => continue,
            Reversed::Unknown => break,
        };
        found.causes.push(cause);
        for other in others.iter().filter(|other| !other.outcome.is_failure()) {
            found.left_undone.extend(changes_beyond(failing, other));
            found.locks_elsewhere.extend(locked(other));
        }
    }
    found
}

/// An execution as it counts: one that is not at its end does not show that the failure has vanished.
fn judged(failing: &Ended, mut ended: Ended) -> Ended {
    if matches!(ended.outcome, Outcome::StepLimit { .. }) {
        ended.outcome = failing.outcome.clone();
    }
    ended
}

/// The passing execution that goes along with the failing one for longest.
#[derive(Default)]
struct Nearest {
    passing: Option<Trace>,
    /// Operations that it shares with the failing one.
    shared: usize,
}

impl Nearest {
    fn take(&mut self, failing: &Ended, ended: &Ended) {
        if ended.outcome != Outcome::Pass {
            return;
        }
        let both = failing.trace.operations().zip(ended.trace.operations());
        let is_same = |(one, other): &(&Step, &Step)| one.task == other.task && one.op == other.op;
        let shared = both.take_while(is_same).count();
        if self.passing.is_none() || shared > self.shared {
            self.passing = Some(ended.trace.clone());
            self.shared = shared;
        }
    }
}

/// Who takes which locks.
fn locked(ended: &Ended) -> impl Iterator<Item = (TaskId, ObjectId)> {
    let locking = ended.trace.operations();
    let locking = locking.filter(|step| Event::is_lock(&step.op));
    locking.map(|step| (step.task, step.op.object))
}

/// What the tasks of an execution change in another one after as many operations as they perform here.
fn changes_beyond(failing: &Ended, other: &Ended) -> Vec<(TaskId, ObjectId)> {
    let mut left = vec![0; other.trace.tasks.len().max(failing.trace.tasks.len())];
    for step in failing.trace.operations() {
        left[step.task.index()] += 1;
    }
    let mut changes = Vec::new();
    for step in other.trace.operations() {
        match &mut left[step.task.index()] {
            0 if step.op.access() == Access::Write => changes.push((step.task, step.op.object)),
            0 => {}
            count => *count -= 1,
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_trace::{Choice, Op, OpKind, TaskBits, TaskInfo};

    #[test]
    fn nothing_is_tried_any_more_when_time_is_over() {
        let mut trace = Trace::default();
        for task in 0..2 {
            trace.tasks.push(TaskInfo {
                parent: TaskId(0),
                index: task,
                object: ObjectId::NONE,
                name: None,
            });
        }
        for index in 0..200 {
            let (task, op) = (TaskId(index % 2), Op::new(OpKind::Store, ObjectId(1)));
            let step = Step::new(Choice::Task(task), task, op, SiteId::UNKNOWN);
            trace.push(step, TaskBits::from_words(3, &[]));
        }
        let failing = Ended {
            outcome: Outcome::StepLimit { limit: 200 },
            trace,
        };
        let mut asked = 0;
        let known = explain(&failing, 2_000, &|_| Meaning::Own, &mut |_| {
            asked += 1;
            None
        });
        assert_eq!(known.pattern, None);
        assert!(asked < 10, "{asked}");
    }
}
