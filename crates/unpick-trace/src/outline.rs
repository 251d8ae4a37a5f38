//! A schedule in lines that a person can compare: who ran, for how long, from where to where.
//!
//! Written into files that are checked in, so that their diffs say what has become of a schedule. Nothing
//! reads it.

use crate::{Choice, Step, Trace};
use alloc::{format, string::String, vec::Vec};

/// Turns that are told, at most.
const TURNS_MAX: usize = 100;

/// The turns of the tasks, one a line. Of long schedules the beginning only.
pub(crate) fn outline(trace: &Trace) -> Vec<String> {
    let turns: Vec<&[Step]> = trace
        .steps
        .chunk_by(|one, other| one.task == other.task)
        .collect();
    let told = turns.iter().take(TURNS_MAX);
    let mut lines: Vec<String> = told.map(|steps| turn(trace, steps)).collect();
    if turns.len() > TURNS_MAX {
        lines.push(format!("and {} more turns", turns.len() - TURNS_MAX));
    }
    lines
}

fn turn(trace: &Trace, steps: &[Step]) -> String {
    let name = trace.task_name(steps[0].task);
    let mut operations = steps.iter().filter(|step| step.is_operation());
    let first = operations.next();
    let last = operations.next_back();
    let count = usize::from(first.is_some()) + usize::from(last.is_some()) + operations.count();
    let plural = if count == 1 { "" } else { "s" };
    let mut line = format!("{name}, {count} step{plural}");
    if let Some(first) = first {
        line.push_str(&format!(": {}", operation(trace, first)));
    }
    if let Some(last) = last {
        line.push_str(&format!(" to {}", operation(trace, last)));
    }
    for step in steps.iter().filter(|step| step.choice.answer() != 0) {
        line.push_str(&format!("; {}", answer(step.choice)));
    }
    line
}

fn operation(trace: &Trace, step: &Step) -> String {
    let verb = step.op.verb();
    let object = match trace.objects.get(step.op.object.0 as usize) {
        Some(_) => format!(" {}", trace.object_name(step.op.object)),
        None => String::new(),
    };
    let place = match trace.site(step.site) {
        Some(site) => format!(" ({site})"),
        None => String::new(),
    };
    let label = match trace.label(step) {
        Some(label) => format!(" {label}"),
        None => String::new(),
    };
    format!("{verb}{object}{label}{place}")
}

/// An answer that is not the ordinary one.
fn answer(choice: Choice) -> String {
    match choice {
        Choice::Task(task) => format!("task {task}"),
        Choice::Timeout(_) => String::from("a time-out"),
        Choice::SpuriousWake(_) => String::from("a spurious wake-up"),
        Choice::WeakFailure(_) => String::from("a weak failure"),
        Choice::Datum { value, of } => format!("{value} chosen of {of}"),
    }
}
