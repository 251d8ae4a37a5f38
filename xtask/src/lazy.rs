//! `cargo xtask lazy`: the coarse-locking family under every reduction, as docs/study/lazy.md.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use unpick::{Config, Exploration};
use unpick_suite::{Source, find, programs};

const PAGE: &str = "docs/study/lazy.md";

const REDUCTIONS: &[&str] = &[
    "hbr-cache",
    "lazy-hbr-cache",
    "dpor",
    "odpor",
    "lazy-dpor",
    "lazy-odpor",
];

/// Measures, prints, and writes the page. Says whether every complete reduction found the states
/// that depth-first search found.
pub(crate) fn run(root: &Path, executions: u64) -> Result<bool> {
    let mut page = introduction(executions);
    let mut all_well = true;
    for program in programs().iter().filter(|one| one.source == Source::Coarse) {
        let truth = explore(program.name, "dfs", executions)?;
        let mut row = format!("| `{}` ", program.name);
        for count in [
            Some(truth.schedules),
            truth.hbrs(),
            truth.lazy_hbrs(),
            truth.states(),
        ] {
            let _ = write!(row, "| {} ", cell(count.unwrap_or(0), truth.complete));
        }
        for strategy in REDUCTIONS {
            let found = explore(program.name, strategy, executions)?;
            let is_exact = states(&found) == states(&truth);
            let misses = truth.complete && found.complete && !is_exact;
            all_well &= !misses || *strategy == "lazy-dpor";
            let mark = if misses { " (misses states)" } else { "" };
            let _ = write!(row, "| {}{mark} ", cell(found.executions, found.complete));
        }
        println!("{row}|");
        let _ = writeln!(page, "{row}|");
    }
    let path = root.join(PAGE);
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(all_well)
}

fn introduction(executions: u64) -> String {
    let mut page = format!(
        "# Lazy reduction on programs with coarse locking

Made by `cargo xtask lazy`, which writes this page anew. Every technique may run {executions} executions;
`>` marks what was not finished then. The first four numbers are those of `dfs`: schedules, happens-before
relations, lazy ones, and states. The others are executions, cut ones included. `lazy-dpor` falls back to
`dpor` where it notices that it must.

| program | schedules | HBRs | lazy HBRs | states "
    );
    for strategy in REDUCTIONS {
        let _ = write!(page, "| `{strategy}` ");
    }
    page.push_str("|\n|---|---:|---:|---:|---:");
    page.push_str(&"|---:".repeat(REDUCTIONS.len()));
    page.push_str("|\n");
    page
}

fn explore(program: &str, strategy: &str, executions: u64) -> Result<Exploration> {
    let selection = find(program).context("a program of the suite cannot be found")?;
    let config = Config::new()
        .strategy(strategy)
        .executions(executions)
        .keep_going(true)
        .confirm(0)
        .classes(true)
        .spurious_wakes(0)
        .weak_failures(0);
    Ok(unpick::explore(config, move || selection.run()))
}

fn states(found: &Exploration) -> Option<&std::collections::BTreeSet<u128>> {
    found.classes.as_ref().map(|classes| &classes.states)
}

fn cell(count: u64, is_complete: bool) -> String {
    match is_complete {
        true => count.to_string(),
        false => format!(">{count}"),
    }
}
