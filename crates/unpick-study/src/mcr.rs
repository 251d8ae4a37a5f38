//! `mcr`: executions of each technique per program and memory model.
//!
//! S. Huang, *Maximal causality reduction for concurrent programs under relaxed memory models*, dissertation, Texas
//! A&M University, 2017, tables 3.2 and 3.4. The programs are those of the dissertation whose structure it gives;
//! the mutual exclusions have other bounds here, so that only the order of the techniques can be compared.
//!
//! What the repaired algorithms promise is checked: they show every state that reads can tell apart.

use crate::measure::{Measured, Rules, measure};
use crate::page::Page;
use crate::table::Table;
use crate::{Cell, Document, Error, Measurement, Options, Study, is_a};
use serde_json::{Value, json};
use unpick::Memory;
use unpick_suite::Source;

const TECHNIQUES: &[&str] = &[
    "dfs",
    "dpor",
    "odpor",
    "mcr:mode=literal",
    "se-mcr:mode=literal",
    "mcr",
    "se-mcr",
];

/// Programs of other sizes than by default.
const MORE: &[&str] = &["huang.fig3_9a:n=2", "huang.counter:max=3"];

/// Tables 3.2 and 3.4: program, technique, and executions under SC, TSO and PSO; zero if it failed.
const PUBLISHED: &[(&str, &str, [u64; 3], &str)] = &[
    (
        "huang.fig3_9a:n=1",
        "dpor",
        [4, 4, 0],
        "the buffers are tasks here, whose order `dpor` turns round in vain",
    ),
    ("huang.fig3_9a:n=1", "mcr:mode=literal", [2, 2, 10], ""),
    (
        "huang.fig3_9a:n=2",
        "dpor",
        [105, 105, 0],
        "there are 105 relations, which `odpor` runs once each; `dpor` runs some of them more often",
    ),
    (
        "huang.fig3_9a:n=2",
        "mcr:mode=literal",
        [43, 43, 89],
        "there are 52 and 188 states, by enumeration; the published counts are below that",
    ),
    ("huang.dekker", "dpor", [248, 252, 508], OTHER_BOUND),
    (
        "huang.dekker",
        "mcr:mode=literal",
        [62, 98, 155],
        OTHER_BOUND,
    ),
    ("huang.peterson", "dpor", [36, 95, 120], OTHER_BOUND),
    (
        "huang.peterson",
        "mcr:mode=literal",
        [13, 18, 19],
        OTHER_BOUND,
    ),
    ("huang.lamport", "dpor", [128, 208, 2_672], OTHER_BOUND),
    (
        "huang.lamport",
        "mcr:mode=literal",
        [14, 91, 102],
        OTHER_BOUND,
    ),
    ("huang.bakery", "dpor", [350, 1_164, 2_040], OTHER_BOUND),
    (
        "huang.bakery",
        "mcr:mode=literal",
        [77, 158, 165],
        OTHER_BOUND,
    ),
    ("huang.stackunsafe", "dpor", [252, 252, 252], OTHER_SIZE),
    (
        "huang.stackunsafe",
        "mcr:mode=literal",
        [29, 46, 108],
        OTHER_SIZE,
    ),
    ("huang.rvexample", "dpor", [1_959, 0, 0], TWO_SIZES),
    (
        "huang.rvexample",
        "mcr:mode=literal",
        [57, 64, 70],
        TWO_SIZES,
    ),
];

const OTHER_BOUND: &str = "the published program has another bound on its loops, which is not told";
const TWO_SIZES: &str =
    "another chapter prints 107 for it: it was measured in sizes that are not told";
const OTHER_SIZE: &str = "only the shape of the published program is told";

/// The study of maximal causality reduction.
pub struct Mcr;

impl Study for Mcr {
    fn name(&self) -> &'static str {
        "mcr"
    }

    fn summary(&self) -> &'static str {
        "Maximal causality reduction: executions per program and memory model (Huang 2017, chapter 3)"
    }

    fn limit_default(&self) -> u64 {
        100_000
    }

    fn cells(&self, options: &Options) -> Result<Vec<Cell>, Error> {
        let programs = options.programs(|program| program.source == Source::Huang)?;
        let mut labels: Vec<String> = Vec::new();
        for program in programs {
            let selection = unpick_suite::find(program.name);
            labels.extend(selection.map(|selection| selection.label));
            let more = MORE
                .iter()
                .filter(|label| label.split(':').next() == Some(program.name));
            labels.extend(more.map(ToString::to_string));
        }
        let techniques = options.strategies(TECHNIQUES)?;
        let mut cells = Vec::new();
        for program in labels {
            for model in Memory::ALL {
                for technique in &techniques {
                    cells.push(Cell {
                        program: program.clone(),
                        technique: technique.clone(),
                        variant: format!("memory={}", model.name()),
                        limit: options.limit,
                        seed: options.seed,
                    });
                }
            }
        }
        Ok(cells)
    }

    fn measure(&self, cell: &Cell, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Option<Value> {
        let name = cell.variant.trim_start_matches("memory=");
        let memory = Memory::ALL.into_iter().find(|model| model.name() == name);
        let rules = Rules {
            classes: true,
            memory: memory.expect("internal error: a cell has one of the memory models"),
            ..Rules::default()
        };
        Some(json!(measure(cell, rules, is_interrupted)?))
    }

    fn is_answer(&self, value: &Value) -> bool {
        is_a::<Measured>(value)
    }

    fn documents(&self, options: &Options, measured: &[Measurement]) -> Vec<Document> {
        let rows = rows(measured);
        let mut page = Page::new("Maximal causality reduction");
        page.text(
            "S. Huang, Maximal causality reduction for concurrent programs under relaxed memory models, \
             dissertation, Texas A&M University, 2017, chapter 3: how many executions techniques need to show \
             everything that the reads of a program can see. `mode=literal` is the algorithm as it was published, \
             which misses states; `mcr` and `se-mcr` are repaired.",
        );
        page.text(format!(
            "Made by the command below, with at most {} executions; `>` marks what the limit has ended. States are \
             those that reads can tell apart, the most that any technique has shown.",
            unpick::report::thousands(options.limit)
        ));
        page.code(format!(
            "unpick study mcr --limit {} --out DIR",
            options.limit
        ));
        page.heading("Published and measured");
        page.table(published(&rows));
        page.heading("Executions");
        page.table(executions(&rows));
        let mut documents = page.documents();
        documents.push(Document::new("data.csv", data(&rows).csv()));
        documents
    }

    fn violations(&self, _options: &Options, measured: &[Measurement]) -> Vec<String> {
        let mut all = Vec::new();
        for row in rows(measured) {
            let Some(truth) = row.get("dfs").filter(|truth| is_full(truth)) else {
                continue;
            };
            for technique in ["dpor", "odpor", "mcr", "se-mcr"] {
                let Some(found) = row.get(technique).filter(|found| is_full(found)) else {
                    continue;
                };
                if found.read_states != truth.read_states {
                    all.push(format!(
                        "{} {} {technique}: shows {:?} states of {:?}",
                        row.program, row.memory, found.read_states, truth.read_states
                    ));
                }
            }
        }
        all
    }
}

/// Whether a search has come to its end, and no execution to an early one.
fn is_full(found: &Measured) -> bool {
    found.complete && found.failures == 0
}

/// A program under a memory model.
struct Row {
    program: String,
    memory: String,
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

fn rows(measured: &[Measurement]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for one in measured {
        let cell = (one.cell.technique.clone(), one.read());
        let memory = one.cell.variant.trim_start_matches("memory=");
        match rows.last_mut() {
            Some(row) if row.program == one.cell.program && row.memory == memory => {
                row.cells.push(cell);
            }
            _ => rows.push(Row {
                program: one.cell.program.clone(),
                memory: memory.to_string(),
                cells: vec![cell],
            }),
        }
    }
    rows
}

fn published(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "program",
        "memory",
        "technique",
        "published",
        "measured",
        "same?",
        "why",
    ]);
    for is_same in [false, true] {
        for (program, technique, counts, why) in PUBLISHED {
            for (model, &count) in Memory::ALL.into_iter().zip(counts) {
                let is_row = |row: &&Row| row.program == *program && row.memory == model.name();
                let row = rows.iter().find(is_row);
                let Some(found) = row.and_then(|row| row.get(technique)) else {
                    continue;
                };
                if (found.executions == count) != is_same {
                    continue;
                }
                let printed = match count {
                    0 => "failed".to_string(),
                    count => count.to_string(),
                };
                table.add([
                    program.to_string(),
                    model.name().to_string(),
                    technique.to_string(),
                    printed,
                    counted(found),
                    if is_same { "yes" } else { "no" }.to_string(),
                    match (is_same, count) {
                        (true, _) => String::new(),
                        (false, 0) => "the published checker failed on this program".to_string(),
                        (false, _) => why.to_string(),
                    },
                ]);
            }
        }
    }
    table
}

fn executions(rows: &[Row]) -> Table {
    let names: Vec<String> = match rows.first() {
        Some(row) => row.cells.iter().map(|(name, _)| name.clone()).collect(),
        None => Vec::new(),
    };
    let mut header = vec![
        "program".to_string(),
        "memory".to_string(),
        "states".to_string(),
    ];
    header.extend(names.iter().map(|name| format!("`{name}`")));
    let mut table = Table::new(&header);
    for row in rows {
        let states = row
            .cells
            .iter()
            .filter_map(|(_, found)| found.read_states)
            .max();
        let states = states.map_or_else(|| "–".to_string(), |states| states.to_string());
        let mut cells = vec![row.program.clone(), row.memory.clone(), states];
        for name in &names {
            cells.push(row.get(name).map_or_else(|| "–".to_string(), counted));
        }
        table.add(cells);
    }
    table
}

fn counted(found: &Measured) -> String {
    match found.complete {
        true => found.executions.to_string(),
        false => format!(">{}", found.executions),
    }
}

fn data(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "program",
        "memory",
        "technique",
        "executions",
        "schedules",
        "read_states",
        "states",
        "complete",
        "failures",
    ]);
    for row in rows {
        for (technique, found) in &row.cells {
            let [_, _, states] = found.classes.unwrap_or_default();
            table.add([
                row.program.clone(),
                row.memory.clone(),
                technique.clone(),
                found.executions.to_string(),
                found.schedules.to_string(),
                found.read_states.unwrap_or(0).to_string(),
                states.to_string(),
                found.complete.to_string(),
                found.failures.to_string(),
            ]);
        }
    }
    table
}
