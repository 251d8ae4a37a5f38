//! What was measured, by program and technique.

use super::published_of;
use crate::Measurement;
use crate::measure::Measured;
use crate::table::Table;
use serde_json::json;
use unpick_suite::{Program, Published, find};

/// All programs with all techniques.
pub(super) struct Grid {
    techniques: Vec<String>,
    rows: Vec<Row>,
}

/// A program.
pub(super) struct Row {
    pub program: &'static Program,
    pub published: &'static Published,
    /// By technique, as the study knows it.
    pub cells: Vec<Cell>,
}

/// A program under a technique.
pub(super) struct Cell {
    pub technique: String,
    /// The technique as it was given to the program.
    pub spelled: String,
    pub limit: u64,
    pub seed: u64,
    pub measured: Measured,
}

impl Row {
    pub fn get(&self, technique: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.technique == technique)
    }

    pub fn is_found(&self, technique: &str) -> bool {
        let cell = self.get(technique);
        cell.is_some_and(|cell| cell.measured.first.is_some())
    }
}

impl Grid {
    pub fn new(all: &[Measurement]) -> Grid {
        let mut grid = Grid {
            techniques: Vec::new(),
            rows: Vec::new(),
        };
        for measurement in all {
            let cell = &measurement.cell;
            let technique = known_as(&cell.technique);
            if !grid.techniques.contains(&technique) {
                grid.techniques.push(technique.clone());
            }
            let new = Cell {
                technique,
                spelled: cell.technique.clone(),
                limit: cell.limit,
                seed: cell.seed,
                measured: measurement.read(),
            };
            match grid.rows.last_mut() {
                Some(row) if row.program.name == cell.program => row.cells.push(new),
                _ => {
                    let program = find(&cell.program)
                        .expect("internal error: a program of the study is in the suite")
                        .program;
                    grid.rows.push(Row {
                        program,
                        published: published_of(program),
                        cells: vec![new],
                    });
                }
            }
        }
        grid.rows.sort_by_key(|row| row.published.id);
        grid
    }

    pub fn techniques(&self) -> &[String] {
        &self.techniques
    }

    pub fn has(&self, technique: &str) -> bool {
        self.techniques.iter().any(|one| one == technique)
    }

    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Everything as one table.
    pub fn table(&self) -> Table {
        let mut table = Table::new(&[
            "id",
            "program",
            "technique",
            "limit",
            "seed",
            "executions",
            "schedules",
            "failures",
            "first",
            "first_bound",
            "bound",
            "new",
            "complete",
            "ended_itself",
            "diverged",
            "tasks_max",
            "enabled_max",
            "steps_max",
        ]);
        for row in &self.rows {
            for cell in &row.cells {
                let measured = &cell.measured;
                let optional = |value: Option<String>| value.unwrap_or_default();
                let last = measured.bounds.last();
                table.add([
                    row.published.id.to_string(),
                    row.program.name.to_string(),
                    cell.spelled.clone(),
                    cell.limit.to_string(),
                    cell.seed.to_string(),
                    measured.executions.to_string(),
                    measured.schedules.to_string(),
                    measured.failures.to_string(),
                    optional(measured.first.map(|first| first.to_string())),
                    optional(measured.first_bound().map(|bound| bound.to_string())),
                    optional(last.map(|last| last.0.to_string())),
                    optional(last.map(|last| last.1.to_string())),
                    measured.complete.to_string(),
                    measured.ended_itself.to_string(),
                    measured.diverged.to_string(),
                    measured.tasks_max.to_string(),
                    measured.enabled_max.to_string(),
                    measured.steps_max.to_string(),
                ]);
            }
        }
        table
    }

    /// Everything as JSON, one cell a line.
    pub fn json(&self) -> String {
        let mut lines = Vec::new();
        for row in &self.rows {
            for cell in &row.cells {
                let object = json!({
                    "id": row.published.id,
                    "program": row.program.name,
                    "technique": cell.spelled,
                    "limit": cell.limit,
                    "seed": cell.seed,
                    "measured": cell.measured,
                });
                lines.push(object.to_string());
            }
        }
        format!("[\n{}\n]\n", lines.join(",\n"))
    }
}

/// A technique without what only says how long the program is.
fn known_as(technique: &str) -> String {
    match technique.split_once(",k=") {
        Some((name, _)) if technique.starts_with("pct:d=") => name.to_string(),
        _ => technique.to_string(),
    }
}
