//! `cargo xtask suites`: the test suites of published crates, as they are, under `cargo unpick test`.
//!
//! A correct suite should stay green. Every failure is judged by a person, in `xtask/suites/judged.txt`. Packages
//! are downloaded by Cargo and built below the target directory; what was built is removed crate by crate.

mod judged;
mod table;
mod verdict;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::limited::{self, End};
use crate::packages::{self, Package};
use crate::workspace;
use table::{Seen, Whole};
pub use verdict::{Tested, Verdict};

/// The judged failures.
const JUDGED: &str = include_str!("../suites/judged.txt");

/// What is run by default.
const CRATES: &[&str] = &[
    "crossbeam-channel",
    "crossbeam-deque",
    "crossbeam-epoch",
    "crossbeam-queue",
    "crossbeam-utils",
    "parking_lot",
    "parking_lot_core",
    "concurrent-queue",
    "async-channel",
    "rayon-core",
    "once_cell",
    "spin",
    "dashmap",
    "bytes",
    "rtrb",
];

/// How much to run.
pub struct Effort {
    pub executions: u64,
    /// Seconds per test.
    pub time: u64,
    /// Minutes per crate.
    pub minutes: u64,
    /// Keep what was downloaded and built.
    pub keep: bool,
}

/// Runs the suites of these crates, or of all; says whether nothing was a false alarm, refused or left unjudged.
pub fn run(root: &Path, names: &[String], effort: &Effort) -> Result<bool> {
    let all = || CRATES.iter().map(|name| name.to_string()).collect();
    let names: Vec<String> = if names.is_empty() {
        all()
    } else {
        names.to_vec()
    };
    let wanted = names.iter().map(|name| Package::parse(name));
    let wanted: Vec<Package> = wanted.collect::<Result<_>>()?;
    let rows = judged::parse(JUDGED).context("xtask/suites/judged.txt")?;
    let unpick = workspace::unpick(root)?;
    let work = root.join("target/suites");
    fs::create_dir_all(&work)?;
    let mut log = File::create(work.join("results.jsonl"))?;
    let mut seen = Vec::new();
    for (number, package) in (1..).zip(&wanted) {
        eprintln!("suites  {number} of {}: {}", wanted.len(), package.name);
        let one = suite(&unpick, &work, package, effort, &mut log)?;
        eprintln!(
            "suites  {} {}: {} tests in {} s",
            one.package,
            one.version,
            one.tests.len(),
            one.seconds
        );
        seen.push(one);
    }
    let table = table::table(&seen, &rows);
    fs::write(work.join("table.md"), &table)?;
    print!("{table}");
    let sum = table::sum(&seen, &rows);
    let is_whole = |one: &Seen| !matches!(one.whole, Whole::Cut(_));
    Ok(sum.false_alarms + sum.not_judged + sum.refused == 0 && seen.iter().all(is_whole))
}

/// Runs the suite of a crate. Whatever goes wrong there is part of what was seen.
fn suite(
    unpick: &Path,
    work: &Path,
    package: &Package,
    effort: &Effort,
    log: &mut File,
) -> Result<Seen> {
    let begun_at = Instant::now();
    let mut seen = Seen {
        package: package.name.clone(),
        version: package.version.clone().unwrap_or_else(|| "newest".into()),
        tests: Vec::new(),
        whole: Whole::Done,
        seconds: 0,
    };
    match packages::unpack(work, package) {
        Err(error) => seen.whole = Whole::Cut(format!("not downloaded: {error:#}")),
        Ok((version, folder)) => {
            seen.version = version;
            explore(unpick, &folder, effort, log, &mut seen)?;
            if !effort.keep {
                fs::remove_dir_all(&folder)?;
            }
        }
    }
    seen.seconds = begun_at.elapsed().as_secs();
    Ok(seen)
}

/// Explores the tests of an unpacked package.
fn explore(
    unpick: &Path,
    folder: &Path,
    effort: &Effort,
    log: &mut File,
    seen: &mut Seen,
) -> Result<()> {
    let mut command = workspace::command(folder, &unpick.to_string_lossy());
    command.args(["cargo", "test", "--json", "--no-save", "--target-dir"]);
    let build: PathBuf = folder.join("target");
    command.arg(&build);
    command.args(["--executions", &effort.executions.to_string()]);
    command.args(["--time", &format!("{}s", effort.time)]);
    let mut binary = String::new();
    let mut last = String::new();
    let mut written = Ok(());
    let limit = Duration::from_secs(60 * effort.minutes);
    let end = limited::run(command, limit, |line| {
        if let Some(name) = verdict::binary(line) {
            binary = name;
        } else if let Ok(mut object) = serde_json::from_str::<serde_json::Value>(line)
            && object.is_object()
        {
            let test = Tested::of(&binary, &object);
            object["crate"] = seen.package.as_str().into();
            object["version"] = seen.version.as_str().into();
            object["binary"] = binary.as_str().into();
            eprintln!("suites    {} {:?}", test.name, test.verdict);
            seen.tests.push(test);
            if written.is_ok() {
                written = writeln!(log, "{object}");
            }
        } else if line.starts_with("error") {
            last = line.to_string();
        }
    })?;
    written.context("cannot write the results")?;
    seen.whole = whole(end, seen.tests.len(), &last);
    Ok(())
}

/// Judges the end of `cargo unpick test`.
fn whole(end: End, tests: usize, error: &str) -> Whole {
    match end {
        End::Late => Whole::Cut("the time limit of the crate was reached".into()),
        End::Code(Some(4)) => Whole::NoTests,
        End::Code(Some(0 | 1 | 3)) if tests > 0 => Whole::Done,
        End::Code(code) => {
            let code = code.map_or("a signal".into(), |code| format!("exit code {code}"));
            Whole::Cut(format!("{code}: {error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_command_decides_about_the_crate() {
        assert_eq!(whole(End::Code(Some(1)), 3, ""), Whole::Done);
        assert_eq!(whole(End::Code(Some(4)), 0, ""), Whole::NoTests);
        let cut = Whole::Cut("exit code 2: error: no".into());
        assert_eq!(whole(End::Code(Some(2)), 0, "error: no"), cut);
        assert!(matches!(whole(End::Late, 9, ""), Whole::Cut(_)));
    }
}
