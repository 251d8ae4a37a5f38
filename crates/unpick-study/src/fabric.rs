//! `fabric`: which strategy finds which bug of a platform for replicated services.
//!
//! P. Thomson, *Practical systematic concurrency testing for concurrent and distributed software*, PhD thesis,
//! Imperial College London, 2016, chapter 6, table 6.1: 15 bugs, 10,000 schedules for each of two schedulers. A schedule
//! that fails is *buggy*, one that reaches the limit of steps a *livelock*.
//!
//! The thesis limits sends and yields of an execution to 5,000; here all operations are limited, to as many. No
//! execution that comes to rest has a fifth of that.

mod published;

use crate::page::Page;
use crate::table::Table;
use crate::{Cell, Document, Error, Measurement, Options, Study, is_a};
use published::{Found, PUBLISHED};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use unpick::trace::Outcome;
use unpick::{Config, Control, Exploration, StopReason};
use unpick_actors::{Faults, Wait};
use unpick_fabric::{Bug, Bugs, Scenario};

/// Operations after which an execution counts as a livelock.
const STEPS_MAX: u64 = 5_000;

/// The two schedulers of the thesis, and others behind them.
const TECHNIQUES: &[&str] = &["actor-random", "actor-pct", "pct", "pos", "surw", "odpor"];

/// The technique under which fault choices are measured, too: one that lets an actor wait that gives up answers.
const UNDER_FAULTS: &str = "actor-pct";

/// The system without bugs.
const FIXED: &str = "none";

/// What is injected beside the kill of the primary.
const FAULTS: [Variant; 2] = [
    ("faults=network", network, false),
    ("faults=crash", crash, true),
];

/// The name of a variant, its faults, and whether replicas have disks.
type Variant = (&'static str, fn() -> Faults, bool);

fn network() -> Faults {
    let faults = Faults::new().lose(1).duplicate(1).delay(1);
    faults.between(|from, _| from == "client")
}

fn crash() -> Faults {
    Faults::new()
        .crash(1)
        .between(|from, _| from.starts_with("replica"))
}

/// What was found of a bug.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Counted {
    schedules: u64,
    buggy: Found,
    livelocks: Found,
    tasks_max: u64,
    enabled_max: u64,
    steps_max: u64,
    symptoms: Vec<String>,
}

impl Counted {
    fn of(found: &Exploration) -> Counted {
        let groups = found.groups.list().iter();
        let is_livelock = |outcome: &Outcome| outcome.word() == "step-limit";
        let mut livelocks = groups
            .clone()
            .filter(|group| is_livelock(&group.first.outcome));
        let livelocks = livelocks
            .next()
            .map(|group| (group.first.rank, group.count));
        let mut others = groups.filter(|group| !is_livelock(&group.first.outcome));
        let count = found.failures - livelocks.map_or(0, |(_, count)| count);
        let buggy = others.clone().next().map(|group| (group.first.rank, count));
        let mut symptoms: Vec<String> = Vec::new();
        for group in others.by_ref() {
            let symptom = symptom(&group.first.outcome);
            if !symptoms.contains(&symptom) {
                symptoms.push(symptom);
            }
        }
        Counted {
            schedules: found.schedules,
            buggy,
            livelocks,
            tasks_max: found.tasks_max,
            enabled_max: found.enabled_max,
            steps_max: found.steps_max,
            symptoms,
        }
    }

    fn is_found(&self) -> bool {
        self.buggy.is_some() || self.livelocks.is_some()
    }
}

/// What shows a bug: its assertion without the values.
fn symptom(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Fail(failure) => {
            let line = failure.message.lines().next().unwrap_or_default();
            let line = line.trim_start_matches("assertion `left == right` failed: ");
            line.replace(|c: char| c.is_ascii_digit(), "#")
        }
        other => other.word().to_string(),
    }
}

/// The study of the replicated service.
pub struct Fabric;

impl Study for Fabric {
    fn name(&self) -> &'static str {
        "fabric"
    }

    fn summary(&self) -> &'static str {
        "A replicated service: which strategy finds which of 15 bugs (Thomson 2016, chapter 6)"
    }

    fn limit_default(&self) -> u64 {
        10_000
    }

    fn cells(&self, options: &Options) -> Result<Vec<Cell>, Error> {
        let names = Bug::ALL.iter().map(|bug| format!("{bug:?}"));
        let names = names.chain([FIXED.to_string()]);
        let names: Vec<String> = names.filter(|name| options.wants(name)).collect();
        if names.is_empty() {
            let only = options.only.join(", ");
            return Err(Error::NoProgram { only });
        }
        let techniques = options.strategies(TECHNIQUES)?;
        let mut cells = Vec::new();
        for program in names {
            for technique in &techniques {
                let is_under = technique == UNDER_FAULTS;
                let faults = FAULTS.iter().filter(|_| is_under).map(|one| one.0);
                for variant in [""].into_iter().chain(faults) {
                    cells.push(Cell {
                        program: program.clone(),
                        technique: technique.clone(),
                        variant: variant.to_string(),
                        limit: options.limit,
                        seed: options.seed,
                    });
                }
            }
        }
        Ok(cells)
    }

    fn measure(&self, cell: &Cell, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Option<Value> {
        let mut scenario = Scenario::new(bugs(&cell.program));
        let faults = FAULTS.iter().find(|one| one.0 == cell.variant);
        if let Some(&(_, faults, is_durable)) = faults {
            scenario.faults = Some(faults);
            scenario.is_durable = is_durable;
        }
        let config = Config::new()
            .strategy(&cell.technique)
            .executions(cell.limit)
            .seed(cell.seed)
            .steps(STEPS_MAX)
            .patience(1)
            .fail_on_limit(true)
            .timeouts(faults.is_none())
            .keep_going(true)
            .confirm(0);
        let observer = |_: &Exploration| match is_interrupted() {
            true => Control::Stop(StopReason::Interrupted),
            false => Control::Continue,
        };
        let program = move || scenario.run().wait();
        let found = unpick::explore_observed(&config, &program, &observer);
        let is_done = found.stopped_because != StopReason::Interrupted;
        is_done.then(|| json!(Counted::of(&found)))
    }

    fn is_answer(&self, value: &Value) -> bool {
        is_a::<Counted>(value)
    }

    fn documents(&self, options: &Options, measured: &[Measurement]) -> Vec<Document> {
        let rows: Vec<(Cell, Counted)> = rows(measured);
        let mut page = Page::new("The bugs of a replicated service");
        page.text(
            "P. Thomson, Practical systematic concurrency testing for concurrent and distributed software, PhD \
             thesis, Imperial College London, 2016, chapter 6, table 6.1, measured again on the model in \
             `crates/unpick-fabric`. The model is another one, and bugs of which the thesis gives only a name are \
             readings of it (†), so that numbers can be compared, but need not be the same.",
        );
        page.text(format!(
            "Made by the command below: {} schedules for each bug and strategy, seed {:#x}, at most {} operations \
             in an execution. First / number of buggy schedules; after `L` first / number of livelocks.",
            unpick::report::thousands(options.limit),
            options.seed,
            unpick::report::thousands(STEPS_MAX),
        ));
        page.code(command(options));
        page.heading("Published and measured");
        page.table(beside(&rows));
        page.heading("Other strategies, and fault choices");
        page.text(
            "`actor-pct faults=network`: a request of the client is lost, one arrives twice, one late. `actor-pct \
             faults=crash`: replicas have disks, and one crashes. The ordinary scenario has no faults but the kill.",
        );
        page.table(ours(&rows));
        page.heading("What shows them");
        page.table(symptoms(&rows));
        page.heading("Sizes");
        page.text(
            "Most actors, most of them enabled at once, and most operations of an execution.",
        );
        page.table(sizes(&rows));
        let mut documents = page.documents();
        documents.push(Document::new("data.csv", data(&rows).csv()));
        documents
    }

    /// The system without bugs fails, or a bug that was published as found by a scheduler is not found by it.
    fn violations(&self, options: &Options, measured: &[Measurement]) -> Vec<String> {
        let mut violations = Vec::new();
        let rows = rows(measured);
        for (cell, counted) in &rows {
            if cell.program == FIXED && counted.is_found() {
                let symptoms = counted.symptoms.join(", ");
                violations.push(format!("{cell}: fails without a bug: {symptoms}"));
            }
        }
        // Fewer schedules promise nothing.
        if options.limit < self.limit_default() {
            return violations;
        }
        for row in &PUBLISHED {
            let of_bug = || of_program(&rows, &format!("{:?}", row.bug));
            let published = [("actor-random", row.random), ("actor-pct", row.pct)];
            for (technique, published) in published {
                let mut measured = of_bug().filter(|(cell, _)| is_plain(cell, technique));
                let is_missed = measured.any(|(_, counted)| !counted.is_found());
                if published.is_found() && is_missed {
                    violations.push(format!("{:?}: not found by {technique}", row.bug));
                }
            }
            if of_bug().count() > 0 && !of_bug().any(|(_, counted)| counted.is_found()) {
                violations.push(format!("{:?}: not found by any strategy", row.bug));
            }
        }
        violations
    }
}

/// What makes the page again.
fn command(options: &Options) -> String {
    let mut command = format!("unpick study fabric --limit {}", options.limit);
    for (flag, values) in [
        ("--techniques", &options.techniques),
        ("--only", &options.only),
    ] {
        if !values.is_empty() {
            command.push_str(&format!(" {flag} {}", values.join(",")));
        }
    }
    command + " --out DIR"
}

fn bugs(program: &str) -> Bugs {
    let bug = Bug::ALL.iter().find(|bug| format!("{bug:?}") == program);
    bug.map_or(Bugs::none(), |&bug| Bugs::only(bug))
}

fn rows(measured: &[Measurement]) -> Vec<(Cell, Counted)> {
    let measured = measured.iter();
    measured.map(|one| (one.cell.clone(), one.read())).collect()
}

fn of_program<'a>(
    rows: &'a [(Cell, Counted)],
    program: &str,
) -> impl Iterator<Item = &'a (Cell, Counted)> + use<'a> {
    let program = program.to_string();
    rows.iter().filter(move |(cell, _)| cell.program == program)
}

fn is_plain(cell: &Cell, technique: &str) -> bool {
    cell.technique == technique && cell.variant.is_empty()
}

/// The programs that were measured, in their order.
fn programs(rows: &[(Cell, Counted)]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (cell, _) in rows {
        if !names.contains(&cell.program) {
            names.push(cell.program.clone());
        }
    }
    names
}

/// Strategy and faults of the cells, in their order.
fn columns(rows: &[(Cell, Counted)]) -> Vec<(String, String)> {
    let mut columns: Vec<(String, String)> = Vec::new();
    for (cell, _) in rows {
        let column = (cell.technique.clone(), cell.variant.clone());
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

fn label(program: &str) -> String {
    match PUBLISHED
        .iter()
        .find(|row| format!("{:?}", row.bug) == program)
    {
        Some(row) => {
            let mark = if row.bug.is_reading() { " †" } else { "" };
            format!("{} `{program}`{mark}", row.bug.number())
        }
        None => "no bug".to_string(),
    }
}

fn words(buggy: Found, livelocks: Found) -> String {
    let pair = |(first, count)| {
        let thousands = unpick::report::thousands;
        format!("{} / {}", thousands(first), thousands(count))
    };
    match (buggy, livelocks) {
        (None, None) => "–".to_string(),
        (Some(buggy), None) => pair(buggy),
        (None, Some(livelocks)) => format!("L {}", pair(livelocks)),
        (Some(buggy), Some(livelocks)) => format!("{}, L {}", pair(buggy), pair(livelocks)),
    }
}

fn beside(rows: &[(Cell, Counted)]) -> Table {
    let mut table = Table::new(&[
        "bug",
        "Rand, published",
        "`actor-random`",
        "PCT d=3, published",
        "`actor-pct`",
    ]);
    for program in programs(rows) {
        let row = PUBLISHED
            .iter()
            .find(|row| format!("{:?}", row.bug) == program);
        let published = |which: fn(&published::Row) -> published::Published| {
            let published = row.map(which);
            published.map_or(String::new(), |one| words(one.buggy, one.livelocks))
        };
        let measured = |technique: &str| {
            let mut found = of_program(rows, &program);
            let found = found.find(|(cell, _)| is_plain(cell, technique));
            found.map_or(String::new(), |(_, one)| words(one.buggy, one.livelocks))
        };
        table.add([
            label(&program),
            published(|row| row.random),
            measured("actor-random"),
            published(|row| row.pct),
            measured("actor-pct"),
        ]);
    }
    table
}

fn ours(rows: &[(Cell, Counted)]) -> Table {
    let columns = columns(rows);
    let is_shown = |(technique, variant): &&(String, String)| {
        !(variant.is_empty() && ["actor-random", "actor-pct"].contains(&technique.as_str()))
    };
    let shown: Vec<_> = columns.iter().filter(is_shown).collect();
    let mut header = vec!["bug".to_string()];
    header.extend(
        shown.iter().map(|(technique, variant)| {
            format!("`{}`", format!("{technique} {variant}").trim_end())
        }),
    );
    let mut table = Table::new(&header);
    for program in programs(rows) {
        let mut line = vec![label(&program)];
        for (technique, variant) in &shown {
            let mut found = of_program(rows, &program);
            let is_it = |cell: &Cell| cell.technique == *technique && cell.variant == *variant;
            let found = found.find(|(cell, _)| is_it(cell));
            line.push(found.map_or(String::new(), |(_, one)| words(one.buggy, one.livelocks)));
        }
        table.add(line);
    }
    table
}

fn symptoms(rows: &[(Cell, Counted)]) -> Table {
    let mut table = Table::new(&["bug", "seen by any strategy, without faults"]);
    for program in programs(rows) {
        let mut seen: Vec<String> = Vec::new();
        for (_, counted) in of_program(rows, &program).filter(|(cell, _)| cell.variant.is_empty()) {
            let livelock = counted.livelocks.map(|_| "livelock".to_string());
            for symptom in counted.symptoms.iter().cloned().chain(livelock) {
                if !seen.contains(&symptom) {
                    seen.push(symptom);
                }
            }
        }
        table.add([label(&program), seen.join("; ")]);
    }
    table
}

fn sizes(rows: &[(Cell, Counted)]) -> Table {
    let mut table = Table::new(&["strategy", "actors", "enabled", "operations"]);
    for (technique, variant) in columns(rows) {
        let is_it = |cell: &Cell| cell.technique == technique && cell.variant == variant;
        let cells = rows.iter().filter(|(cell, _)| is_it(cell));
        let max = |of: fn(&Counted) -> u64| {
            let most = cells.clone().map(|(_, counted)| of(counted)).max();
            unpick::report::thousands(most.unwrap_or(0))
        };
        table.add([
            format!("`{}`", format!("{technique} {variant}").trim_end()),
            max(|one| one.tasks_max),
            max(|one| one.enabled_max),
            max(|one| one.steps_max),
        ]);
    }
    table
}

fn data(rows: &[(Cell, Counted)]) -> Table {
    let mut table = Table::new(&[
        "bug",
        "technique",
        "variant",
        "schedules",
        "first_buggy",
        "buggy",
        "first_livelock",
        "livelocks",
        "tasks_max",
        "enabled_max",
        "steps_max",
    ]);
    for (cell, counted) in rows {
        let pair = |found: Found| {
            let (first, count) = found.unzip();
            let first = first.map_or(String::new(), |first| first.to_string());
            [first, count.unwrap_or(0).to_string()]
        };
        let [first_buggy, buggy] = pair(counted.buggy);
        let [first_livelock, livelocks] = pair(counted.livelocks);
        table.add([
            cell.program.clone(),
            cell.technique.clone(),
            cell.variant.clone(),
            counted.schedules.to_string(),
            first_buggy,
            buggy,
            first_livelock,
            livelocks,
            counted.tasks_max.to_string(),
            counted.enabled_max.to_string(),
            counted.steps_max.to_string(),
        ]);
    }
    table
}
