//! Why a measured number is not the published one, program by program. Words only: nothing is decided here.
//!
//! Of a program that is modelled, the reason is how the model differs from the original, as far as both were
//! counted: tasks, steps, and what its failure costs.

use super::grid::Row;
use crate::comparison::Verdict;

/// The reason for a difference, as far as it is known.
pub(super) fn of(row: &Row, technique: &str, verdict: Verdict) -> String {
    let special = REASONS
        .iter()
        .find(|(program, name, _)| *program == row.published.id && technique.starts_with(name));
    match (verdict, special) {
        (Verdict::Beyond, _) => "needs more schedules than this study allows".to_string(),
        (_, Some((_, _, reason))) => (*reason).to_string(),
        _ if !row.published.is_modelled_exactly() => of_model(row),
        (Verdict::Gain, _) if technique == "maple" => UNCONTROLLED.to_string(),
        _ => String::new(),
    }
}

/// Row, beginning of the technique, reason.
const REASONS: &[(u32, &str, &str)] = &[(
    18,
    "trivial",
    "99,986 of 100,000 fail in the published table: too few executions here to meet one that passes",
)];

const UNCONTROLLED: &str = "the published tool delays threads and does not control them (thesis, section 3.3); here an \
                            order that is possible is forced for certain";

/// How a model differs from the original.
fn of_model(row: &Row) -> String {
    let published = row.published;
    let most = |of: fn(&super::grid::Cell) -> u64| row.cells.iter().map(of).max().unwrap_or(0);
    let mut parts = vec![format!(
        "a model of {} tasks and {} steps; the original has {} and {}",
        most(|cell| cell.measured.tasks_max),
        most(|cell| cell.measured.steps_max),
        published.threads,
        published.steps_max
    )];
    for (technique, what, printed) in [
        ("ipb", "preemptions", &published.ipb),
        ("idb", "delays", &published.idb),
    ] {
        let measured = row
            .get(technique)
            .and_then(|cell| cell.measured.first_bound());
        let printed = printed.found.then_some(printed.bound);
        if measured != printed {
            let words = |bound: Option<u32>| match bound {
                Some(bound) => bound.to_string(),
                None => "more than were tried".to_string(),
            };
            let (here, there) = (words(measured), words(printed));
            parts.push(format!(
                "its failure needs {here} {what}, the original's {there}"
            ));
        }
    }
    parts.join("; ")
}
