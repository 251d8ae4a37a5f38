//! Which steps are shown: those that have directly to do with other tasks, and those that say how it ended.
//!
//! No arrow leads to or from a step that is folded: no other task used its object right before or after it.
//! It uses what its task alone uses, or uses again what its task has used last. It may still matter to others,
//! as what is done under a lock matters to whoever takes the lock next; but then a step that is shown lies
//! in between.

use super::Timeline;
use super::arrows::Arrows;
use unpick_trace::{Choice, OpKind, Outcome};

/// So many steps of a failing task before its end are shown, whatever they are.
const LAST_STEPS: usize = 3;

/// Marks the steps that are shown.
pub(super) fn mark(timeline: &mut Timeline<'_>, at_the_end: &Arrows) {
    let record = timeline.record;
    let mut shown: Vec<bool> = record.trace.steps.iter().map(matters_by_itself).collect();
    for arrow in &timeline.arrows {
        shown[arrow.from] = true;
        shown[arrow.to] = true;
    }
    // What tasks wait for in the end was done by somebody.
    if let Outcome::Deadlock(deadlock) = &record.outcome {
        for blocked in &deadlock.blocked {
            for step in at_the_end.sources(blocked.task, &blocked.op, false) {
                shown[step] = true;
            }
        }
    }
    let ordered = record.header.orderings.iter();
    let ordered = ordered.flat_map(|&(first, second)| [first, second]);
    for step in ordered.chain(record.header.critical) {
        shown[step] = true;
    }
    for task in timeline.failing_tasks() {
        let steps = record.trace.steps.iter().enumerate().rev();
        let own = steps.filter(|(_, step)| step.task == task);
        for (last, _) in own.take(LAST_STEPS) {
            shown[last] = true;
        }
    }
    // A mark that says that one step is left out takes as much room as the step.
    for index in 0..shown.len() {
        let is_alone =
            (index == 0 || shown[index - 1]) && shown.get(index + 1).is_none_or(|&next| next);
        timeline.moments[index].is_shown = shown[index] || is_alone;
    }
}

/// Whether a step is shown for what it is: tasks that come and go, barriers, and answers that are not the
/// ordinary course.
fn matters_by_itself(step: &unpick_trace::Step) -> bool {
    match step.choice {
        Choice::Task(_) => matches!(
            step.op.kind,
            OpKind::Spawn | OpKind::Join | OpKind::BarrierWait
        ),
        Choice::Datum { .. } => true,
        other => other.answer() != 0,
    }
}

/// A part of a schedule as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A step.
    Step(usize),
    /// Steps from the first to before the second that are left out.
    Folded(usize, usize),
}

/// The parts of a schedule; with `all`, every step.
pub(super) fn parts(timeline: &Timeline<'_>, all: bool) -> Vec<Part> {
    let moments = &timeline.moments;
    let mut parts = Vec::new();
    let mut index = 0;
    while index < moments.len() {
        if all || moments[index].is_shown {
            parts.push(Part::Step(index));
            index += 1;
        } else {
            let rest = moments[index..].iter();
            let count = rest.take_while(|moment| !moment.is_shown).count();
            parts.push(Part::Folded(index, index + count));
            index += count;
        }
    }
    parts
}
