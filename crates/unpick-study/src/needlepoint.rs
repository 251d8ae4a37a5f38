//! `needlepoint`: which policy finds which bug at least once in 1,000 executions.
//!
//! S. Nagarakatte, S. Burckhardt, M. M. K. Martin, M. Musuvathi, *Multicore acceleration of priority-based schedulers
//! for concurrency bug detection*, PLDI 2012, section 4. Its programs are here as models of about as many points.
//!
//! Checked for each bug: `pct` and `ppct` with its depth d find it at least as often as they guarantee, in one of
//! n k^(d-1) executions of n tasks and k steps, and `ppct` as often as `pct`, which the paper states in words.

use crate::comparison::{self, Comparison, Verdict};
use crate::measure::{Measured, Rules, measure};
use crate::page::Page;
use crate::table::Table;
use crate::{Cell, Document, Error, Measurement, Options, Study, is_a};
use serde_json::{Value, json};
use unpick_noise::statistics::Share;
use unpick_suite::Source;
use unpick_suite::published::{Found, NEEDLEPOINT, NeedlepointBug};

/// The policies, as they are called in the paper and here. The last two get the depth of the bug.
const POLICIES: [(&str, &str); 6] = [
    ("RS", "random-sleep"),
    ("PA", "preempt-always"),
    ("PB", "preempt-bound"),
    ("AF", "atom-fuzzer"),
    ("PCT", "pct"),
    ("PPCT", "ppct"),
];

/// What a rate may be below another one by chance, in standard deviations.
const CHANCE: f64 = 5.0;

/// Executions in which a bug has to be found at least once.
const EXECUTIONS: u64 = 1_000;

/// More operations than the longest program has.
const STEPS_MAX: u64 = 400_000;

/// The study of NeedlePoint.
pub struct Needlepoint;

impl Study for Needlepoint {
    fn name(&self) -> &'static str {
        "needlepoint"
    }

    fn summary(&self) -> &'static str {
        "NeedlePoint: which policy finds which bug in 1,000 executions (Nagarakatte et al. 2012)"
    }

    fn limit_default(&self) -> u64 {
        EXECUTIONS
    }

    fn cells(&self, options: &Options) -> Result<Vec<Cell>, Error> {
        let programs = options.programs(|program| program.source == Source::Needlepoint)?;
        let exists = |name: &str| unpick::techniques().iter().any(|one| one.name == name);
        let known: Vec<&str> = POLICIES.iter().map(|policy| policy.1).collect();
        let known: Vec<&str> = known.into_iter().filter(|name| exists(name)).collect();
        let techniques = options.strategies(&known)?;
        let mut cells = Vec::new();
        for program in programs {
            let bug = bug(program.name);
            for technique in &techniques {
                cells.push(Cell {
                    program: program.name.to_string(),
                    technique: match technique.as_str() {
                        name @ ("pct" | "ppct") => format!("{name}:d={}", bug.depth),
                        other => other.to_string(),
                    },
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
            steps_max: Some(STEPS_MAX),
            ..Rules::default()
        };
        Some(json!(measure(cell, rules, is_interrupted)?))
    }

    fn is_answer(&self, value: &Value) -> bool {
        is_a::<Measured>(value)
    }

    fn documents(&self, options: &Options, measured: &[Measurement]) -> Vec<Document> {
        let rows = rows(measured);
        let compared = compare(&rows);
        let mut page = Page::new("NeedlePoint: which policy finds which bug");
        page.text(
            "S. Nagarakatte, S. Burckhardt, M. M. K. Martin, M. Musuvathi, Multicore acceleration of \
             priority-based schedulers for concurrency bug detection, PLDI 2012. Yes means: at least once in 1,000 \
             executions. The programs are models with the kind, the depth, the tasks and about the points of the \
             published bugs.",
        );
        page.text(format!(
            "Made by the command below: {} executions of each program and policy, seed {:#x}.",
            unpick::report::thousands(options.limit),
            options.seed
        ));
        page.code(format!(
            "unpick study needlepoint --limit {} --out DIR",
            options.limit
        ));
        page.heading("Published and measured");
        page.table(comparison::summary(&compared));
        page.table(comparison::table(&compared));
        page.heading("Failing executions");
        page.table(rates(&rows));
        page.heading("The guarantee of pct and ppct");
        page.text(
            "1 / (n k^(d-1)) for the depth d of the bug, the most tasks n and the most steps k that were seen. The \
             measured rate may not be lower by more than five standard deviations.",
        );
        page.table(guarantees(&rows));
        page.heading("ppct beside pct");
        page.text(
            "The paper says that PPCT finds every bug as often as PCT, or more often. By how many standard deviations \
             the rate is above that of `pct`, if both were the same in truth; it may not be below by more than five.",
        );
        page.table(beside(&rows));
        let mut documents = page.documents();
        documents.push(Document::new("data.csv", data(&rows).csv()));
        let comparisons = comparison::table(&compared).csv();
        documents.push(Document::new("comparisons.csv", comparisons));
        documents
    }

    fn violations(&self, _options: &Options, measured: &[Measurement]) -> Vec<String> {
        let rows = rows(measured);
        let mut all = Vec::new();
        for row in &rows {
            for (technique, found) in row.promising() {
                if !keeps_promise(row.bug, found) {
                    all.push(format!(
                        "{} {technique}: fails less often than guaranteed",
                        row.bug.name
                    ));
                }
            }
            if row.above().is_some_and(|above| above < -CHANCE) {
                all.push(format!("{} ppct: fails less often than pct", row.bug.name));
            }
        }
        let of_pct = |one: &&Comparison| one.technique == "PCT" && one.verdict == Verdict::Loss;
        for one in compare(&rows).iter().filter(of_pct) {
            all.push(format!(
                "{} pct: not found in 1,000 executions",
                one.program
            ));
        }
        all
    }
}

/// A bug under all policies.
struct Row {
    bug: &'static NeedlepointBug,
    cells: Vec<(String, Measured)>,
}

impl Row {
    /// What was found by techniques with a guarantee.
    fn promising(&self) -> impl Iterator<Item = &(String, Measured)> {
        let cells = self.cells.iter();
        cells.filter(|(technique, _)| technique.contains("pct:"))
    }

    fn share(&self, prefix: &str) -> Option<Share> {
        let mut cells = self.cells.iter();
        let (_, found) = cells.find(|(technique, _)| technique.starts_with(prefix))?;
        Some(Share {
            count: found.failures,
            of: found.schedules,
        })
    }

    /// By how many standard deviations `ppct` is above `pct`.
    fn above(&self) -> Option<f64> {
        Some(self.share("ppct:")?.deviations_above(self.share("pct:")?))
    }
}

fn bug(name: &str) -> &'static NeedlepointBug {
    let found = NEEDLEPOINT.iter().find(|bug| bug.name == name);
    found.expect("internal error: every program of NeedlePoint has a published row")
}

fn rows(measured: &[Measurement]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for one in measured {
        let cell = (one.cell.technique.clone(), one.read());
        match rows.last_mut() {
            Some(row) if row.bug.name == one.cell.program => row.cells.push(cell),
            _ => rows.push(Row {
                bug: bug(&one.cell.program),
                cells: vec![cell],
            }),
        }
    }
    rows
}

fn is_found(found: &Measured) -> bool {
    found.failures > 0 && found.failures * EXECUTIONS >= found.schedules
}

fn published(found: &Found, policy: &str) -> Option<bool> {
    Some(match policy {
        "random-sleep" => found.random_sleep,
        "preempt-always" => found.preempt_always,
        "preempt-bound" => found.preempt_bound,
        "atom-fuzzer" => found.atom_fuzzer,
        "pct" => found.pct,
        _ => return None,
    })
}

fn compare(rows: &[Row]) -> Vec<Comparison> {
    let mut all = Vec::new();
    let word = |is_found| if is_found { "yes" } else { "no" }.to_string();
    for row in rows {
        for (technique, measured) in &row.cells {
            let name = technique.split(':').next().unwrap_or(technique);
            let Some(printed) = row
                .bug
                .found
                .as_ref()
                .and_then(|found| published(found, name))
            else {
                continue;
            };
            let policy = POLICIES.iter().find(|policy| policy.1 == name);
            let found = is_found(measured);
            let verdict = match (printed, found) {
                (true, false) => Verdict::Loss,
                (false, true) => Verdict::Gain,
                _ => Verdict::Same,
            };
            all.push(Comparison {
                program: row.bug.title.to_string(),
                technique: policy.map_or(name, |policy| policy.0).to_string(),
                what: "found in 1,000".to_string(),
                published: word(printed),
                measured: format!(
                    "{} ({} of {})",
                    word(found),
                    measured.failures,
                    measured.schedules
                ),
                verdict,
                why: match verdict {
                    Verdict::Same => String::new(),
                    _ => WHY.to_string(),
                },
            });
        }
    }
    all
}

/// Rates of these policies depend on what else a program does, of which a model has little.
const WHY: &str = "the program is a model: what surrounds the bug differs, and with it the rate of a policy that has \
                   no guarantee; blocking is known here, not inferred from time";

fn rates(rows: &[Row]) -> Table {
    let names: Vec<String> = match rows.first() {
        Some(row) => row
            .cells
            .iter()
            .map(|(name, _)| name.split(':').next().unwrap_or(name).to_string())
            .collect(),
        None => Vec::new(),
    };
    let mut header = vec!["bug".to_string(), "depth".to_string()];
    header.extend(names.iter().map(|name| format!("`{name}`")));
    let mut table = Table::new(&header);
    for row in rows {
        let mut cells = vec![row.bug.title.to_string(), row.bug.depth.to_string()];
        cells.extend(
            row.cells
                .iter()
                .map(|(_, found)| found.failures.to_string()),
        );
        table.add(cells);
    }
    table
}

/// The rate that `pct` guarantees.
fn guaranteed(bug: &NeedlepointBug, found: &Measured) -> f64 {
    let steps = found.contended_steps_max.max(1) as f64;
    1.0 / (found.tasks_max.max(1) as f64 * steps.powi(bug.depth as i32 - 1))
}

fn keeps_promise(bug: &NeedlepointBug, found: &Measured) -> bool {
    let (rate, count) = (guaranteed(bug, found), found.schedules.max(1) as f64);
    let sigma = (rate * (1.0 - rate) / count).sqrt();
    found.failures as f64 / count >= rate - CHANCE * sigma
}

fn guarantees(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "bug",
        "policy",
        "d",
        "n",
        "k",
        "guaranteed",
        "measured",
        "kept?",
    ]);
    for row in rows {
        for (technique, found) in row.promising() {
            let rate = found.failures as f64 / found.schedules.max(1) as f64;
            table.add([
                row.bug.title.to_string(),
                technique.split(':').next().unwrap_or(technique).to_string(),
                row.bug.depth.to_string(),
                found.tasks_max.to_string(),
                found.contended_steps_max.to_string(),
                format!("{:.7}", guaranteed(row.bug, found)),
                format!("{rate:.7}"),
                if keeps_promise(row.bug, found) {
                    "yes"
                } else {
                    "NO"
                }
                .to_string(),
            ]);
        }
    }
    table
}

fn beside(rows: &[Row]) -> Table {
    let mut table = Table::new(&["bug", "pct", "ppct", "deviations above", "as often?"]);
    for row in rows {
        let (Some(pct), Some(ppct), Some(above)) =
            (row.share("pct:"), row.share("ppct:"), row.above())
        else {
            continue;
        };
        let share = |share: Share| format!("{} of {}", share.count, share.of);
        table.add([
            row.bug.title.to_string(),
            share(pct),
            share(ppct),
            format!("{above:.1}"),
            if above >= -CHANCE { "yes" } else { "NO" }.to_string(),
        ]);
    }
    table
}

fn data(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "program",
        "technique",
        "executions",
        "failures",
        "first",
        "tasks_max",
        "steps_max",
        "contended_steps_max",
    ]);
    for row in rows {
        for (technique, found) in &row.cells {
            table.add([
                row.bug.name.to_string(),
                technique.clone(),
                found.executions.to_string(),
                found.failures.to_string(),
                found
                    .first
                    .map_or_else(String::new, |first| first.to_string()),
                found.tasks_max.to_string(),
                found.steps_max.to_string(),
                found.contended_steps_max.to_string(),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bugs that show often enough for so few executions to say something.
    #[test]
    fn ppct_finds_bugs_as_often_as_pct() {
        let options = Options {
            limit: 1_000,
            only: ["pbzip2", "memcached", "wsq", "nspr"]
                .map(str::to_string)
                .into(),
            techniques: crate::specs("pct,ppct"),
            seed: 7,
            ..Options::default()
        };
        let cells = Needlepoint.cells(&options).unwrap();
        let short = |cell: &Cell| cell.program != "needlepoint.memcached_all";
        let measured: Vec<Measurement> = cells
            .into_iter()
            .filter(short)
            .map(|cell| Measurement {
                value: Needlepoint.measure(&cell, &|| false).unwrap(),
                cell,
            })
            .collect();
        let rows = rows(&measured);
        assert_eq!(rows.len(), 9);
        for row in rows {
            let above = row.above().unwrap();
            assert!(above > -CHANCE, "{}: {above:.1}", row.bug.name);
            for (technique, found) in row.promising() {
                assert!(
                    keeps_promise(row.bug, found),
                    "{} {technique}",
                    row.bug.name
                );
            }
        }
    }
}
