//! `cargo xtask historic`: concurrency bugs of published crates, as ordinary tests against the version with the bug
//! and the version without.
//!
//! The tests are in `xtask/tests/historic`, the versions in `bugs.rs`. Cargo downloads the versions, also yanked ones;
//! everything is built below the target directory.

mod bugs;
mod table;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::limited::{self, End};
use crate::suites::{Tested, Verdict};
use crate::{packages, workspace};
use bugs::{BUGS, Bug, Fix};
use table::Row;

/// What the tests of a bug come to with one version of its crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// All pass.
    Clean,
    /// One fails.
    Fails {
        kind: String,
        executions: u64,
        summary: String,
        why: String,
    },
    /// The tests do not compile.
    DoesNotCompile,
    /// Not explored to the end.
    Cut(String),
}

/// Tries the bugs whose name contains one of these words, or all; says whether each is found where it is and nowhere
/// else.
pub fn run(root: &Path, names: &[String], minutes: u64) -> Result<bool> {
    let is_wanted =
        |bug: &&Bug| names.is_empty() || names.iter().any(|name| bug.name.contains(name));
    let wanted: Vec<&Bug> = BUGS.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        let known: Vec<_> = BUGS.iter().map(|bug| bug.name).collect();
        bail!("no bug has such a name; there are {}", known.join(", "));
    }
    let unpick = workspace::unpick(root)?;
    let work = root.join("target/historic");
    fs::create_dir_all(&work)?;
    let mut log = File::create(work.join("results.jsonl"))?;
    let mut rows = Vec::new();
    for (number, bug) in (1..).zip(&wanted) {
        eprintln!("historic  {number} of {}: {}", wanted.len(), bug.name);
        let limit = Duration::from_secs(60 * minutes);
        let mut try_version = |version| {
            let run = try_version(root, &unpick, bug, version, limit, &mut log)?;
            eprintln!("historic    {} {version}: {run:?}", bug.package);
            anyhow::Ok(run)
        };
        let buggy = try_version(bug.buggy)?;
        let fixed = match bug.fix {
            Fix::In(version) | Fix::Bound(version) => Some(try_version(version)?),
            Fix::None => None,
        };
        rows.push(Row { bug, buggy, fixed });
    }
    let table = table::table(&rows);
    fs::write(work.join("table.md"), &table)?;
    print!("{table}");
    Ok(rows.iter().all(Row::is_right))
}

/// Explores the test of a bug against a version of its crate.
fn try_version(
    root: &Path,
    unpick: &Path,
    bug: &Bug,
    version: &str,
    limit: Duration,
    log: &mut File,
) -> Result<Run> {
    let folder = root
        .join("target/historic")
        .join(format!("{}-{version}", bug.name));
    fs::create_dir_all(folder.join("src"))?;
    fs::create_dir_all(folder.join("tests"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    fs::write(folder.join("Cargo.toml"), bug.manifest(version))?;
    fs::write(
        folder.join("Cargo.lock"),
        packages::lock_file(&bug.pinned(version)),
    )?;
    let test = root
        .join("xtask/tests/historic")
        .join(format!("{}.rs", bug.test));
    fs::copy(&test, folder.join("tests/historic.rs"))
        .with_context(|| format!("cannot copy {}", test.display()))?;
    let mut command = workspace::command(&folder, &unpick.to_string_lossy());
    command.args(["cargo", "test", "--json", "--no-save", "--target-dir"]);
    // One for all: many crates need the same ones.
    command.arg(root.join("target/historic/build"));
    let mut found = Vec::new();
    let mut errors = Vec::new();
    let mut written = Ok(());
    let end = limited::run(command, limit, |line| {
        if let Ok(mut object) = serde_json::from_str::<Value>(line)
            && object.is_object()
        {
            object["bug"] = bug.name.into();
            object["version"] = version.into();
            if written.is_ok() {
                written = writeln!(log, "{object}");
            }
            found.push(object);
        } else if line.starts_with("error") {
            errors.push(line.to_string());
        }
    })?;
    written.context("cannot write the results")?;
    fs::remove_dir_all(&folder)?;
    Ok(judge(end, &found, &errors))
}

/// What the tests come to: the first one that fails decides.
fn judge(end: End, found: &[Value], errors: &[String]) -> Run {
    if found.is_empty() && errors.iter().any(|line| line.starts_with("error[E0277]")) {
        return Run::DoesNotCompile;
    }
    for object in found {
        let tested = Tested::of("historic", object);
        let why = object["failure"]["why"].as_str().unwrap_or_default();
        match tested.verdict {
            Verdict::Ok | Verdict::Inconclusive => {}
            Verdict::Failed(kind) => {
                return Run::Fails {
                    kind,
                    executions: tested.executions,
                    summary: tested.message,
                    why: why.to_string(),
                };
            }
            Verdict::Refused(word) => return Run::Cut(format!("{word}: {}", tested.message)),
        }
    }
    match end {
        End::Code(Some(0)) if !found.is_empty() => Run::Clean,
        End::Late => Run::Cut("the time limit was reached".into()),
        End::Code(_) => Run::Cut(
            errors
                .first()
                .cloned()
                .unwrap_or_else(|| "no test ran".into()),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_failing_test_decides() {
        let pass = json!({"name": "a", "outcome": "pass", "executions": 9});
        let fail = json!({"name": "b", "outcome": "deadlock", "executions": 7,
                          "failure": {"summary": "deadlock", "why": "because"}});
        let run = judge(End::Code(Some(1)), &[pass.clone(), fail], &[]);
        let Run::Fails {
            kind,
            executions,
            why,
            ..
        } = run
        else {
            panic!("{run:?}");
        };
        assert_eq!(
            (kind.as_str(), executions, why.as_str()),
            ("deadlock", 7, "because")
        );
        assert_eq!(
            judge(End::Code(Some(0)), std::slice::from_ref(&pass), &[]),
            Run::Clean
        );
        assert!(matches!(judge(End::Late, &[pass], &[]), Run::Cut(_)));
    }

    #[test]
    fn a_missing_bound_is_told_from_other_errors() {
        let bound = "error[E0277]: `Rc<u32>` cannot be sent between threads safely".to_string();
        assert_eq!(
            judge(End::Code(Some(2)), &[], &[bound]),
            Run::DoesNotCompile
        );
        let other = "error: no matching package named `spin` found".to_string();
        let run = judge(End::Code(Some(2)), &[], std::slice::from_ref(&other));
        assert_eq!(run, Run::Cut(other));
    }
}
