//! Explores the tests of one binary, one after the other, and says what came of them.
//!
//! How a test is explored is somebody else's work: an [`Explorer`].

use super::listing::{HarnessOptions, Listing};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use unpick_engine::{Claim, Proviso};
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
    /// Executions that did not come to their end.
    pub inconclusive: u64,
    /// What the exploration claims.
    pub claim: Claim,
    /// How long it took.
    pub elapsed: Duration,
    /// What else a person should know: how it failed, warnings. May be empty.
    pub details: String,
    /// The exploration as a JSON object on one line.
    pub json: String,
}

impl Explored {
    /// Whether nothing was found and no execution came to its end.
    fn is_inconclusive(&self) -> bool {
        self.verdict == Verdict::Ok && self.inconclusive > 0 && self.inconclusive == self.executions
    }

    /// The verdict in one word.
    fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Ok if self.is_inconclusive() => "inconclusive",
            Verdict::Ok => "ok",
            Verdict::Failed => "FAILED",
            Verdict::Diverged => "DIVERGED",
        }
    }

    /// What an exploration claims in which nothing was found, to follow the verdict.
    fn claimed(&self) -> String {
        if self.verdict != Verdict::Ok || self.is_inconclusive() {
            return String::new();
        }
        let mut text = String::new();
        if self.inconclusive > 0 {
            let _ = write!(text, ", {} inconclusive", thousands(self.inconclusive));
        }
        if self.claim.is_proof() {
            text.push_str(", complete");
        } else if self.claim.is_exhausted {
            let words = self.claim.provided.iter().map(Proviso::word);
            let words: Vec<&str> = words.collect();
            let _ = write!(text, ", complete provided {}", words.join(", "));
        }
        text
    }
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
    /// Tests of which no execution came to its end, and in which nothing was found up to there.
    pub inconclusive: u64,
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
    /// Tests in which nothing was found that were explored completely, with nothing assumed.
    pub proofs: u64,
    /// Tests in which nothing was found that were explored completely, provided that something holds.
    pub assumed: u64,
    /// Tests among these that assume a proviso, in the order of [`Proviso::ALL`].
    pub provided: [u64; Proviso::ALL.len()],
}

impl Tally {
    /// All tests that were explored.
    pub fn explored(&self) -> u64 {
        self.ok + self.inconclusive + self.failed + self.diverged
    }

    /// Counts a test.
    fn note(&mut self, result: &Result<Explored, String>) {
        let Ok(explored) = result else {
            self.errors += 1;
            return;
        };
        self.executions += explored.executions;
        match explored.verdict {
            Verdict::Failed => self.failed += 1,
            Verdict::Diverged => self.diverged += 1,
            Verdict::Ok if explored.is_inconclusive() => self.inconclusive += 1,
            Verdict::Ok => {
                self.ok += 1;
                self.note_claim(explored.claim);
            }
        }
    }

    fn note_claim(&mut self, claim: Claim) {
        if claim.is_proof() {
            self.proofs += 1;
        } else if claim.is_exhausted {
            self.assumed += 1;
            for (count, proviso) in self.provided.iter_mut().zip(Proviso::ALL) {
                *count += u64::from(claim.provided.contains(*proviso));
            }
        }
    }

    /// All numbers, in the order in which they are written.
    fn numbers(&mut self) -> impl Iterator<Item = &mut u64> {
        let counts = [
            &mut self.ok,
            &mut self.inconclusive,
            &mut self.failed,
            &mut self.diverged,
            &mut self.errors,
            &mut self.not_run,
            &mut self.executions,
            &mut self.proofs,
            &mut self.assumed,
        ];
        counts.into_iter().chain(&mut self.provided)
    }

    /// Takes in the tally of another binary.
    pub fn add(&mut self, other: &Tally) {
        let mut other = *other;
        for (number, more) in self.numbers().zip(other.numbers()) {
            *number += *more;
        }
    }

    /// As one line of a file.
    pub fn to_line(&self) -> String {
        let mut own = *self;
        let numbers: Vec<String> = own.numbers().map(|number| number.to_string()).collect();
        numbers.join(" ")
    }

    /// Reads such a line.
    pub fn from_line(line: &str) -> Option<Tally> {
        let mut tally = Tally::default();
        let mut words = line.split(' ');
        for number in tally.numbers() {
            *number = words.next()?.parse().ok()?;
        }
        words.next().is_none().then_some(tally)
    }

    /// What was proven, and what that assumes: nothing if no test passed.
    pub fn claims(&self) -> String {
        let mut text = String::new();
        if self.ok > 0 {
            let open = self.ok - self.proofs - self.assumed;
            let _ = write!(text, "  {} complete", self.proofs);
            if self.assumed > 0 {
                let _ = write!(text, ", {} complete with provisos", self.assumed);
            }
            if open > 0 {
                let _ = write!(
                    text,
                    ", {open} with schedules left (--executions and --time allow more)"
                );
            }
        }
        for (proviso, tests) in Proviso::ALL.iter().zip(self.provided) {
            if tests > 0 {
                let (word, tests) = (proviso.word(), count(tests, "test"));
                let _ = write!(text, "\n    {word} ({tests}): {}", proviso.sentence());
            }
        }
        if self.inconclusive > 0 {
            let line_end = if text.is_empty() { "" } else { "\n" };
            let _ = write!(
                text,
                "{line_end}  {} inconclusive: no execution came to its end within the steps allowed (--steps \
                 allows more)",
                self.inconclusive
            );
        }
        text
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

/// Explores the chosen tests of a binary, and prints and counts each result as it comes: nothing is lost if the next test ends
/// this process.
pub fn explore_tests(
    binary: &Path,
    options: &HarnessOptions,
    explorer: &mut dyn Explorer,
    output: Output,
    print: &mut dyn FnMut(&str),
    count: &mut dyn FnMut(&Tally),
) {
    for test in tests(binary, options) {
        let mut tally = Tally::default();
        if explorer.is_interrupted() {
            tally.not_run += 1;
            count(&tally);
            if output != Output::Json {
                print(&format!("unpick  {} ... not run", test.name));
            }
            continue;
        }
        let result = explorer.explore(&test);
        tally.note(&result);
        count(&tally);
        let is_silent =
            output == Output::Quiet && matches!(&result, Ok(explored) if explored.word() == "ok");
        match (&result, output) {
            (Ok(explored), Output::Json) => print(&explored.json),
            _ if is_silent => {}
            _ => print(&line(&test.name, &result)),
        }
    }
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
    let millis = u64::try_from(explored.elapsed.as_millis()).unwrap_or(u64::MAX);
    let rate = explored.executions.saturating_mul(1_000) / millis.max(1);
    let mut text = format!(
        "unpick  {name} ... {}{} ({}, {}/s)",
        explored.word(),
        explored.claimed(),
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

    fn explored(verdict: Verdict, provided: &[Proviso], is_exhausted: bool) -> Explored {
        Explored {
            verdict,
            executions: 1000,
            inconclusive: 0,
            claim: Claim {
                is_exhausted,
                provided: provided.iter().copied().collect(),
            },
            elapsed: Duration::from_millis(81),
            details: String::new(),
            json: String::new(),
        }
    }

    #[test]
    fn a_line_says_what_is_claimed() {
        let said = |explored: Explored| line("a", &Ok(explored));
        let open = explored(Verdict::Ok, &[Proviso::Clock], false);
        assert_eq!(said(open), "unpick  a ... ok (1,000 executions, 12,345/s)");
        let proof = explored(Verdict::Ok, &[], true);
        assert_eq!(
            said(proof),
            "unpick  a ... ok, complete (1,000 executions, 12,345/s)"
        );
        let provisos = [Proviso::Clock, Proviso::StepLimit];
        let mut assumed = explored(Verdict::Ok, &provisos, true);
        assumed.inconclusive = 3;
        assert_eq!(
            said(assumed.clone()),
            "unpick  a ... ok, 3 inconclusive, complete provided step-limit, clock (1,000 executions, 12,345/s)"
        );
        assumed.inconclusive = 1000;
        assert_eq!(
            said(assumed),
            "unpick  a ... inconclusive (1,000 executions, 12,345/s)"
        );
        let mut failed = explored(Verdict::Failed, &[], true);
        (failed.executions, failed.details) = (1, "  why  so\n".to_string());
        assert_eq!(
            said(failed),
            "unpick  a ... FAILED (1 execution, 12/s)\n  why  so"
        );
        assert_eq!(line("a", &Err("b".into())), "unpick  a ... not explored: b");
    }

    #[test]
    fn the_tally_says_what_was_proven_and_what_that_assumes() {
        let mut tally = Tally::default();
        let mut endless = explored(Verdict::Ok, &[Proviso::StepLimit], false);
        endless.inconclusive = 1000;
        let provisos = [Proviso::Clock, Proviso::ForcedSwitch];
        for one in [
            explored(Verdict::Ok, &[], true),
            explored(Verdict::Ok, &provisos, true),
            explored(Verdict::Ok, &provisos[..1], true),
            explored(Verdict::Ok, &[Proviso::Bound], false),
            explored(Verdict::Failed, &[Proviso::Bound], true),
            endless,
        ] {
            tally.note(&Ok(one));
        }
        assert_eq!((tally.ok, tally.inconclusive, tally.failed), (4, 1, 1));
        let expected = [
            "  1 complete, 2 complete with provisos, 1 with schedules left (--executions and --time allow more)",
            "    forced-switch (1 test): no bug needs a task to go on past its yield, sleep or timed wait while \
             others can run",
            "    clock (2 tests): no bug depends on the order in which tasks read the clock",
            "  1 inconclusive: no execution came to its end within the steps allowed (--steps allows more)",
        ];
        assert_eq!(tally.claims(), expected.join("\n"));
        assert_eq!(Tally::default().claims(), "");
    }

    #[test]
    fn binaries_are_named_without_their_hash() {
        assert_eq!(program_name(Path::new("/a/bank-0123456789abcdef")), "bank");
        assert_eq!(program_name(Path::new("/a/bank-test")), "bank-test");
    }

    #[test]
    fn tallies_are_written_and_read() {
        let mut tally = Tally::default();
        for (place, number) in tally.numbers().enumerate() {
            *number = place as u64 + 1;
        }
        assert_eq!(Tally::from_line(&tally.to_line()), Some(tally));
        assert_eq!(Tally::from_line("1 2"), None);
        assert_eq!(Tally::from_line(&(tally.to_line() + " 1")), None);
        let mut sum = tally;
        sum.add(&tally);
        assert_eq!((sum.explored(), sum.not_run, sum.executions), (20, 12, 14));
    }
}
