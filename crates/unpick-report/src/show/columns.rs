//! A schedule as text: a column for each task, time downwards.
//!
//! Where there are too many tasks for the width, each task gets a lane of one character and the words
//! stand beside the lanes.

mod layout;

use super::folding::{Part, parts};
use super::timeline::{Moment, Switch};
use super::{Sources, Timeline};
use crate::{count, thousands};
pub(super) use layout::short_names;
use layout::{Layout, cut};
use unpick_trace::Record;

/// Characters in a line where nobody says how many there are.
const WIDTH: usize = 120;

/// How to draw columns.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Characters in a line, at most.
    pub width: usize,
    /// Whether to show also the steps that have nothing to do directly with other tasks.
    pub all: bool,
}

/// One line of the picture.
struct Row {
    /// The number of the step, or a word.
    label: String,
    /// What stands before the columns: `>` where another task goes on.
    mark: char,
    /// The task in whose column it stands.
    task: Option<usize>,
    text: String,
    /// The value, which is told also where the words have to be cut.
    value: String,
    /// Where it stands in the program.
    site: Option<usize>,
    /// Whether it says what became of a task: it may be a long message.
    is_ending: bool,
}

/// The schedule as columns, and a line on what is left out.
pub fn columns(timeline: &Timeline<'_>, sources: &Sources, options: Columns) -> String {
    let parts = parts(timeline, options.all);
    let rows = rows(timeline, &parts);
    let layout = Layout::new(timeline, sources, &rows, options.width);
    let mut text = layout.head();
    for row in &rows {
        text.push_str(&layout.line(row));
    }
    text.push_str(&causes(timeline, options.width));
    text.push_str(&foot(timeline, &parts, options.width));
    text
}

/// All steps as columns, for whoever cannot tell how wide a line may be and has no source at hand.
pub fn schedule(record: &Record) -> String {
    let options = Columns {
        width: WIDTH,
        all: true,
    };
    columns(&Timeline::new(record), &Sources::default(), options)
}

fn rows(timeline: &Timeline<'_>, parts: &[Part]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut before: Option<usize> = None;
    for part in parts {
        match *part {
            Part::Step(index) => {
                let moment = &timeline.moments[index];
                if moment.switch != Switch::None && index > 0 {
                    rows.extend(left(timeline, index));
                }
                let is_switch = before.is_some_and(|task| task != moment.task);
                before = Some(moment.task);
                rows.push(Row {
                    label: index.to_string(),
                    mark: if is_switch { '>' } else { ' ' },
                    task: Some(moment.task),
                    text: moment.what.clone(),
                    value: value(moment),
                    site: moment.site,
                    is_ending: false,
                });
                if timeline.record.header.critical == Some(index) {
                    rows.push(critical(moment));
                }
            }
            Part::Folded(start, end) => {
                rows.push(folded(timeline, start, end));
                before = Some(timeline.moments[end - 1].task);
            }
        }
    }
    rows.extend(timeline.endings.iter().map(|ending| Row {
        label: "end".into(),
        mark: ' ',
        task: ending.task,
        text: ending.what.clone(),
        value: String::new(),
        site: ending.site,
        is_ending: true,
    }));
    rows
}

/// What is said below the critical step.
fn critical(moment: &Moment) -> Row {
    Row {
        label: String::new(),
        mark: '!',
        task: Some(moment.task),
        text: "! lost from here on".to_string(),
        value: String::new(),
        site: None,
        is_ending: true,
    }
}

/// The value of a step, as it follows its words.
fn value(moment: &Moment) -> String {
    match &moment.value {
        Some(value) if value.starts_with('=') => format!(" {value}"),
        Some(value) => format!(", {value}"),
        None => String::new(),
    }
}

/// In what state the task before a step was left, as far as there is something to say about it.
fn left(timeline: &Timeline<'_>, index: usize) -> Vec<Row> {
    let before = &timeline.moments[index - 1];
    let mut words = Vec::new();
    if timeline.moments[index].switch == Switch::Preemption {
        words.push("~ preempted".to_string());
    }
    let locks = timeline.lock_names(before.held);
    if !locks.is_empty() {
        words.push(format!("~ holds {}", locks.join(", ")));
    }
    let row = |text| Row {
        label: String::new(),
        mark: ' ',
        task: Some(before.task),
        text,
        value: String::new(),
        site: None,
        is_ending: false,
    };
    words.into_iter().map(row).collect()
}

fn folded(timeline: &Timeline<'_>, start: usize, end: usize) -> Row {
    let mut tasks: Vec<usize> = timeline.moments[start..end]
        .iter()
        .map(|moment| moment.task)
        .collect();
    tasks.sort_unstable();
    tasks.dedup();
    let steps = count((end - start) as u64, "step");
    let (task, text) = match tasks.as_slice() {
        [only] => (Some(*only), format!("… {steps}")),
        several => (None, format!("… {steps} of {} tasks", several.len())),
    };
    Row {
        label: String::new(),
        mark: ' ',
        task,
        text,
        value: String::new(),
        site: None,
        is_ending: false,
    }
}

/// Which steps have to come before which.
fn causes(timeline: &Timeline<'_>, width: usize) -> String {
    let orderings = timeline.record.header.orderings.iter();
    let told: Vec<String> = orderings
        .map(|(first, second)| format!("{first} before {second}"))
        .collect();
    if told.is_empty() {
        return String::new();
    }
    let text = format!(
        "it fails because of the order of steps: {}",
        told.join(", ")
    );
    format!("\n{}\n", cut(&text, width))
}

/// What is left out, and how to see it.
fn foot(timeline: &Timeline<'_>, parts: &[Part], width: usize) -> String {
    let folded = |part: &Part| match part {
        Part::Folded(start, end) => end - start,
        Part::Step(_) => 0,
    };
    let count: usize = parts.iter().map(folded).sum();
    if count == 0 {
        return String::new();
    }
    let text = format!(
        "{} of {} steps are folded (--all shows them): no other task used their objects right before \
         or after",
        thousands(count as u64),
        thousands(timeline.moments.len() as u64),
    );
    format!("\n{}\n", cut(&text, width))
}
