//! `sctbench`: which technique finds which bug, after how many schedules.
//!
//! P. Thomson, *Practical systematic concurrency testing for concurrent and distributed software*, PhD thesis,
//! Imperial College London, 2016, chapter 3; with A. F. Donaldson and A. Betts, *Concurrency testing using
//! controlled schedulers: an empirical study*, TOPC 2016. Tables 3.1 to 3.4, the Venn diagrams of figure 3.3 and
//! the curves of figures 3.4 and 3.5 are drawn again from what is measured here.
//!
//! Where a program is an exact model, `pct` is given the published number of steps; elsewhere it learns it.

mod compare;
mod figures;
mod grid;
mod published;
mod reasons;
mod tables;

use crate::measure::{Measured, Rules, measure};
use crate::page::Page;
use crate::{Cell, Document, Error, Measurement, Options, Study, comparison, is_a};
use grid::Grid;
use serde_json::{Value, json};
use unpick_suite::{Program, Published, Source};

/// The published techniques, in the order of the tables, and ours behind them.
const TECHNIQUES: &[&str] = &[
    "ipb",
    "idb",
    "dfs",
    "random",
    "pct:d=1",
    "pct:d=2",
    "pct:d=3",
    "maple",
    "pos",
    "surw",
    "portfolio",
];

/// The study of SCTBench.
pub struct Sctbench;

impl Study for Sctbench {
    fn name(&self) -> &'static str {
        "sctbench"
    }

    fn summary(&self) -> &'static str {
        "SCTBench: which technique finds which bug, after how many schedules (Thomson 2016, chapter 3)"
    }

    fn limit_default(&self) -> u64 {
        10_000
    }

    fn cells(&self, options: &Options) -> Result<Vec<Cell>, Error> {
        let programs = options.programs(|program| program.source == Source::Sctbench)?;
        let techniques = options.strategies(TECHNIQUES)?;
        let mut cells = Vec::new();
        for program in programs {
            for technique in &techniques {
                cells.push(Cell {
                    program: program.name.to_string(),
                    technique: spelled(program, technique),
                    variant: String::new(),
                    limit: options.limit.min(published_of(program).schedules_max),
                    seed: options.seed,
                });
            }
        }
        Ok(cells)
    }

    fn measure(&self, cell: &Cell, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Option<Value> {
        let measured = measure(cell, Rules::default(), is_interrupted)?;
        Some(json!(measured))
    }

    fn is_answer(&self, value: &Value) -> bool {
        is_a::<Measured>(value)
    }

    fn documents(&self, options: &Options, measured: &[Measurement]) -> Vec<Document> {
        let grid = Grid::new(measured);
        let compared = compare::compare(&grid);
        let mut page = Page::new("SCTBench: which technique finds which bug");
        introduce(&mut page, options, &grid);
        page.heading("Bugs found");
        page.table(tables::found(&grid));
        page.heading("Published and measured");
        page.text(
            "Every published number beside the measured one, losses and differences first. Bounded searches: \
             bound / first failing schedule / schedules / schedules of exactly that bound / failing ones. `dfs`: \
             first / schedules / failing ones. Randomised techniques: failing executions, the published ones \
             scaled to the limit of this study.",
        );
        page.table(comparison::summary(&compared));
        page.table(comparison::table(&compared));
        figures::add(&mut page, &grid);
        tables::add(&mut page, &grid);
        let mut documents = page.documents();
        documents.push(Document::new("data.csv", grid.table().csv()));
        documents.push(Document::new("data.json", grid.json()));
        let comparisons = comparison::table(&compared).csv();
        documents.push(Document::new("comparisons.csv", comparisons));
        documents
    }

    fn violations(&self, _options: &Options, measured: &[Measurement]) -> Vec<String> {
        let compared = compare::compare(&Grid::new(measured));
        compared
            .iter()
            .filter(|one| one.verdict == comparison::Verdict::Violation)
            .map(|one| {
                format!(
                    "{} {}: published {}, measured {}",
                    one.program, one.technique, one.published, one.measured
                )
            })
            .collect()
    }
}

fn introduce(page: &mut Page, options: &Options, grid: &Grid) {
    page.text(
        "P. Thomson, Practical systematic concurrency testing for concurrent and distributed software, PhD \
         thesis, Imperial College London, 2016, chapter 3, measured again with unpick on the programs of its \
         suite. The study stopped each technique at 100,000 schedules, and at 10,000 on two programs.",
    );
    page.text(format!(
        "This page, its pictures and its data are made by the command below: {} programs, {} schedules for each \
         technique, seed {:#x}. `*` marks the explored part of a search that the limit has ended, `L` the limit, \
         `✗` what was not found. How long each cell took is in `times.csv`, the only file that differs from time \
         to time.",
        grid.rows().len(),
        unpick::report::thousands(options.limit),
        options.seed,
    ));
    page.code(format!(
        "unpick study sctbench --limit {} --out DIR",
        options.limit
    ));
}

/// The published row of a program of SCTBench.
fn published_of(program: &Program) -> &'static Published {
    program
        .published
        .expect("internal error: every program of SCTBench has a published row")
}

/// A technique as it is given to a program.
fn spelled(program: &Program, technique: &str) -> String {
    let row = published_of(program);
    let wants_steps = technique.starts_with("pct:") && !technique.contains("k=");
    match wants_steps && row.is_modelled_exactly() {
        true => format!("{technique},k={}", row.steps_max),
        false => technique.to_string(),
    }
}
