//! The line that says why, from what running the program again has shown.

use crate::operation::{Object, operation};
use crate::why::{deadlock_sentence, is_endless, why};
use unpick_analysis::{Cause, Event, Explanation, Intrusion, Pattern};
use unpick_trace::{Choice, Deadlock, Outcome, Record, Trace};

/// Orderings that are told, at most.
const TOLD_MAX: usize = 3;

/// Orderings that are told besides an intrusion, at most.
const ALSO_TOLD_MAX: usize = 2;

/// Why an execution failed: the name of the bug, and the orderings without which it does not fail.
pub fn explained(outcome: &Outcome, trace: &Trace, explanation: &Explanation) -> String {
    let telling = Telling {
        outcome,
        trace,
        explanation,
    };
    let Some(pattern) = explanation.pattern else {
        return telling.without_a_name();
    };
    let is_shown = explanation.intrusion.is_some() || !explanation.causes.is_empty();
    let detail = match (pattern, outcome) {
        (Pattern::DataRace, _) => {
            return format!("{}{}", why(outcome, trace), telling.order());
        }
        (Pattern::UseAfterFree, _) if !is_shown => return why(outcome, trace),
        // Locks that are made of atomic operations are known by these only.
        (Pattern::LockOrder, Outcome::Deadlock(deadlock))
            if deadlock.cycle.is_empty() && is_shown =>
        {
            telling.causes()
        }
        (Pattern::EveryOrder | Pattern::LockOrder, Outcome::Deadlock(deadlock)) => {
            deadlock_sentence(deadlock, trace)
        }
        (Pattern::EveryOrder, Outcome::Fail(failure)) if is_endless(failure.kind) => {
            why(outcome, trace)
        }
        (Pattern::EveryOrder, _) => "no schedule that was tried passes".into(),
        (Pattern::LostWakeUp, Outcome::Deadlock(deadlock)) => {
            let waiting = deadlock_sentence(deadlock, trace);
            let last = telling.last_notification(deadlock);
            format!("{waiting}{last}{}", telling.order())
        }
        _ => match explanation.intrusion {
            Some(intrusion) => {
                format!(
                    "{}{}",
                    telling.intrusion(intrusion),
                    telling.also(intrusion)
                )
            }
            None => telling.causes(),
        },
    };
    format!("{}: {detail}", pattern.name())
}

/// Writes an explanation into the header of what is kept.
pub fn note_explanation(record: &mut Record, explanation: &Explanation) {
    let step = |index: usize| explanation.events[index].step();
    let mut orderings = explanation.orderings();
    orderings.sort_unstable();
    let header = &mut record.header;
    header.why = explained(&record.outcome, &record.trace, explanation);
    header.critical = explanation.critical.and_then(step);
    header.orderings = orderings
        .into_iter()
        .filter_map(|cause| Some((step(cause.first)?, step(cause.second)?)))
        .collect();
}

struct Telling<'a> {
    outcome: &'a Outcome,
    trace: &'a Trace,
    explanation: &'a Explanation,
}

impl Telling<'_> {
    /// What is not explained by orderings.
    fn without_a_name(&self) -> String {
        let answers = self.explanation.answers.iter();
        let answers: Vec<String> = answers.map(|&step| self.answer(step)).collect();
        match self.outcome {
            _ if !answers.is_empty() => {
                format!("not a matter of order: {}", answers.join("; and "))
            }
            Outcome::Fail(failure) if is_endless(failure.kind) => why(self.outcome, self.trace),
            _ => {
                "not explained: it does not depend on the order of any two operations alone".into()
            }
        }
    }

    /// What was answered to a question other than "which task".
    fn answer(&self, step: usize) -> String {
        let trace = self.trace;
        let step = &trace.steps[step];
        let task = trace.task_name(step.task);
        let end = match step.choice {
            Choice::Datum { value, of } => return format!("{task} chose {value} of {of}"),
            Choice::Timeout(_) => "timed out",
            Choice::SpuriousWake(_) => "woke without a reason",
            Choice::WeakFailure(_) | Choice::Task(_) => "failed without a reason",
        };
        let what = operation(trace, &step.op, Object::Told, None, trace.site(step.site));
        format!("{task}'s {what} {end}")
    }

    fn intrusion(&self, intrusion: Intrusion) -> String {
        let event = |index: usize| &self.explanation.events[index];
        let (before, between, after) = (
            event(intrusion.before),
            event(intrusion.between),
            event(intrusion.after),
        );
        format!(
            "{} did {} between {}'s {} and its {}",
            self.trace.task_name(between.task),
            self.operation(between, Object::Told),
            self.trace.task_name(before.task),
            self.operation(
                before,
                Object::told_if(before.op.object != between.op.object)
            ),
            self.operation(after, Object::told_if(before.op.object != after.op.object)),
        )
    }

    /// The last notification of what a task waits for: it came too early, or went to another one.
    fn last_notification(&self, deadlock: &Deadlock) -> String {
        let is_waited_for = |event: &&Event| {
            let mut blocked = deadlock.blocked.iter();
            event.notifies() && blocked.any(|blocked| blocked.op.object == event.op.object)
        };
        let mut events = self.explanation.events.iter();
        match events.rfind(is_waited_for) {
            Some(event) => format!(
                "; the last notification was {}'s {}",
                self.trace.task_name(event.task),
                self.operation(event, Object::Told),
            ),
            None => String::new(),
        }
    }

    fn causes(&self) -> String {
        let causes = &self.explanation.causes;
        let mut told: Vec<String> = causes
            .iter()
            .take(TOLD_MAX)
            .map(|&cause| self.ordering(cause))
            .collect();
        if causes.len() > TOLD_MAX {
            told.push(format!("{} orderings more", causes.len() - TOLD_MAX));
        }
        let told = told.join("; and ");
        match self.explanation.pattern {
            Some(Pattern::HalfDone | Pattern::DoubleChecked) => {
                format!("{told}, which was not through with it")
            }
            _ => told,
        }
    }

    /// What leads to something that is described otherwise; nothing if no order does.
    fn order(&self) -> String {
        match self.explanation.causes.is_empty() {
            true => String::new(),
            false => format!("; this order leads to it: {}", self.causes()),
        }
    }

    /// What it takes besides an intrusion: orderings of operations on other objects, in the user's own code.
    fn also(&self, intrusion: Intrusion) -> String {
        let object = |index: usize| self.explanation.events[index].op.object;
        let known = [intrusion.before, intrusion.between, intrusion.after].map(object);
        let is_other = |cause: &&Cause| !known.contains(&object(cause.first));
        let own = &self.explanation.causes[..self.explanation.own_causes];
        let others = own.iter().filter(is_other);
        let others: Vec<String> = others
            .take(ALSO_TOLD_MAX)
            .map(|&cause| self.ordering(cause))
            .collect();
        match others.is_empty() {
            true => String::new(),
            false => format!("; it also takes that {}", others.join("; and that ")),
        }
    }

    /// The ordering, said of the task that came too late for the one that came too early.
    fn ordering(&self, cause: Cause) -> String {
        let events = &self.explanation.events;
        let (first, second) = (&events[cause.first], &events[cause.second]);
        format!(
            "{}'s {} came after {}'s {}",
            self.trace.task_name(second.task),
            self.operation(second, Object::Told),
            self.trace.task_name(first.task),
            self.operation(first, Object::Known),
        )
    }

    fn operation(&self, event: &Event, object: Object) -> String {
        let site = event.site(self.trace, self.outcome);
        operation(self.trace, &event.op, object, event.step(), site)
    }
}
