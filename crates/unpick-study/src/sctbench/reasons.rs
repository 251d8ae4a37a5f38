//! Why a measured number is not the published one, program by program. Words only: nothing is decided here.

use super::grid::Row;
use crate::comparison::Verdict;

/// The reason for a difference, as far as it is known.
pub(super) fn of(row: &Row, technique: &str, verdict: Verdict) -> String {
    let id = row.published.id;
    let special = REASONS.iter().find(|(program, name, _)| {
        *program == id && (name.is_empty() || technique.starts_with(name))
    });
    if let Some((_, _, reason)) = special.filter(|_| verdict != Verdict::Beyond) {
        return (*reason).to_string();
    }
    match verdict {
        Verdict::Beyond => "needs more schedules than this study allows".to_string(),
        _ => String::new(),
    }
}

/// Row, beginning of the technique, reason.
const REASONS: &[(u32, &str, &str)] = &[];
