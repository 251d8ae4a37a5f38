//! Which operations of a trace belong to one operation of a program.
//!
//! A program that writes, sends, receives or meets others performs one operation, as far as it can tell.
//! Where others can notice that a task waits, these are two: it comes to wait, and it goes on.

use unpick::trace::{OpKind, Trace};

/// How an operation of a trace belongs to those of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Belonging {
    /// The operation of the program that it belongs to, from 0 in each task.
    pub operation: usize,
    /// Whether the task had come to wait by the operation before.
    pub is_second: bool,
    /// Whether the task comes to wait by it, and goes on by a second one.
    pub has_second: bool,
}

/// By step; the steps that are no operations have nothing to tell.
pub(super) fn belongings(trace: &Trace) -> Vec<Belonging> {
    let mut all = vec![Belonging::default(); trace.steps.len()];
    let mut last: Vec<Option<usize>> = vec![None; trace.tasks.len()];
    for at in (0..trace.steps.len()).filter(|&at| trace.steps[at].is_operation()) {
        let step = &trace.steps[at];
        let before = last[step.task.index()].replace(at);
        let Some(before) = before else {
            continue;
        };
        use OpKind::{BarrierWait, Receive, Send, WriteLock};
        let waits = matches!(step.op.kind, BarrierWait | Receive | Send | WriteLock);
        let earlier = &trace.steps[before].op;
        let is_second = waits
            && !step.op.is_arrival()
            && earlier.is_arrival()
            && earlier.object == step.op.object;
        all[before].has_second = is_second;
        all[at] = Belonging {
            operation: all[before].operation + usize::from(!is_second),
            is_second,
            has_second: false,
        };
    }
    all
}
