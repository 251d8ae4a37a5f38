//! What became of the tasks of an execution after its last step.

use super::Timeline;
use super::sources::shown;
use crate::failure::headline;
use crate::why::action;
use unpick_trace::{Outcome, Site, TaskId};

/// What became of one task, or of all.
pub(super) struct Ending {
    /// The task, if it is about one.
    pub(super) task: Option<usize>,
    pub(super) what: String,
    /// An index into the places of the schedule.
    pub(super) site: Option<usize>,
}

/// The endings of an execution, in the order of tasks.
pub(super) fn of(timeline: &mut Timeline<'_>) -> Vec<Ending> {
    let record = timeline.record;
    let mut told: Vec<(Option<TaskId>, String, Option<&Site>)> = Vec::new();
    match &record.outcome {
        Outcome::Fail(failure) => {
            let words = match failure.site {
                // The place has a column of its own.
                Some(_) => headline(&without_place(&record.outcome), &record.trace),
                None => headline(&record.outcome, &record.trace),
            };
            told.push((Some(failure.task), words, failure.site.as_ref()));
        }
        Outcome::Deadlock(deadlock) if !deadlock.blocked.is_empty() => {
            for blocked in &deadlock.blocked {
                let words = format!("waits to {}", action(&record.trace, &blocked.op));
                told.push((Some(blocked.task), words, blocked.site.as_ref()));
            }
        }
        other => told.push((None, headline(other, &record.trace), None)),
    }
    let task_count = timeline.task_names.len();
    told.sort_by_key(|(task, ..)| *task);
    told.into_iter()
        .map(|(task, what, site)| Ending {
            task: task.map(TaskId::index).filter(|&task| task < task_count),
            what: shown(&what),
            site: timeline.add_site(site),
        })
        .collect()
}

fn without_place(outcome: &Outcome) -> Outcome {
    let mut copy = outcome.clone();
    if let Outcome::Fail(failure) = &mut copy {
        failure.site = None;
    }
    copy
}
