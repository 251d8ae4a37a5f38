//! `lazy-hbr`: what is gained if the order in which locks are taken does not count.
//!
//! P. Thomson, *Practical systematic concurrency testing for concurrent and distributed software*, PhD thesis,
//! Imperial College London, 2016, sections 4.5 and 4.6; with A. F. Donaldson, *The lazy happens-before relation:
//! better partial-order reduction for systematic concurrency testing*, PPoPP 2015. Its 79 Java programs are not
//! here: the programs are those of the suite with coarse locking, in two sizes, and the figures of the thesis.
//!
//! The laws that hold for any program are checked for each: states <= lazy relations <= relations <= schedules; a
//! sound technique that has come to its end has met every state that there is.

mod gains;

use crate::measure::{Measured, Rules, measure};
use crate::page::Page;
use crate::plot::{Axis, Series, scatter};
use crate::table::Table;
use crate::{Cell, Document, Error, Measurement, Options, Study, is_a};
use serde_json::{Value, json};
use unpick_suite::{Program, Source, find};

const TECHNIQUES: &[&str] = &[
    "dfs",
    "hbr-cache",
    "lazy-hbr-cache",
    "dpor",
    "lazy-dpor",
    "odpor",
    "lazy-odpor",
];

/// The techniques that are allowed to miss states.
const UNSOUND: &[&str] = &["lazy-dpor", "lazy-dpor:fallback=0"];

/// The study of lazy happens-before relations.
pub struct LazyHbr;

/// A program under all techniques.
struct Row {
    program: String,
    cells: Vec<(String, Measured)>,
}

impl Row {
    fn get(&self, technique: &str) -> Option<&Measured> {
        let mut cells = self.cells.iter();
        cells
            .find(|(name, _)| name == technique)
            .map(|(_, found)| found)
    }
}

impl Study for LazyHbr {
    fn name(&self) -> &'static str {
        "lazy-hbr"
    }

    fn summary(&self) -> &'static str {
        "Lazy happens-before relations: what the order of locking costs reductions (Thomson 2016, chapter 4)"
    }

    fn limit_default(&self) -> u64 {
        10_000
    }

    fn cells(&self, options: &Options) -> Result<Vec<Cell>, Error> {
        let belongs = [Source::Coarse, Source::Thesis];
        let programs = options.programs(|program| belongs.contains(&program.source))?;
        let techniques = options.strategies(TECHNIQUES)?;
        let mut cells = Vec::new();
        for program in programs.into_iter().flat_map(sizes) {
            for technique in &techniques {
                cells.push(Cell {
                    program: program.clone(),
                    technique: technique.clone(),
                    variant: String::new(),
                    limit: options.limit,
                    seed: options.seed,
                });
            }
        }
        Ok(cells)
    }

    fn measure(&self, cell: &Cell, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Option<Value> {
        let rules = Rules {
            classes: true,
            ..Rules::default()
        };
        Some(json!(measure(cell, rules, is_interrupted)?))
    }

    fn is_answer(&self, value: &Value) -> bool {
        is_a::<Measured>(value)
    }

    fn documents(&self, options: &Options, measured: &[Measurement]) -> Vec<Document> {
        let rows = rows(measured);
        let mut page = Page::new("Lazy happens-before relations");
        introduce(&mut page, options, rows.len());
        page.heading("What is gained");
        page.text(
            "Beside the numbers of the thesis, whose 79 programs are others and whose limit was 100,000. Gains of \
             lazy relations can only be seen where a limit ends the search: a complete one has them all.",
        );
        page.table(gains::table(&rows));
        page.heading("Potential: relations and lazy relations (figure 4.4)");
        page.text(
            "Each point is a program: the happens-before relations that `dpor` has met, and how many are left if \
             the order of locking does not count. Below the diagonal, some of them are the same.",
        );
        page.figure(
            "potential",
            "Relations and lazy relations under dpor",
            potential(&rows),
        );
        page.heading("Practice: caching (figure 4.5) and reduction (figure 4.6)");
        page.text(
            "Lazy relations that a technique has met within the limit, against those of its lazy form. Above the \
             diagonal, the lazy one has met more.",
        );
        page.figure(
            "practice",
            "Lazy relations met by a technique and by its lazy form",
            practice(&rows),
        );
        page.heading("Schedules, relations and states");
        page.text("As `dfs` has found them. `>` marks what the limit has ended.");
        page.table(chain(&rows));
        page.heading("Executions");
        page.text(
            "Of each technique, cut ones included; `>` marks what the limit has ended. `lazy-dpor` goes on as \
             `dpor` where it notices that it must; `(misses states)` marks where it did not notice.",
        );
        page.table(executions(&rows));
        let mut documents = page.documents();
        documents.push(Document::new("data.csv", data(&rows, options).csv()));
        documents
    }

    fn violations(&self, _options: &Options, measured: &[Measurement]) -> Vec<String> {
        let mut all = Vec::new();
        for row in rows(measured) {
            let truth = row.get("dfs").filter(|found| found.complete).cloned();
            for (technique, found) in &row.cells {
                let name = format!("{} {technique}", row.program);
                let [hbrs, lazy, states] = found.classes.unwrap_or_default();
                if !(states <= lazy && lazy <= hbrs && hbrs <= found.schedules) {
                    let schedules = found.schedules;
                    let chain = format!("{states} <= {lazy} <= {hbrs} <= {schedules}");
                    all.push(format!("{name}: {chain} does not hold"));
                }
                let misses = truth.as_ref().is_some_and(|truth| misses(truth, found));
                if misses && !UNSOUND.contains(&technique.as_str()) {
                    all.push(format!("{name}: is complete and has missed states"));
                }
            }
        }
        all
    }
}

/// A program as it is by default, and with one more of what its first parameter counts.
fn sizes(program: &'static Program) -> Vec<String> {
    let mut texts = vec![program.name.to_string()];
    if let Some(first) = program.parameters.first() {
        texts.push(format!(
            "{}:{}={}",
            program.name,
            first.name,
            first.default + 1
        ));
    }
    let found = texts.iter().filter_map(|text| find(text).ok());
    found.map(|selection| selection.label).collect()
}

/// Whether a complete search has not met every state. Where an execution can end early by a failure, states are not
/// compared: it leaves them half-way.
fn misses(truth: &Measured, found: &Measured) -> bool {
    truth.complete
        && found.complete
        && truth.failures == 0
        && truth.states_hash != found.states_hash
}

fn introduce(page: &mut Page, options: &Options, programs: usize) {
    page.text(
        "P. Thomson, Practical systematic concurrency testing for concurrent and distributed software, PhD \
         thesis, Imperial College London, 2016, sections 4.5 and 4.6: two schedules that differ only in the order \
         in which locks are taken end in the same state, so that one of them is enough.",
    );
    page.text(format!(
        "Made by the command below: {programs} programs, {} executions for each technique.",
        unpick::report::thousands(options.limit)
    ));
    page.code(format!(
        "unpick study lazy-hbr --limit {} --out DIR",
        options.limit
    ));
}

fn rows(measured: &[Measurement]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for one in measured {
        let cell = (one.cell.technique.clone(), one.read());
        match rows.last_mut() {
            Some(row) if row.program == one.cell.program => row.cells.push(cell),
            _ => rows.push(Row {
                program: one.cell.program.clone(),
                cells: vec![cell],
            }),
        }
    }
    rows
}

/// Relations and lazy relations.
fn classes(found: &Measured) -> (u64, u64) {
    let [hbrs, lazy, _] = found.classes.unwrap_or_default();
    (hbrs, lazy)
}

fn potential(rows: &[Row]) -> String {
    let points = rows.iter().filter_map(|row| {
        let (hbrs, lazy) = classes(row.get("dpor")?);
        Some((row.program.clone(), (hbrs as f64, lazy as f64)))
    });
    let (labels, points): (Vec<String>, Vec<(f64, f64)>) = points.unzip();
    let most = points.iter().map(|point| point.0).fold(10.0, f64::max);
    let x = Axis::log("happens-before relations", 1.0, most);
    let y = Axis::log("lazy relations", 1.0, most);
    let series = Series {
        name: "a program".to_string(),
        points,
        labels,
    };
    scatter(&x, &y, &[series])
}

fn practice(rows: &[Row]) -> String {
    let mut all = Vec::new();
    let mut most: f64 = 10.0;
    for (plain, lazy) in gains::PAIRS {
        let mut series = Series::new(format!("{plain}, {lazy}"), Vec::new());
        for row in rows {
            if let (Some(one), Some(other)) = (row.get(plain), row.get(lazy)) {
                let point = (classes(one).1 as f64, classes(other).1 as f64);
                most = most.max(point.0).max(point.1);
                series.points.push(point);
                series.labels.push(row.program.clone());
            }
        }
        all.push(series);
    }
    let x = Axis::log("lazy relations, plain technique", 1.0, most);
    let y = Axis::log("lazy relations, lazy technique", 1.0, most);
    scatter(&x, &y, &all)
}

fn chain(rows: &[Row]) -> Table {
    let mut table = Table::new(&["program", "schedules", "HBRs", "lazy HBRs", "states"]);
    for row in rows {
        if let Some(found) = row.get("dfs") {
            let [hbrs, lazy, states] = found.classes.unwrap_or_default();
            let counts = [found.schedules, hbrs, lazy, states];
            let mut cells = vec![row.program.clone()];
            cells.extend(counts.map(|count| counted(count, found.complete)));
            table.add(cells);
        }
    }
    table
}

fn executions(rows: &[Row]) -> Table {
    let names: Vec<String> = match rows.first() {
        Some(row) => row.cells.iter().map(|(name, _)| name.clone()).collect(),
        None => Vec::new(),
    };
    let mut header = vec!["program".to_string()];
    header.extend(names.iter().map(|name| format!("`{name}`")));
    let mut table = Table::new(&header);
    for row in rows {
        let mut cells = vec![row.program.clone()];
        for name in &names {
            cells.push(match row.get(name) {
                Some(found) => {
                    let misses = row.get("dfs").is_some_and(|truth| misses(truth, found));
                    let mark = if misses { " (misses states)" } else { "" };
                    format!("{}{mark}", counted(found.executions, found.complete))
                }
                None => "–".to_string(),
            });
        }
        table.add(cells);
    }
    table
}

fn data(rows: &[Row], options: &Options) -> Table {
    let mut table = Table::new(&[
        "program",
        "technique",
        "limit",
        "executions",
        "schedules",
        "hbrs",
        "lazy_hbrs",
        "states",
        "complete",
        "failures",
        "first",
        "warnings",
    ]);
    for row in rows {
        for (technique, found) in &row.cells {
            let [hbrs, lazy, states] = found.classes.unwrap_or_default();
            table.add([
                row.program.clone(),
                technique.clone(),
                options.limit.to_string(),
                found.executions.to_string(),
                found.schedules.to_string(),
                hbrs.to_string(),
                lazy.to_string(),
                states.to_string(),
                found.complete.to_string(),
                found.failures.to_string(),
                found
                    .first
                    .map_or_else(String::new, |first| first.to_string()),
                found.warnings.len().to_string(),
            ]);
        }
    }
    table
}

fn counted(count: u64, is_complete: bool) -> String {
    match is_complete {
        true => count.to_string(),
        false => format!(">{count}"),
    }
}
