//! `cargo xtask understanding`: every failure of the suite shrunk and explained, as
//! docs/study/understanding.md.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use unpick::report::{Size, explained};
use unpick::{Config, explain, explore, shrink_measured};
use unpick_suite::{find, pattern_of, programs};

const PAGE: &str = "docs/study/understanding.md";

/// How failures are found: it leaves much to shrink.
const STRATEGY: &str = "random";

/// Where that does not find anything.
const STRATEGY_ELSE: &str = "pct:d=3";

/// Executions to find a failure.
const EXECUTIONS: u64 = 20_000;

/// Shrinks and explains, prints, and writes the page. Says whether at least seven of eight were called by
/// their name.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let (mut rows, mut words) = (String::new(), String::new());
    let (mut total, mut right) = (0, 0);
    for program in programs().iter().filter(|one| one.fault.is_some()) {
        let Some(row) = row(program.name)? else {
            continue;
        };
        total += 1;
        right += u32::from(row.is_right);
        println!("{}", row.cells);
        let _ = writeln!(rows, "{}", row.cells);
        let _ = writeln!(words, "- `{}`: {}", program.name, row.why);
    }
    let mut page = introduction();
    page.push_str(&rows);
    let _ = writeln!(page, "\n{right} of {total} are called by their name.\n");
    page.push_str("## In words\n\n");
    page.push_str(&words);
    let path = root.join(PAGE);
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    println!("{right} of {total} are called by their name");
    Ok(right * 8 >= total * 7)
}

struct Row {
    cells: String,
    why: String,
    is_right: bool,
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
    let shrunk = shrink_measured(&config, &body, &failure);
    let least = unpick::FirstFailure {
        outcome: shrunk.least.outcome,
        trace: shrunk.least.trace,
        ..(*failure).clone()
    };
    let explanation = explain(&config, &body, &least).context("nothing was explained")?;
    let (before, after) = (Size::of(&failure.trace), Size::of(&least.trace));
    let truth = pattern_of(name).map_or("unknown", |pattern| pattern.name());
    let named = explanation
        .pattern
        .map_or("not explained", |pattern| pattern.name());
    let is_right = truth == named;
    let verdict = match is_right {
        true => named.to_string(),
        false => format!("{named}; it is: {truth}"),
    };
    let fewest = match shrunk.is_fewest {
        true => "",
        false => " (not all smaller ones tried)",
    };
    Ok(Some(Row {
        cells: format!(
            "| `{name}` | {strategy} | {} | {} | {} | {}{fewest} | {} | {} | {} | {verdict} |",
            before.steps,
            after.steps,
            before.preemptions,
            after.preemptions,
            shrunk.executions,
            explanation.causes.len(),
            explanation.executions,
        ),
        why: explained(&least.outcome, &least.trace, &explanation),
        is_right,
    }))
}

fn introduction() -> String {
    format!(
        "# Failures shrunk and explained

Made by `cargo xtask understanding`, which writes this page anew. Every program of the suite with a fault,
explored with `{STRATEGY}`, or with `{STRATEGY_ELSE}` where that finds nothing, up to {EXECUTIONS} executions.
Steps and preemptions are those of the failing schedule as it was found and after shrinking; executions are
what shrinking and explaining took. Orderings are those without which it does not fail. What is named is
compared with what the suite knows of the program, which was judged by its source. Programs whose fault does
not show under sequential consistency are not in the table.

| program | found by | steps | after | preemptions | after | executions | orderings | executions | named |
|---|---|---:|---:|---:|---:|---:|---:|---:|---|
"
    )
}
