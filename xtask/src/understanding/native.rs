//! The native programs: built and explored by the command, as a user does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use unpick::Pattern;
use unpick::analysis::Size;

use super::{COMPARED, EXECUTIONS, Row, STRATEGY, STRATEGY_ELSE};
use crate::workspace;

/// The words of the table for what a bug is called.
const PATTERNS: &[(&str, Pattern)] = &[
    ("race", Pattern::DataRace),
    ("freed", Pattern::UseAfterFree),
    ("lock-order", Pattern::LockOrder),
    ("lost-wake-up", Pattern::LostWakeUp),
    ("lost-update", Pattern::LostUpdate),
    ("aba", Pattern::Aba),
    ("check-then-act", Pattern::CheckThenAct),
    ("half-done", Pattern::HalfDone),
    ("stale-read", Pattern::StaleRead),
    ("order", Pattern::OrderViolation),
    ("every-order", Pattern::EveryOrder),
];

/// Gives a row for every program of the table that fails.
pub(super) fn rows(root: &Path, add: &mut dyn FnMut(Row)) -> Result<()> {
    let unpick = workspace::unpick(root)?;
    let programs = root.join("crates/unpick-native/tests/programs");
    let folder = root.join("target/understanding");
    fs::create_dir_all(&folder)?;
    let table = fs::read_to_string(programs.join("table.txt")).context("cannot read table.txt")?;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [path, _, patterns, ..] = words[..] else {
            bail!("`{line}` of table.txt has too few words");
        };
        let program = compile(&unpick, &programs.join(path), &folder)?;
        let truth = patterns.split('|').map(pattern).collect::<Result<_>>()?;
        let row = [STRATEGY, STRATEGY_ELSE].into_iter().find_map(|strategy| {
            explore(&unpick, &folder, &program, (strategy, EXECUTIONS))
                .map(|object| Some((strategy, object?)))
                .transpose()
        });
        let Some((strategy, object)) = row.transpose()? else {
            bail!("nothing is found in {path}");
        };
        let mut row = read(path, strategy, truth, &object["failure"])?;
        let bounding = explore(&unpick, &folder, &program, ("ipb", COMPARED))?;
        let is_same = |other: &Value| other["failure"]["summary"] == object["failure"]["summary"];
        row.by_bounding = bounding
            .filter(is_same)
            .and_then(|other| Some(other["failure"]["preemptions_found"].as_u64()? as usize));
        row.why = row.why.replace(&format!("{}/", root.display()), "");
        add(row);
    }
    Ok(())
}

fn pattern(word: &str) -> Result<Pattern> {
    let found = PATTERNS.iter().find(|(name, _)| *name == word);
    let found = found.with_context(|| format!("`{word}` of table.txt is no pattern"))?;
    Ok(found.1)
}

fn compile(unpick: &Path, source: &Path, folder: &Path) -> Result<PathBuf> {
    let name = source.file_stem().context("a source without a name")?;
    let program = folder.join(name);
    let (compiler, standard) = match source.extension().is_some_and(|ending| ending == "cc") {
        true => ("c++", "-std=c++20"),
        false => ("cc", "-std=gnu11"),
    };
    let status = Command::new(unpick)
        .args([compiler, standard, "-O1", "-g", "-pthread", "-o"])
        .args([&program, source])
        .status()?;
    ensure!(status.success(), "{} does not compile", source.display());
    Ok(program)
}

/// The object of an exploration that fails; `None` if nothing is found.
fn explore(
    unpick: &Path,
    folder: &Path,
    program: &Path,
    (strategy, executions): (&str, u64),
) -> Result<Option<Value>> {
    let executions = executions.to_string();
    let output = Command::new(unpick)
        .args(["run", "--json", "--no-save", "--strategy", strategy])
        .args(["--executions", &executions, "--"])
        .arg(program)
        .current_dir(folder)
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    match output.status.code() {
        Some(0) => Ok(None),
        Some(1) => Ok(Some(serde_json::from_str(said.trim())?)),
        code => bail!("{} ends with {code:?}: {said}", program.display()),
    }
}

fn read(path: &str, strategy: &'static str, truth: Vec<Pattern>, failure: &Value) -> Result<Row> {
    let number = |name: &str| {
        let value = failure[name].as_u64();
        value.with_context(|| format!("{path}: `{name}` is missing"))
    };
    let size = |steps, preemptions| -> Result<Size> {
        Ok(Size {
            steps: number(steps)? as usize,
            preemptions: number(preemptions)? as usize,
        })
    };
    Ok(Row {
        name: path.to_string(),
        strategy,
        before: size("steps_found", "preemptions_found")?,
        after: size("steps", "preemptions")?,
        is_fewest: failure["preemptions_are_fewest"] == true,
        by_bounding: None,
        shrinking: number("executions_to_shrink")?,
        explaining: number("executions_to_explain")?,
        orderings: number("orderings")?,
        depth: failure["depth"].as_u64(),
        named: failure["pattern"].as_str().map(str::to_string),
        truth,
        why: failure["why"].as_str().unwrap_or_default().to_string(),
    })
}
