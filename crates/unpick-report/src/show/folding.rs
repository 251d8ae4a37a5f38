//! Which steps matter: those that another task can notice, and those that say how it ended.
//!
//! A step that no arrow leads to or from uses what its task alone uses, or uses again what nobody has
//! changed since: whatever the others do, they do not depend on it, and it does not depend on them.

use super::Timeline;
use super::arrows::Arrows;
use unpick_trace::{Choice, OpKind, Outcome};

/// So many steps of a failing task before its end are shown, whatever they are.
const LAST_STEPS: usize = 3;

/// Marks the steps that matter.
pub(super) fn notice(timeline: &mut Timeline<'_>, at_the_end: &Arrows) {
    let record = timeline.record;
    let mut noticed: Vec<bool> = record.trace.steps.iter().map(matters_by_itself).collect();
    for arrow in &timeline.arrows {
        noticed[arrow.from] = true;
        noticed[arrow.to] = true;
    }
    // What tasks wait for in the end was done by somebody.
    if let Outcome::Deadlock(deadlock) = &record.outcome {
        for blocked in &deadlock.blocked {
            for step in at_the_end.sources(blocked.task, &blocked.op, false) {
                noticed[step] = true;
            }
        }
    }
    for task in timeline.failing_tasks() {
        let steps = record.trace.steps.iter().enumerate().rev();
        let own = steps.filter(|(_, step)| step.task == task);
        for (last, _) in own.take(LAST_STEPS) {
            noticed[last] = true;
        }
    }
    // A mark that says that one step is left out takes as much room as the step.
    for index in 0..noticed.len() {
        let is_alone = (index == 0 || noticed[index - 1])
            && noticed.get(index + 1).is_none_or(|&is_noticed| is_noticed);
        timeline.moments[index].is_shown = noticed[index] || is_alone;
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
