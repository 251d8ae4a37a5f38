//! The best rate of each tool on each program, as tables and as JSON.

use std::fmt::Write;

use crate::complete::Searches;
use crate::programs::Program;
use crate::tools::{LOOM, SHUTTLE_DFS, SHUTTLE_RANDOM, TOOLS, Tool, UNPICK_DFS, UNPICK_RANDOM};

pub struct Results {
    rounds: u32,
    seconds: f64,
    /// In the order of measuring.
    rows: Vec<Row>,
}

struct Row {
    program: &'static Program,
    tool: &'static str,
    /// Zero if no measurement succeeded.
    executions_per_second: f64,
}

/// A ratio of rates, with the least that it must be.
struct Ratio {
    name: &'static str,
    value: Option<f64>,
    min: f64,
}

impl Ratio {
    fn is_met(&self) -> bool {
        self.value.is_some_and(|value| value >= self.min)
    }

    fn cell(&self) -> String {
        match self.value {
            Some(value) => format!("{value:.1}x"),
            None => "not measured".to_owned(),
        }
    }
}

impl Results {
    pub fn new(rounds: u32, seconds: f64) -> Self {
        Results {
            rounds,
            seconds,
            rows: Vec::new(),
        }
    }

    /// Keeps the rate if it is the best so far.
    pub fn add(&mut self, program: &'static Program, tool: &Tool, executions_per_second: f64) {
        let known = self
            .rows
            .iter_mut()
            .find(|row| row.program.name == program.name && row.tool == tool.name);
        match known {
            Some(row) => {
                row.executions_per_second = row.executions_per_second.max(executions_per_second);
            }
            None => self.rows.push(Row {
                program,
                tool: tool.name,
                executions_per_second,
            }),
        }
    }

    /// The rates, then the ratios against their bars.
    pub fn tables(&self) -> String {
        let mut rates =
            vec![["program", "tool strategy", "executions/s", "ns/execution"].map(str::to_owned)];
        for row in &self.rows {
            let (rate, time) = match row.executions_per_second {
                0.0 => ("failed".to_owned(), "failed".to_owned()),
                rate => (format!("{rate:.0}"), format!("{:.0}", 1e9 / rate)),
            };
            rates.push([row.program.name.to_owned(), row.tool.to_owned(), rate, time]);
        }
        let head = [
            "program",
            "unpick random / shuttle random",
            "unpick dfs / shuttle dfs",
            "unpick random / loom",
            "bar",
            "met?",
        ];
        let mut ratios = vec![head.map(str::to_owned)];
        for program in self.programs() {
            let [random, dfs, loom] = self.ratios(program);
            ratios.push([
                program.name.to_owned(),
                random.cell(),
                dfs.cell(),
                loom.cell(),
                format!(
                    "{}x shuttle, {}x loom",
                    program.times_shuttle_min, program.times_loom_min
                ),
                met(&[&random, &dfs, &loom]),
            ]);
        }
        format!(
            "best of {} rounds of {} s of processor time; no spurious wake-ups, which the others lack\n\n{}\n{}",
            self.rounds,
            self.seconds,
            aligned(&rates),
            aligned(&ratios)
        )
    }

    /// The same numbers for programs, and those of complete explorations.
    pub fn json(&self, searches: &Searches) -> String {
        let measurements = self.rows.iter().map(|row| {
            format!(
                "{{\"program\": \"{}\", \"tool\": \"{}\", \"executions_per_second\": {:.1}}}",
                row.program.name, row.tool, row.executions_per_second
            )
        });
        let ratios = self.programs().into_iter().flat_map(|program| {
            self.ratios(program).map(|ratio| {
                let value = ratio.value.map_or("null".to_owned(), |value| format!("{value:.3}"));
                format!(
                    "{{\"program\": \"{}\", \"ratio\": \"{}\", \"value\": {value}, \"min\": {}, \"met\": {}}}",
                    program.name,
                    ratio.name,
                    ratio.min,
                    ratio.is_met()
                )
            })
        });
        format!(
            "{{\n  \"rounds\": {},\n  \"seconds\": {},\n  \"measurements\": [\n    {}\n  ],\n  \"ratios\": [\n    {}\n  ],\n  \"complete\": [\n    {}\n  ]\n}}\n",
            self.rounds,
            self.seconds,
            measurements.collect::<Vec<_>>().join(",\n    "),
            ratios.collect::<Vec<_>>().join(",\n    "),
            searches.json().join(",\n    ")
        )
    }

    fn programs(&self) -> Vec<&'static Program> {
        let first = TOOLS[0].name;
        let rows = self.rows.iter().filter(|row| row.tool == first);
        rows.map(|row| row.program).collect()
    }

    fn ratios(&self, program: &Program) -> [Ratio; 3] {
        let ratio = |name, above, below, min| Ratio {
            name,
            value: self
                .rate(program, above)
                .zip(self.rate(program, below))
                .map(|(above, below)| above / below),
            min,
        };
        [
            ratio(
                "unpick random / shuttle random",
                UNPICK_RANDOM,
                SHUTTLE_RANDOM,
                program.times_shuttle_min,
            ),
            ratio(
                "unpick dfs / shuttle dfs",
                UNPICK_DFS,
                SHUTTLE_DFS,
                program.times_shuttle_min,
            ),
            ratio(
                "unpick random / loom",
                UNPICK_RANDOM,
                LOOM,
                program.times_loom_min,
            ),
        ]
    }

    fn rate(&self, program: &Program, tool: &str) -> Option<f64> {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| row.program.name == program.name && row.tool == tool)?;
        (row.executions_per_second > 0.0).then_some(row.executions_per_second)
    }
}

/// Losses are named beside wins.
fn met(ratios: &[&Ratio]) -> String {
    let missed: Vec<_> = ratios
        .iter()
        .filter(|ratio| !ratio.is_met())
        .map(|ratio| ratio.name.replace("unpick ", ""))
        .collect();
    match missed[..] {
        [] => "yes".to_owned(),
        _ => format!("NO: {}", missed.join("; ")),
    }
}

/// A table in Markdown whose columns also line up as plain text.
pub fn aligned<const COLUMNS: usize>(rows: &[[String; COLUMNS]]) -> String {
    let mut widths = [0; COLUMNS];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
        if index == 0 {
            for width in widths {
                let _ = write!(text, "|{:-<1$}", "", width + 2);
            }
            text.push_str("|\n");
        }
    }
    text
}
