//! A schedule as trace events, for viewers such as Perfetto: a track for each task, a slice for each step,
//! arrows between tasks.
//!
//! The format is that of Chrome (*Trace Event Format*). A step takes a microsecond there, whatever it took.

use super::json::{array, object, quote, strings};
use super::{Sources, Timeline};
use crate::failure::headline;

/// Number of the one process that the viewer is told of.
const PROCESS: usize = 1;

/// The schedule as JSON of trace events.
pub fn perfetto(timeline: &Timeline<'_>, sources: &Sources) -> String {
    let mut events = vec![process_name(timeline)];
    for task in 0..timeline.task_names.len() {
        events.extend(track(timeline, task));
    }
    for index in 0..timeline.moments.len() {
        events.push(slice(timeline, sources, index));
    }
    for (number, arrow) in timeline.arrows.iter().enumerate() {
        let end = |phase: &str, step: usize| {
            let task = timeline.moments[step].task;
            let mut fields = event(phase, "order", step, task);
            fields.push(("cat", quote("order")));
            fields.push(("id", number.to_string()));
            // The arrow ends at the slice around it instead of the next one.
            fields.push(("bp", quote("e")));
            object(&fields)
        };
        events.push(end("s", arrow.from));
        events.push(end("f", arrow.to));
    }
    let last = timeline.moments.len();
    for ending in &timeline.endings {
        let task = ending.task.unwrap_or(0);
        let mut fields = event("i", &ending.what, last, task);
        fields.push(("s", quote("t")));
        events.push(object(&fields));
    }
    format!("{{\"traceEvents\":{}}}\n", array(events))
}

fn process_name(timeline: &Timeline<'_>) -> String {
    let record = timeline.record;
    let name = format!(
        "{}: {}",
        record.header.program,
        headline(&record.outcome, &record.trace)
    );
    metadata("process_name", 0, object(&[("name", quote(&name))]))
}

/// The name of a track, and its place below the others.
fn track(timeline: &Timeline<'_>, task: usize) -> [String; 2] {
    let name = object(&[("name", quote(&timeline.task_names[task]))]);
    let place = object(&[("sort_index", task.to_string())]);
    [
        metadata("thread_name", task, name),
        metadata("thread_sort_index", task, place),
    ]
}

fn metadata(kind: &str, task: usize, arguments: String) -> String {
    let mut fields = event("M", kind, 0, task);
    fields.push(("args", arguments));
    object(&fields)
}

fn slice(timeline: &Timeline<'_>, sources: &Sources, index: usize) -> String {
    let moment = &timeline.moments[index];
    let mut arguments = vec![("step", index.to_string())];
    if let Some(value) = &moment.value {
        arguments.push(("value", quote(value)));
    }
    if let Some(site) = timeline.site(moment.site) {
        arguments.push(("place", quote(&site.to_string())));
        if let Some(line) = sources.line(site) {
            arguments.push(("source", quote(line.trim())));
        }
    }
    let locks = timeline.lock_names(moment.held);
    if !locks.is_empty() {
        arguments.push(("holds", strings(locks)));
    }
    let mut fields = event("X", &moment.what, index, moment.task);
    fields.push(("dur", 1.to_string()));
    fields.push(("cat", quote("step")));
    fields.push(("args", object(&arguments)));
    object(&fields)
}

/// What every event has. Viewers take thread 0 for none, so that tasks count from 1 there.
fn event(phase: &str, name: &str, step: usize, task: usize) -> Vec<(&'static str, String)> {
    vec![
        ("ph", quote(phase)),
        ("name", quote(name)),
        ("ts", step.to_string()),
        ("pid", PROCESS.to_string()),
        ("tid", (task + 1).to_string()),
    ]
}
