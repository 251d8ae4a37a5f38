//! Every published number beside the measured one.

use super::grid::{Cell, Grid, Row};
use super::published::{FOUND_WITHIN, PROGRAMS, VENNS};
use super::{figures, reasons, tables};
use crate::comparison::{Comparison, Verdict, is_within};
use unpick_suite::published::{Bounded, Dfs, Randomised, SCHEDULE_COUNT_MAX};

/// The comparisons of all programs, and of what is counted over all programs.
pub(super) fn compare(grid: &Grid) -> Vec<Comparison> {
    let mut all = Vec::new();
    for row in grid.rows() {
        for cell in &row.cells {
            all.extend(compare_cell(row, cell));
        }
    }
    all.extend(compare_totals(grid));
    all.extend(tables::compare_triviality(grid));
    all
}

/// Published, measured, and what that says.
struct Judged(&'static str, String, String, Verdict);

fn compare_cell(row: &Row, cell: &Cell) -> Option<Comparison> {
    let published = row.published;
    let Judged(what, printed, measured, verdict) = match cell.technique.as_str() {
        "ipb" => judge_bounded(&published.ipb, row, cell),
        "idb" => judge_bounded(&published.idb, row, cell),
        "dfs" => judge_dfs(&published.dfs, row, cell),
        "random" => judge_sample(published.random, row, cell),
        "pct:d=1" => judge_sample(published.pct[0], row, cell),
        "pct:d=2" => judge_sample(published.pct[1], row, cell),
        "pct:d=3" => judge_sample(published.pct[2], row, cell),
        "maple" => judge_maple(row, cell),
        _ => return None,
    };
    let is_other = !matches!(verdict, Verdict::Same | Verdict::Within);
    Some(Comparison {
        program: row.program.name.to_string(),
        technique: cell.technique.clone(),
        what: what.to_string(),
        published: printed,
        measured,
        verdict,
        why: match is_other {
            true => reasons::of(row, &cell.technique, verdict),
            false => String::new(),
        },
    })
}

fn judge_bounded(printed: &Bounded, row: &Row, cell: &Cell) -> Judged {
    let measured = &cell.measured;
    let (bound, new) = measured.last_bound();
    let first = match printed.found {
        true => counted(printed.first),
        false => rank(None),
    };
    let counts = [printed.schedules, printed.new, printed.buggy];
    let published = format!(
        "{}/{first}/{}",
        printed.bound,
        counts.map(counted).join("/")
    );
    let first = rank(measured.first);
    let found = format!(
        "{bound}/{first}/{}/{new}/{}",
        measured.schedules, measured.failures
    );
    let known = [
        (Some(u64::from(printed.bound)), u64::from(bound)),
        (printed.schedules, measured.schedules),
        (printed.new, new),
        (printed.buggy, measured.failures),
    ];
    let is_same = known
        .iter()
        .all(|(printed, measured)| printed.is_none_or(|count| count == *measured))
        && (printed.first.is_none() || printed.first == measured.first);
    let search = Search {
        is_found: printed.found,
        first: printed.first,
        schedules: printed.schedules.unwrap_or(row.published.schedules_max),
        is_exact: printed.exact,
        is_same,
    };
    Judged("search", published, found, search.judge(row, cell))
}

fn judge_dfs(printed: &Dfs, row: &Row, cell: &Cell) -> Judged {
    let measured = &cell.measured;
    let text = |first: Option<u64>, schedules: u64, buggy: u64| {
        format!("{}/{schedules}/{buggy}", rank(first))
    };
    let published = text(printed.first, printed.schedules, printed.buggy);
    let found = text(measured.first, measured.schedules, measured.failures);
    let search = Search {
        is_found: printed.first.is_some(),
        first: printed.first,
        schedules: printed.schedules,
        is_exact: printed.exact,
        is_same: published == found,
    };
    Judged("search", published, found, search.judge(row, cell))
}

/// What was published of a search, as far as the judgement needs it.
struct Search {
    is_found: bool,
    first: Option<u64>,
    schedules: u64,
    is_exact: bool,
    /// Whether all counts are as published.
    is_same: bool,
}

impl Search {
    fn judge(&self, row: &Row, cell: &Cell) -> Verdict {
        let first = cell.measured.first;
        let is_ended = cell.limit < self.schedules.min(row.published.schedules_max);
        // Where the limit has ended the search earlier than the published one, the first failure can be
        // compared if it lies within both.
        let is_within = self.first.is_some_and(|first| first <= cell.limit);
        let is_same = match is_ended {
            true => is_within && self.first == first,
            false => self.is_same,
        };
        match (is_same, self.is_found, first.is_some()) {
            (true, _, _) => Verdict::Same,
            (false, _, false) if is_ended && !is_within => Verdict::Beyond,
            _ if self.is_exact => Verdict::Violation,
            (false, true, false) => Verdict::Loss,
            (false, false, true) => Verdict::Gain,
            _ if !row.published.is_modelled_exactly() => Verdict::Alike,
            _ => Verdict::Differs,
        }
    }
}

fn judge_sample(printed: Randomised, row: &Row, cell: &Cell) -> Judged {
    let count = row.published.schedules_max;
    let failures = cell.measured.failures;
    let expected = printed
        .buggy
        .map(|buggy| buggy as f64 * cell.limit as f64 / count as f64);
    let within = printed
        .buggy
        .map(|buggy| is_within(buggy, count, failures, cell.measured.schedules.max(1)));
    let verdict = match (within, printed.found, failures > 0) {
        (Some(true), _, _) => Verdict::Within,
        (Some(false), _, _) if printed.checked => Verdict::Violation,
        (_, true, false) if cell.limit < count => Verdict::Beyond,
        (_, true, false) => Verdict::Loss,
        (_, false, true) => Verdict::Gain,
        (None, _, _) => Verdict::Same,
        _ if !row.published.is_modelled_exactly() => Verdict::Alike,
        _ => Verdict::Differs,
    };
    let shown = match expected {
        None => "? (found)".to_string(),
        Some(expected) if expected > 0.0 && expected < 10.0 => format!("{expected:.1}"),
        Some(expected) => format!("{expected:.0}"),
    };
    Judged("failing", shown, failures.to_string(), verdict)
}

fn judge_maple(row: &Row, cell: &Cell) -> Judged {
    let printed = &row.published.maple;
    let measured = &cell.measured;
    let word = |is_found| if is_found { "✓" } else { "✗" };
    let verdict = match (printed.found, measured.first.is_some()) {
        (true, false) => Verdict::Loss,
        (false, true) => Verdict::Gain,
        _ => Verdict::Same,
    };
    let published = format!("{} {}", word(printed.found), printed.schedules);
    let found = format!("{} {}", word(measured.first.is_some()), measured.executions);
    Judged("found, executions", published, found, verdict)
}

/// Whether the published technique has found the bug of a program; `None` if it is not a published one.
pub(super) fn is_published_found(row: &Row, technique: &str) -> Option<bool> {
    let published = row.published;
    Some(match technique {
        "ipb" => published.ipb.found,
        "idb" => published.idb.found,
        "dfs" => published.dfs.first.is_some(),
        "random" => published.random.found,
        "pct:d=1" => published.pct[0].found,
        "pct:d=2" => published.pct[1].found,
        "pct:d=3" => published.pct[2].found,
        "maple" => published.maple.found,
        _ => return None,
    })
}

/// Counts over all programs that are here.
fn compare_totals(grid: &Grid) -> Vec<Comparison> {
    let rows = grid.rows();
    let mut all = Vec::new();
    for technique in grid.techniques() {
        let published = rows
            .iter()
            .filter_map(|row| is_published_found(row, technique));
        let published: Vec<bool> = published.collect();
        if published.len() == rows.len() {
            let printed = published.iter().filter(|&&is_found| is_found).count() as u64;
            let found = rows.iter().filter(|row| row.is_found(technique)).count() as u64;
            let what = "bugs found".to_string();
            all.push(total(
                grid,
                technique,
                what,
                [printed, found],
                SCHEDULE_COUNT_MAX,
            ));
        }
    }
    if rows.len() == PROGRAMS {
        for (technique, within, printed) in FOUND_WITHIN {
            if grid.has(technique) {
                let found = figures::found_within(grid, technique, within);
                let what = format!("bugs found within {within} schedules");
                all.push(total(grid, technique, what, [printed, found], within));
            }
        }
    }
    for venn in &VENNS {
        if venn.sets.iter().all(|set| grid.has(set)) {
            let printed = figures::published_regions(grid, venn);
            let measured = figures::regions(grid, &venn.sets);
            for region in 0..8 {
                let name = figures::region_name(&venn.sets, region);
                let what = format!("figure 3.3{}: {name}", venn.letter);
                let counts = [printed[region], measured[region]];
                all.push(total(grid, "", what, counts, SCHEDULE_COUNT_MAX));
            }
        }
    }
    all
}

/// A count over all programs, published and measured; fewer schedules than `needed` cannot tell.
fn total(
    grid: &Grid,
    technique: &str,
    what: String,
    [printed, measured]: [u64; 2],
    needed: u64,
) -> Comparison {
    let cells = grid.rows().iter().flat_map(|row| &row.cells);
    let limit = cells.map(|cell| cell.limit).max().unwrap_or(0);
    // What ends by itself needs no limit.
    let needed = if technique == "maple" { 0 } else { needed };
    let verdict = match (printed == measured, limit < needed) {
        (true, _) => Verdict::Same,
        (false, true) => Verdict::Beyond,
        (false, false) if measured < printed => Verdict::Loss,
        (false, false) => Verdict::Gain,
    };
    Comparison {
        program: format!("all {}", grid.rows().len()),
        technique: technique.to_string(),
        what,
        published: printed.to_string(),
        measured: measured.to_string(),
        verdict,
        why: match verdict {
            Verdict::Same => String::new(),
            _ => "the sum of what is said of the programs".to_string(),
        },
    }
}

fn counted(count: Option<u64>) -> String {
    count.map_or_else(|| "?".to_string(), |count| count.to_string())
}

pub(super) fn rank(first: Option<u64>) -> String {
    first.map_or_else(|| "✗".to_string(), |first| first.to_string())
}
