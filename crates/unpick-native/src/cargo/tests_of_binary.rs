//! Explores the tests of one binary, one after the other, and says what came of them.
//!
//! How a test is explored is somebody else's work: an [`Explorer`].

use super::listing::{HarnessOptions, Listing};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use unpick_report::{count, thousands};

/// One test, as a program that can be run again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The name to print: that of the test, or of the binary if it is one test as a whole.
    pub name: String,
    /// The program.
    pub binary: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// What an exploration came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No schedule failed.
    Ok,
    /// A schedule failed.
    Failed,
    /// The test did not do the same thing again under the same schedule.
    Diverged,
}

/// An exploration, as far as it is printed here.
#[derive(Clone, Debug)]
pub struct Explored {
    /// What it came to.
    pub verdict: Verdict,
    /// How often the test was run.
    pub executions: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// What else a person should know: how it failed, warnings. May be empty.
    pub details: String,
    /// The exploration as a JSON object on one line.
    pub json: String,
}

/// Explores tests.
pub trait Explorer {
    /// Explores one test. An error is one of the set-up, not of the test.
    fn explore(&mut self, test: &Test) -> Result<Explored, String>;

    /// Whether the user wants no more tests.
    fn is_interrupted(&self) -> bool;
}

/// How many tests ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests in which nothing was found.
    pub ok: u64,
    /// Tests with a failing schedule.
    pub failed: u64,
    /// Tests that depend on something that is not controlled.
    pub diverged: u64,
    /// Tests that could not be explored.
    pub errors: u64,
    /// Tests that were not run, since the user had enough.
    pub not_run: u64,
    /// Executions of all of them.
    pub executions: u64,
}

impl Tally {
    /// All tests that were explored.
    pub fn explored(&self) -> u64 {
        self.ok + self.failed + self.diverged
    }

    /// Takes in the tally of another binary.
    pub fn add(&mut self, other: &Tally) {
        self.ok += other.ok;
        self.failed += other.failed;
        self.diverged += other.diverged;
        self.errors += other.errors;
        self.not_run += other.not_run;
        self.executions += other.executions;
    }

    /// As one line of a file.
    pub fn to_line(&self) -> String {
        let Tally {
            ok,
            failed,
            diverged,
            errors,
            not_run,
            executions,
        } = self;
        format!("{ok} {failed} {diverged} {errors} {not_run} {executions}")
    }

    /// Reads such a line.
    pub fn from_line(line: &str) -> Option<Tally> {
        let numbers: Result<Vec<u64>, _> = line.split(' ').map(str::parse).collect();
        let [ok, failed, diverged, errors, not_run, executions] = numbers.ok()?.try_into().ok()?;
        Some(Tally {
            ok,
            failed,
            diverged,
            errors,
            not_run,
            executions,
        })
    }
}

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// A line for each test.
    Text,
    /// Only what is wrong.
    Quiet,
    /// A JSON object for each test, one a line.
    Json,
}

/// Explores the chosen tests of a binary and prints each result as it comes.
pub fn explore_tests(
    binary: &Path,
    options: &HarnessOptions,
    explorer: &mut dyn Explorer,
    output: Output,
    print: &mut dyn FnMut(&str),
) -> Tally {
    let mut tally = Tally::default();
    for test in tests(binary, options) {
        if explorer.is_interrupted() {
            tally.not_run += 1;
            if output != Output::Json {
                print(&format!("unpick  {} ... not run", test.name));
            }
            continue;
        }
        let result = explorer.explore(&test);
        match &result {
            Ok(explored) => {
                *match explored.verdict {
                    Verdict::Ok => &mut tally.ok,
                    Verdict::Failed => &mut tally.failed,
                    Verdict::Diverged => &mut tally.diverged,
                } += 1;
                tally.executions += explored.executions;
            }
            Err(_) => tally.errors += 1,
        }
        let is_silent = output == Output::Quiet
            && matches!(&result, Ok(explored) if explored.verdict == Verdict::Ok);
        match (&result, output) {
            (Ok(explored), Output::Json) => print(&explored.json),
            _ if is_silent => {}
            _ => print(&line(&test.name, &result)),
        }
    }
    tally
}

fn tests(binary: &Path, options: &HarnessOptions) -> Vec<Test> {
    let test = |name: String, arguments: Vec<String>| Test {
        name,
        binary: binary.to_path_buf(),
        arguments,
    };
    match Listing::of(binary) {
        Listing::Tests(names) => names
            .into_iter()
            .filter(|(name, is_ignored)| options.chooses(name, *is_ignored))
            .map(|(name, is_ignored)| {
                let mut arguments = vec!["--exact".to_string(), name.clone()];
                arguments.push("--test-threads=1".to_string());
                if is_ignored {
                    arguments.push("--include-ignored".to_string());
                }
                test(name, arguments)
            })
            .collect(),
        Listing::Program => {
            let name = program_name(binary);
            let is_chosen = options.chooses(&name, false);
            Vec::from_iter(is_chosen.then(|| test(name, Vec::new())))
        }
    }
}

/// The name of a test binary without the hash that Cargo adds.
pub fn program_name(binary: &Path) -> String {
    let name = binary.file_name().unwrap_or_default().to_string_lossy();
    match name.rsplit_once('-') {
        Some((name, hash)) if hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok() => {
            name.to_string()
        }
        _ => name.into_owned(),
    }
}

fn line(name: &str, result: &Result<Explored, String>) -> String {
    let explored = match result {
        Ok(explored) => explored,
        Err(error) => return format!("unpick  {name} ... not explored: {error}"),
    };
    let word = match explored.verdict {
        Verdict::Ok => "ok",
        Verdict::Failed => "FAILED",
        Verdict::Diverged => "DIVERGED",
    };
    let millis = u64::try_from(explored.elapsed.as_millis()).unwrap_or(u64::MAX);
    let rate = explored.executions.saturating_mul(1_000) / millis.max(1);
    let mut text = format!(
        "unpick  {name} ... {word} ({}, {}/s)",
        count(explored.executions, "execution"),
        thousands(rate),
    );
    if !explored.details.is_empty() {
        let _ = write!(text, "\n{}", explored.details.trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_executions_and_rate() {
        let explored = |verdict, executions, details: &str| {
            Ok(Explored {
                verdict,
                executions,
                elapsed: Duration::from_millis(81),
                details: details.to_string(),
                json: String::new(),
            })
        };
        assert_eq!(
            line("a", &explored(Verdict::Ok, 1000, "")),
            "unpick  a ... ok (1,000 executions, 12,345/s)"
        );
        assert_eq!(
            line("a", &explored(Verdict::Failed, 1, "  why  so\n")),
            "unpick  a ... FAILED (1 execution, 12/s)\n  why  so"
        );
        assert_eq!(line("a", &Err("b".into())), "unpick  a ... not explored: b");
    }

    #[test]
    fn binaries_are_named_without_their_hash() {
        assert_eq!(program_name(Path::new("/a/bank-0123456789abcdef")), "bank");
        assert_eq!(program_name(Path::new("/a/bank-test")), "bank-test");
    }

    #[test]
    fn tallies_are_written_and_read() {
        let tally = Tally {
            ok: 1,
            failed: 2,
            diverged: 3,
            errors: 4,
            not_run: 5,
            executions: 6,
        };
        assert_eq!(Tally::from_line(&tally.to_line()), Some(tally));
        assert_eq!(Tally::from_line("1 2"), None);
        let mut sum = tally;
        sum.add(&tally);
        assert_eq!((sum.explored(), sum.not_run, sum.executions), (12, 10, 12));
    }
}
