//! Tables 3.1 to 3.4 as measured, and who found how much.

use super::compare::{is_published_found, rank};
use super::grid::{Cell, Grid, Row};
use super::published::{ALL_FAIL, FEW_SCHEDULES, FIRST_SCHEDULE, FOUND, MOST_FAIL, SUITES};
use crate::comparison::{Comparison, Verdict};
use crate::page::Page;
use crate::table::Table;

/// How many bugs each technique has found, and which it has missed.
pub(super) fn found(grid: &Grid) -> Table {
    let mut table = Table::new(&[
        "technique",
        "published, all 49",
        "published, of these",
        "measured",
        "of",
        "missed",
    ]);
    for technique in grid.techniques() {
        let published = FOUND.iter().find(|(name, _)| name == technique);
        let here = grid.rows().iter();
        let here = here.filter(|row| is_published_found(row, technique) == Some(true));
        let missed: Vec<&str> = grid
            .rows()
            .iter()
            .filter(|row| !row.is_found(technique))
            .map(|row| row.program.name)
            .collect();
        table.add([
            format!("`{technique}`"),
            published.map_or_else(dash, |(_, count)| count.to_string()),
            published.map_or_else(dash, |_| here.count().to_string()),
            (grid.rows().len() - missed.len()).to_string(),
            grid.rows().len().to_string(),
            missed.join(", "),
        ]);
    }
    table
}

/// Adds the tables in the form of the study.
pub(super) fn add(page: &mut Page, grid: &Grid) {
    page.heading("The programs (table 3.1)");
    page.table(suites(grid));
    page.heading("Trivial programs (table 3.2)");
    page.table(triviality(grid));
    page.heading("Searches (table 3.3), as measured");
    page.text(
        "n: tasks; en: most tasks enabled at once; k: steps of the longest schedule. Bounded searches: bound / \
         first failing schedule / schedules / of exactly that bound / failing. `dfs`: first / schedules / \
         failing / share, rounded down.",
    );
    page.table(searches(grid));
    page.heading("Randomised techniques (table 3.4), as measured");
    page.text(
        "First failing execution / failing executions; of all techniques that are no search.",
    );
    page.table(samples(grid));
}

fn suites(grid: &Grid) -> Table {
    let mut table = Table::new(&["suite", "programs are", "published", "here"]);
    for (name, beginning, kind, published) in SUITES {
        let rows = grid.rows().iter();
        let here = rows.filter(|row| row.program.name.starts_with(beginning));
        table.add([
            name.to_string(),
            kind.to_string(),
            published.to_string(),
            here.count().to_string(),
        ]);
    }
    table
}

/// A property that makes a program trivial: what it is, the programs that were published to have it, and whether
/// one has it here; `None` if that cannot be told.
type Property = (&'static str, &'static [u32], fn(&Row) -> Option<bool>);

const PROPERTIES: [Property; 4] = [
    (
        "found by the very first schedule (delay bound 0)",
        FIRST_SCHEDULE,
        |row| Some(row.get("idb")?.measured.first_bound() == Some(0)),
    ),
    (
        "fewer than 100,000 schedules in all",
        FEW_SCHEDULES,
        |row| {
            let cell = row.get("dfs")?;
            match cell.measured.complete {
                true => Some(true),
                false if cell.limit >= 100_000 => Some(false),
                false => None,
            }
        },
    ),
    (
        "more than half of the random schedules fail",
        MOST_FAIL,
        |row| {
            let measured = &row.get("random")?.measured;
            Some(measured.failures * 2 > measured.schedules)
        },
    ),
    ("every random schedule fails", ALL_FAIL, |row| {
        let measured = &row.get("random")?.measured;
        Some(measured.failures == measured.schedules)
    }),
];

fn triviality(grid: &Grid) -> Table {
    let mut table = Table::new(&[
        "property",
        "published",
        "measured",
        "cannot be told",
        "which",
    ]);
    for (name, published, has) in PROPERTIES {
        let told: Vec<(u32, Option<bool>)> = grid
            .rows()
            .iter()
            .map(|row| (row.published.id, has(row)))
            .collect();
        let which: Vec<String> = told
            .iter()
            .filter(|(_, is)| *is == Some(true))
            .map(|(id, _)| id.to_string())
            .collect();
        let unknown = told.iter().filter(|(_, is)| is.is_none()).count();
        table.add([
            name.to_string(),
            published.len().to_string(),
            which.len().to_string(),
            unknown.to_string(),
            which.join(", "),
        ]);
    }
    table
}

/// Table 3.2, program by program where it differs, and in all.
pub(super) fn compare_triviality(grid: &Grid) -> Vec<Comparison> {
    let mut all = Vec::new();
    for (name, published, has) in PROPERTIES {
        for row in grid.rows() {
            let printed = published.contains(&row.published.id);
            let word = |is| if is { "yes" } else { "no" }.to_string();
            let Some(measured) = has(row) else { continue };
            if printed != measured {
                all.push(Comparison {
                    program: row.program.name.to_string(),
                    technique: String::new(),
                    what: format!("table 3.2: {name}"),
                    published: word(printed),
                    measured: word(measured),
                    verdict: Verdict::Differs,
                    why: super::reasons::of(row, "trivial", Verdict::Differs),
                });
            }
        }
    }
    all
}

fn searches(grid: &Grid) -> Table {
    let mut table = Table::new(&["id", "name", "n", "en", "k", "ipb", "idb", "dfs"]);
    for row in grid.rows() {
        let most = |of: fn(&Cell) -> u64| row.cells.iter().map(of).max().unwrap_or(0).to_string();
        table.add([
            row.published.id.to_string(),
            row.program.name.to_string(),
            most(|cell| cell.measured.tasks_max),
            most(|cell| cell.measured.enabled_max),
            most(|cell| cell.measured.contended_steps_max),
            row.get("ipb").map_or_else(dash, bounded),
            row.get("idb").map_or_else(dash, bounded),
            row.get("dfs").map_or_else(dash, unbounded),
        ]);
    }
    table
}

fn bounded(cell: &Cell) -> String {
    let measured = &cell.measured;
    let (bound, new) = measured.last_bound();
    format!(
        "{bound}/{}/{}/{}/{}",
        rank(measured.first),
        limited(measured.schedules, cell),
        limited(new, cell),
        measured.failures
    )
}

fn unbounded(cell: &Cell) -> String {
    let measured = &cell.measured;
    let star = if measured.complete { "" } else { "*" };
    let share = measured.failures * 100 / measured.schedules.max(1);
    let share = match share {
        0 if measured.failures > 0 => "<1".to_string(),
        share => share.to_string(),
    };
    format!(
        "{}/{}/{}/{star}{share}%",
        rank(measured.first),
        limited(measured.schedules, cell),
        measured.failures,
    )
}

fn limited(count: u64, cell: &Cell) -> String {
    match count == cell.limit && !cell.measured.complete {
        true => "L".to_string(),
        false => count.to_string(),
    }
}

fn dash() -> String {
    "–".to_string()
}

fn samples(grid: &Grid) -> Table {
    let is_search = |name: &str| ["ipb", "idb", "dfs"].contains(&name);
    let techniques: Vec<&String> = grid
        .techniques()
        .iter()
        .filter(|name| !is_search(name))
        .collect();
    let mut header = vec!["id".to_string(), "name".to_string()];
    header.extend(techniques.iter().map(|name| name.to_string()));
    let mut table = Table::new(&header);
    for row in grid.rows() {
        let mut cells = vec![row.published.id.to_string(), row.program.name.to_string()];
        for technique in &techniques {
            cells.push(row.get(technique).map_or_else(dash, |cell| {
                let measured = &cell.measured;
                format!(
                    "{}/{}",
                    rank(measured.first),
                    limited(measured.failures, cell)
                )
            }));
        }
        table.add(cells);
    }
    table
}
