//! `cargo xtask understanding`: every failure of the suite and of the native programs shrunk and explained,
//! as docs/study/understanding.md.

mod native;

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use unpick::analysis::Size;
use unpick::report::explained;
use unpick::{Config, FirstFailure, Pattern, explore, same_failure, understand};
use unpick_suite::{exact_programs, find, pattern_of};

const PAGE: &str = "docs/study/understanding.md";

/// How failures are found: it leaves much to shrink.
const STRATEGY: &str = "random";

/// Where that does not find anything.
const STRATEGY_ELSE: &str = "pct:d=3";

/// Executions to find a failure.
const EXECUTIONS: u64 = 20_000;

/// Executions that shrinking may take.
const SHRINKING_MAX: u64 = 2_000;

/// Executions of preemption bounding, to compare with.
const COMPARED: u64 = 5_000;

/// Shrinks and explains, prints, and writes the page. Says whether at least seven of eight were called by
/// their name, none took too many executions, and none has more preemptions than preemption bounding needs.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let mut page = Page::default();
    for program in exact_programs().filter(|one| one.fault.is_some()) {
        if let Some(row) = row(program.name)? {
            page.add(row);
        }
    }
    page.end_of_table();
    page.tables.push_str("\n## Native programs\n\n");
    page.tables.push_str(HEADING);
    native::rows(root, &mut |row| page.add(row))?;
    page.end_of_table();
    let text = format!(
        "{}{HEADING}{}\n## In words\n\n{}",
        introduction(),
        page.tables,
        page.words
    );
    let path = root.join(PAGE);
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    for name in &page.too_much {
        println!("{name}: too many executions or preemptions");
    }
    Ok(page.too_much.is_empty() && page.right_of_all * 8 >= page.rows_of_all * 7)
}

#[derive(Default)]
struct Page {
    tables: String,
    words: String,
    rows: u32,
    right: u32,
    rows_of_all: u32,
    right_of_all: u32,
    too_much: Vec<String>,
}

impl Page {
    fn add(&mut self, row: Row) {
        let cells = row.cells();
        println!("{cells}");
        let _ = writeln!(self.tables, "{cells}");
        let _ = writeln!(self.words, "- `{}`: {}", row.name, row.why);
        self.rows += 1;
        self.right += u32::from(row.is_right());
        if !row.is_small() {
            self.too_much.push(row.name);
        }
    }

    /// Says how many were right, and begins to count anew.
    fn end_of_table(&mut self) {
        let (right, rows) = (self.right, self.rows);
        println!("{right} of {rows} are called by their name");
        let _ = writeln!(self.tables, "\n{right} of {rows} are called by their name.");
        self.right_of_all += right;
        self.rows_of_all += rows;
        (self.right, self.rows) = (0, 0);
    }
}

/// A failure, and what became of it.
struct Row {
    name: String,
    strategy: &'static str,
    before: Size,
    after: Size,
    is_fewest: bool,
    /// The preemptions with which preemption bounding meets the same failure first.
    by_bounding: Option<usize>,
    shrinking: u64,
    explaining: u64,
    orderings: u64,
    depth: Option<u64>,
    /// What it is called; nothing if it is not explained.
    named: Option<String>,
    /// What it may rightly be called.
    truth: Vec<Pattern>,
    why: String,
}

impl Row {
    fn is_right(&self) -> bool {
        let mut names = self.truth.iter().map(|pattern| pattern.name());
        names.any(|name| self.named.as_deref() == Some(name))
    }

    fn is_small(&self) -> bool {
        let is_fewest = self
            .by_bounding
            .is_none_or(|count| self.after.preemptions <= count);
        self.shrinking <= SHRINKING_MAX && is_fewest
    }

    fn cells(&self) -> String {
        let named = self.named.as_deref().unwrap_or("not explained");
        let truth: Vec<&str> = self.truth.iter().map(|pattern| pattern.name()).collect();
        let verdict = match self.is_right() {
            true => named.to_string(),
            false => format!("{named}; it is: {}", truth.join(" or ")),
        };
        let fewest = match self.is_fewest {
            true => "",
            false => " (not all smaller ones tried)",
        };
        let depth = self.depth.map_or(String::new(), |depth| depth.to_string());
        let bounding = self
            .by_bounding
            .map_or(String::new(), |count| count.to_string());
        format!(
            "| `{}` | {} | {} | {} | {} | {}{fewest} | {bounding} | {} | {} | {} | {depth} | {verdict} |",
            self.name,
            self.strategy,
            self.before.steps,
            self.after.steps,
            self.before.preemptions,
            self.after.preemptions,
            self.shrinking,
            self.orderings,
            self.explaining,
        )
    }
}

fn row(name: &str) -> Result<Option<Row>> {
    let selection = find(name)?;
    let body = move || selection.run();
    let config = |strategy| Config::new().strategy(strategy).executions(EXECUTIONS);
    let mut found = None;
    for strategy in [STRATEGY, STRATEGY_ELSE] {
        let config = config(strategy);
        if let Some(failure) = explore(config.clone(), body.clone()).first_failure {
            found = Some((config, strategy, failure));
            break;
        }
    }
    let Some((config, strategy, failure)) = found else {
        return Ok(None);
    };
    let (least, known) = understand(&config, &body, &failure).context("nothing was explained")?;
    let explanation = &known.explanation;
    Ok(Some(Row {
        name: name.to_string(),
        strategy,
        before: known.found,
        after: Size::of(&least.trace),
        is_fewest: known.is_fewest,
        by_bounding: by_bounding(&body, &failure),
        shrinking: known.shrinking,
        explaining: explanation.executions,
        orderings: explanation.causes.len() as u64,
        depth: explanation.depth().map(|depth| depth as u64),
        named: explanation
            .pattern
            .map(|pattern| pattern.name().to_string()),
        truth: pattern_of(name).into_iter().collect(),
        why: explained(&least.outcome, &least.trace, explanation),
    }))
}

/// The preemptions with which preemption bounding meets this failure, if it is the first one that it meets.
fn by_bounding(
    body: &(impl Fn() + Clone + Send + Sync + 'static),
    failure: &FirstFailure,
) -> Option<usize> {
    let config = Config::new()
        .strategy("ipb")
        .executions(COMPARED)
        .confirm(0);
    let found = explore(config, body.clone());
    let first = found.first_failure?;
    same_failure(&first.outcome, &failure.outcome).then(|| first.trace.preemption_count())
}

const HEADING: &str = "\
| program | found by | steps | after | preemptions | after | by ipb | executions | orderings | executions | depth | named |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|
";

fn introduction() -> String {
    format!(
        "# Failures shrunk and explained

Made by `cargo xtask understanding`, which writes this page anew. Every program of the suite with a fault,
and every native program of the tests (`crates/unpick-native/tests/programs`), explored with `{STRATEGY}`,
or with `{STRATEGY_ELSE}` where that finds nothing, up to {EXECUTIONS} executions.
Steps and preemptions are those of the failing schedule as it was found and after shrinking; executions are
what shrinking and explaining took. Beside the preemptions stand those with which `ipb` meets the same failure
within {COMPARED} executions, if it is the first one that it meets. Orderings are those without which it does not fail; the depth counts those
that an intrusion consists of as well. What is named is compared with what is known of the program, which was
judged by its source. Programs whose fault does not show under sequential consistency are not in the table.

## The suite

"
    )
}
