//! The table of `cargo xtask suites`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::judged::{Judged, Judgement, find};
use super::verdict::{Tested, Verdict};

/// What became of a crate as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whole {
    /// All its tests were explored.
    Done,
    /// The published package has no tests.
    NoTests,
    /// Not all of its tests were explored, or none; and why.
    Cut(String),
}

/// What was seen of a crate.
#[derive(Clone, Debug)]
pub struct Seen {
    pub package: String,
    pub version: String,
    pub tests: Vec<Tested>,
    pub whole: Whole,
    pub seconds: u64,
}

/// Failures by what they are judged to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub ran: usize,
    pub ok: usize,
    pub failed: usize,
    pub inconclusive: usize,
    pub refused: usize,
    pub true_bugs: usize,
    pub benign: usize,
    pub false_alarms: usize,
    pub not_judged: usize,
}

impl Counts {
    fn of(seen: &Seen, rows: &[Judged]) -> Counts {
        let mut counts = Counts {
            ran: seen.tests.len(),
            ..Counts::default()
        };
        for test in &seen.tests {
            match test.verdict {
                Verdict::Ok => counts.ok += 1,
                Verdict::Inconclusive => counts.inconclusive += 1,
                Verdict::Refused(_) => counts.refused += 1,
                Verdict::Failed(_) => {
                    counts.failed += 1;
                    let row = find(rows, &seen.package, &seen.version, &test.name);
                    *match row.map(|row| row.judgement) {
                        Some(Judgement::TrueBug) => &mut counts.true_bugs,
                        Some(Judgement::Benign) => &mut counts.benign,
                        Some(Judgement::FalseAlarm) => &mut counts.false_alarms,
                        None => &mut counts.not_judged,
                    } += 1;
                }
            }
        }
        counts
    }

    fn add(&mut self, other: Counts) {
        self.ran += other.ran;
        self.ok += other.ok;
        self.failed += other.failed;
        self.inconclusive += other.inconclusive;
        self.refused += other.refused;
        self.true_bugs += other.true_bugs;
        self.benign += other.benign;
        self.false_alarms += other.false_alarms;
        self.not_judged += other.not_judged;
    }
}

/// The sums over all crates.
pub fn sum(seen: &[Seen], rows: &[Judged]) -> Counts {
    let mut sum = Counts::default();
    for one in seen {
        sum.add(Counts::of(one, rows));
    }
    sum
}

/// Failures of a crate by kind: `2 data race, 1 panic`.
fn kinds(seen: &Seen) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for test in &seen.tests {
        if let Verdict::Failed(kind) = &test.verdict {
            *counts.entry(kind).or_default() += 1;
        }
    }
    let parts = counts.iter().map(|(kind, count)| format!("{count} {kind}"));
    parts.collect::<Vec<_>>().join(", ")
}

/// The table, with a line below it for each test that failed or was refused.
pub fn table(seen: &[Seen], rows: &[Judged]) -> String {
    let mut text = String::from(
        "| crate | ran | ok | failed | inconclusive | refused | true bug | benign | false alarm | \
         not judged | remark |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut row = |name: &str, counts: Counts, remark: &str| {
        let numbers = [
            counts.ran,
            counts.ok,
            counts.failed,
            counts.inconclusive,
            counts.refused,
            counts.true_bugs,
            counts.benign,
            counts.false_alarms,
            counts.not_judged,
        ];
        let numbers = numbers.map(|number| number.to_string()).join(" | ");
        let _ = writeln!(text, "| {name} | {numbers} | {remark} |");
    };
    for one in seen {
        let mut remarks = Vec::from_iter(Some(kinds(one)).filter(|kinds| !kinds.is_empty()));
        match &one.whole {
            Whole::Done => {}
            Whole::NoTests => remarks.push("the package has no tests".into()),
            Whole::Cut(why) => remarks.push(why.clone()),
        }
        remarks.push(format!("{} s", one.seconds));
        let name = format!("{} {}", one.package, one.version);
        row(&name, Counts::of(one, rows), &remarks.join("; "));
    }
    row("all", sum(seen, rows), "");
    let without = seen
        .iter()
        .filter(|one| one.whole == Whole::NoTests)
        .count();
    let cut = seen
        .iter()
        .filter(|one| matches!(one.whole, Whole::Cut(_)))
        .count();
    let _ = writeln!(
        text,
        "\n{} crates, {without} without tests in the package, {cut} not explored to the end",
        seen.len()
    );
    for one in seen {
        for test in &one.tests {
            text.push_str(&line(one, test, rows));
        }
    }
    text
}

/// What there is to say about a test that is not simply right.
fn line(seen: &Seen, test: &Tested, rows: &[Judged]) -> String {
    let kind = match &test.verdict {
        Verdict::Ok => return String::new(),
        Verdict::Inconclusive => "inconclusive",
        Verdict::Failed(kind) | Verdict::Refused(kind) => kind,
    };
    let row = find(rows, &seen.package, &seen.version, &test.name);
    let judged = match row {
        Some(row) => format!("{:?}: {}", row.judgement, row.reason),
        None => "not judged".into(),
    };
    let message = test.message.lines().next().unwrap_or_default();
    format!(
        "{} {}  {}  {kind}  {message}  [{judged}]\n",
        seen.package, seen.version, test.name
    )
}

#[cfg(test)]
mod tests {
    use super::super::judged::parse;
    use super::*;

    fn tested(name: &str, verdict: Verdict) -> Tested {
        Tested {
            name: name.into(),
            verdict,
            message: "what went wrong".into(),
            executions: 1,
        }
    }

    fn seen(whole: Whole, tests: Vec<Tested>) -> Seen {
        Seen {
            package: "spin".into(),
            version: "0.9.8".into(),
            tests,
            whole,
            seconds: 3,
        }
    }

    #[test]
    fn failures_count_by_kind_and_judgement() {
        let race = || Verdict::Failed("data race".into());
        let tests = vec![
            tested("lib::a", Verdict::Ok),
            tested("lib::b", race()),
            tested("lib::c", race()),
            tested("lib::d", Verdict::Failed("panic".into())),
            tested("lib::e", Verdict::Refused("diverged".into())),
            tested("lib::f", Verdict::Inconclusive),
        ];
        let rows = parse(
            "spin | 0.9.8 | lib::b | benign but undefined | x\n\
                          spin | 0.9.8 | lib::c | false alarm | y\n",
        )
        .unwrap();
        let all = [seen(Whole::Done, tests), seen(Whole::NoTests, vec![])];
        let counts = sum(&all, &rows);
        assert_eq!((counts.ran, counts.ok, counts.failed), (6, 1, 3));
        assert_eq!((counts.inconclusive, counts.refused), (1, 1));
        assert_eq!(
            (counts.benign, counts.false_alarms, counts.not_judged),
            (1, 1, 1)
        );
        let table = table(&all, &rows);
        assert!(
            table.contains(
                "| spin 0.9.8 | 6 | 1 | 3 | 1 | 1 | 0 | 1 | 1 | 1 | 2 data race, 1 panic; 3 s |"
            ),
            "{table}"
        );
        assert!(table.contains("the package has no tests"), "{table}");
        assert!(
            table.contains("2 crates, 1 without tests in the package, 0 not explored"),
            "{table}"
        );
        assert!(
            table.contains("spin 0.9.8  lib::d  panic  what went wrong  [not judged]"),
            "{table}"
        );
        assert!(!table.contains("lib::a"), "{table}");
    }
}
