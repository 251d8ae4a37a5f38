//! Every published number beside the measured one.

use super::grid::{Cell, Grid, Row};
use super::published::{FOUND_WITHIN, MAPLE_FOUND, PROGRAMS, VENNS};
use super::{figures, limit_of, reasons, tables};
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
        "random" => judge_sample(published.random, row, cell)?,
        "pct:d=1" => judge_sample(published.pct[0], row, cell)?,
        "pct:d=2" => judge_sample(published.pct[1], row, cell)?,
        "pct:d=3" => judge_sample(published.pct[2], row, cell)?,
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
    let text = |bound: u32, first: Option<u64>, schedules: u64, new: u64, buggy: u64| {
        format!("{bound}/{}/{schedules}/{new}/{buggy}", rank(first))
    };
    let published = text(
        printed.bound,
        printed.first,
        printed.schedules,
        printed.new,
        printed.buggy,
    );
    let found = text(
        bound,
        measured.first,
        measured.schedules,
        new,
        measured.failures,
    );
    let must = printed.exact;
    let verdict = match cell.limit >= printed.schedules.min(limit_of(row.program)) {
        true => verdict(published == found, must, printed.first, measured.first),
        false => partial(printed.first, measured.first, cell.limit, must),
    };
    Judged("search", published, found, verdict)
}

fn judge_dfs(printed: &Dfs, row: &Row, cell: &Cell) -> Judged {
    let measured = &cell.measured;
    let text = |first: Option<u64>, schedules: u64, buggy: u64| {
        format!("{}/{schedules}/{buggy}", rank(first))
    };
    let published = text(printed.first, printed.schedules, printed.buggy);
    let found = text(measured.first, measured.schedules, measured.failures);
    let must = printed.exact;
    let verdict = match cell.limit >= printed.schedules.min(limit_of(row.program)) {
        true => verdict(published == found, must, printed.first, measured.first),
        false => partial(printed.first, measured.first, cell.limit, must),
    };
    Judged("search", published, found, verdict)
}

/// Where the limit has ended a search earlier than the published one: the first failure can be compared if it
/// lies within both.
fn partial(printed: Option<u64>, measured: Option<u64>, limit: u64, must: bool) -> Verdict {
    match printed {
        Some(first) if first <= limit => verdict(printed == measured, must, printed, measured),
        // Nothing to find within the limit.
        _ if measured.is_none() => Verdict::Beyond,
        _ if must => Verdict::Violation,
        _ => Verdict::Gain,
    }
}

fn verdict(is_same: bool, must: bool, printed: Option<u64>, measured: Option<u64>) -> Verdict {
    match (is_same, must) {
        (true, _) => Verdict::Same,
        (false, true) => Verdict::Violation,
        (false, false) if printed.is_some() && measured.is_none() => Verdict::Loss,
        (false, false) if printed.is_none() && measured.is_some() => Verdict::Gain,
        (false, false) => Verdict::Differs,
    }
}

fn judge_sample(printed: Randomised, row: &Row, cell: &Cell) -> Option<Judged> {
    let count = limit_of(row.program);
    let buggy = printed.buggy?;
    let failures = cell.measured.failures;
    let scaled = buggy as f64 * cell.limit as f64 / count as f64;
    let within = is_within(buggy, count, failures, cell.measured.schedules.max(1));
    let verdict = match (within, printed.checked) {
        (true, _) => Verdict::Within,
        (false, true) => Verdict::Violation,
        (false, false) if buggy > 0 && failures == 0 => Verdict::Loss,
        (false, false) if buggy == 0 && failures > 0 => Verdict::Gain,
        (false, false) => Verdict::Differs,
    };
    let shown = match scaled < 10.0 && scaled > 0.0 {
        true => format!("{scaled:.1}"),
        false => format!("{scaled:.0}"),
    };
    Some(Judged("failing", shown, failures.to_string(), verdict))
}

fn judge_maple(row: &Row, cell: &Cell) -> Judged {
    let printed = MAPLE_FOUND.contains(&row.published.id);
    let measured = cell.measured.first.is_some();
    let word = |is_found| if is_found { "✓" } else { "✗" }.to_string();
    let verdict = match (printed, measured) {
        (true, false) => Verdict::Loss,
        (false, true) => Verdict::Gain,
        _ => Verdict::Same,
    };
    Judged("found", word(printed), word(measured), verdict)
}

/// Whether the published technique has found the bug of a program; `None` if it is not a published one.
pub(super) fn is_published_found(row: &Row, technique: &str) -> Option<bool> {
    let published = row.published;
    // What cannot be read was found: the text says so of all such cells.
    let sampled = |sample: Randomised| sample.buggy != Some(0);
    Some(match technique {
        "ipb" => published.ipb.first.is_some(),
        "idb" => published.idb.first.is_some(),
        "dfs" => published.dfs.first.is_some(),
        "random" => sampled(published.random),
        "pct:d=1" => sampled(published.pct[0]),
        "pct:d=2" => sampled(published.pct[1]),
        "pct:d=3" => sampled(published.pct[2]),
        "maple" => MAPLE_FOUND.contains(&published.id),
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

pub(super) fn rank(first: Option<u64>) -> String {
    first.map_or_else(|| "✗".to_string(), |first| first.to_string())
}
