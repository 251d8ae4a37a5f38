//! The line that says why: plain, from the trace alone.
//!
//! For a deadlock, who holds what and waits for what. For anything else, the last time that a task
//! got in between two accesses of the failing one. No cause is proven here; where nothing stands out
//! the line says so.

use crate::operation::{Object, operation};
use unpick_trace::{
    Access, Blocked, Deadlock, FailureKind, Op, OpKind, Outcome, Step, TaskId, Trace,
};

/// Why an execution failed, as far as its trace alone tells.
pub fn why(outcome: &Outcome, trace: &Trace) -> String {
    match outcome {
        Outcome::Deadlock(deadlock) => deadlock_sentence(deadlock, trace),
        Outcome::Fail(failure) if failure.kind == FailureKind::DataRace => {
            "no lock, join, message or atomic operation orders the two accesses".into()
        }
        Outcome::Fail(failure) if is_endless(failure.kind) => last_circle(trace),
        Outcome::Fail(failure) => intrusion(failure.task, trace)
            .unwrap_or_else(|| "not explained: no task got in between another's accesses".into()),
        Outcome::StepLimit { .. } => last_circle(trace),
        _ => "nothing failed".to_string(),
    }
}

/// Whether a failing execution has not come to its end.
pub(crate) fn is_endless(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Livelock | FailureKind::StepLimit)
}

pub(crate) fn deadlock_sentence(deadlock: &Deadlock, trace: &Trace) -> String {
    let is_part = |blocked: &&Blocked| match deadlock.cycle.is_empty() {
        true => !is_in_standard_library(blocked),
        false => deadlock.cycle.contains(&blocked.task),
    };
    let mut parts: Vec<&Blocked> = deadlock.blocked.iter().filter(is_part).collect();
    if parts.is_empty() {
        parts.extend(&deadlock.blocked);
    }
    let shown: Vec<String> = parts
        .into_iter()
        .map(|blocked| {
            let place = match &blocked.site {
                Some(site) => format!(" ({site})"),
                None => String::new(),
            };
            let holders: Vec<String> = blocked
                .waits_for
                .iter()
                .map(|&task| trace.task_name(task))
                .collect();
            let holder = match (blocked.op.kind, holders.is_empty()) {
                (_, true) | (OpKind::Join, _) => String::new(),
                (_, false) => format!(", held by {}", holders.join(" and ")),
            };
            format!(
                "{} waits to {}{place}{holder}",
                trace.task_name(blocked.task),
                action(trace, &blocked.op),
            )
        })
        .collect();
    shown.join("; ")
}

/// Whether a task waits in Rust's precompiled standard library, without a place of the user's on the way there: the one
/// that runs the tests waits for them so.
fn is_in_standard_library(blocked: &Blocked) -> bool {
    let site = blocked.site.as_ref();
    site.is_some_and(|site| site.file.starts_with("/rustc/"))
}

pub(crate) fn action(trace: &Trace, op: &Op) -> String {
    let verb = match op.kind {
        OpKind::Wait => "be notified by",
        OpKind::Receive => "receive from",
        OpKind::Send => "send to",
        OpKind::Park => "be unparked as",
        OpKind::BarrierWait => "meet others at",
        OpKind::OnceEnter => "initialise",
        other => other.verb(),
    };
    format!("{verb} {}", trace.object_name(op.object))
}

/// The last access by another task in between two accesses of one object by the failing task, or by
/// any task if the failing one saw none.
fn intrusion(failing: TaskId, trace: &Trace) -> Option<String> {
    let is_access = |&index: &usize| {
        let step = &trace.steps[index];
        step.is_operation() && is_access(&step.op)
    };
    let accesses: Vec<usize> = (0..trace.steps.len()).filter(is_access).collect();
    let of_failing = |step: &Step| step.task == failing;
    find_intrusion(trace, &accesses, of_failing)
        .or_else(|| find_intrusion(trace, &accesses, |_| true))
}

fn find_intrusion(
    trace: &Trace,
    accesses: &[usize],
    considered: impl Fn(&Step) -> bool,
) -> Option<String> {
    for (end, &after) in accesses.iter().enumerate().rev() {
        let Step { task, op, .. } = trace.steps[after];
        if !considered(&trace.steps[after]) {
            continue;
        }
        let same_object = |index: usize| trace.steps[index].op.object == op.object;
        let of_same_task = |&index: &usize| same_object(index) && trace.steps[index].task == task;
        let Some(start) = accesses[..end].iter().rposition(of_same_task) else {
            continue;
        };
        let between = accesses[start + 1..end].iter().rev().find(|&&index| {
            let step = &trace.steps[index];
            same_object(index) && step.task != task && step.op.access() == Access::Write
        });
        if let Some(&other) = between {
            let described = |index: usize, object: Object| {
                let step = &trace.steps[index];
                operation(trace, &step.op, object, Some(index), trace.site(step.site))
            };
            return Some(format!(
                "{} did {} between {}'s {} and its {}",
                trace.task_name(trace.steps[other].task),
                described(other, Object::Told),
                trace.task_name(task),
                described(accesses[start], Object::Known),
                described(after, Object::Known),
            ));
        }
    }
    None
}

fn is_access(op: &Op) -> bool {
    matches!(
        op.kind,
        OpKind::Load
            | OpKind::Store
            | OpKind::ReadModifyWrite
            | OpKind::CompareExchange
            | OpKind::PlainRead
            | OpKind::PlainWrite
            | OpKind::Enter
            | OpKind::Lock
            | OpKind::WriteLock
            | OpKind::ReadLock
            | OpKind::Send
            | OpKind::Receive
    )
}

fn last_circle(trace: &Trace) -> String {
    let mut sites: Vec<String> = Vec::new();
    for step in trace
        .steps
        .iter()
        .rev()
        .filter(|step| step.is_operation())
        .take(40)
    {
        // Without values: each round may have other ones.
        let text = format!(
            "{} {}",
            trace.task_name(step.task),
            operation(trace, &step.op, Object::Told, None, trace.site(step.site))
        );
        if !sites.contains(&text) {
            sites.push(text);
        }
    }
    sites.reverse();
    format!("the last steps go round: {}", sites.join("; "))
}
