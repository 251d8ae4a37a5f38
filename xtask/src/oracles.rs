//! `cargo xtask oracles`: the published counts against what unpick measures.
//!
//! Exact rows must agree digit for digit; counts of randomised techniques must lie within five
//! standard deviations, both sides being samples. What differs is shown in red and explained in
//! `docs/study/oracles.md`.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::time::Instant;

use anyhow::{Result, bail};
use unpick::{Config, Exploration};
use unpick_suite::published::{Bounded, DELAY_COUNTS, DELAY_TOTALS, FIGURE_COUNTS, Published};
use unpick_suite::{Program, find, programs};

/// One published value against the measured one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) program: String,
    pub(crate) technique: String,
    pub(crate) published: String,
    pub(crate) measured: String,
    pub(crate) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// As published.
    Same,
    /// A sample within five standard deviations.
    Within,
    /// Not as published, though the row must be.
    Differs,
    /// Not as published, in a row that the extract does not call exact.
    Informative,
}

/// How much to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Exact rows with more schedules than this are left out.
    pub(crate) schedules_max: u64,
    /// Executions of each randomised technique; zero leaves them out.
    pub(crate) samples: u64,
}

/// Runs everything and prints a table.
pub(crate) fn run(only: &str, samples: u64) -> Result<bool> {
    let effort = Effort {
        schedules_max: u64::MAX,
        samples,
    };
    let start = Instant::now();
    let mut differing = 0;
    let mut count = 0;
    println!("{}", line("program", "technique", "published", "measured"));
    let chosen = |name: &str| name.to_lowercase().contains(&only.to_lowercase());
    for program in programs().iter().filter(|program| chosen(program.name)) {
        for comparison in compare(program, effort) {
            count += 1;
            differing += usize::from(comparison.verdict == Verdict::Differs);
            print_comparison(&comparison);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{count} comparisons in {seconds:.0} s, {differing} differ");
    if count == 0 {
        bail!("no program's name contains `{only}`; `unpick suite list` shows them");
    }
    Ok(differing == 0)
}

/// Everything that is published of a program.
pub(crate) fn compare(program: &'static Program, effort: Effort) -> Vec<Comparison> {
    let mut all = Vec::new();
    if let Some(published) = program.published.filter(|row| row.is_modelled_exactly()) {
        compare_searches(program, published, effort, &mut all);
        if effort.samples > 0 {
            compare_samples(program, published, effort, &mut all);
        }
    }
    for (name, counts) in DELAY_COUNTS {
        if *name == program.name && counts.iter().sum::<u64>() <= effort.schedules_max {
            let bound = counts.len() - 1;
            let text = format!("idb:beyond=1,bound={bound}");
            all.push(exact(
                program,
                &text,
                join(counts),
                join(&by_bound(program, &text)),
            ));
        }
    }
    for (name, bound, total) in DELAY_TOTALS {
        if *name == program.name && *total <= effort.schedules_max {
            let text = format!("idb:beyond=1,bound={bound}");
            let measured = explore(program, &text, u64::MAX).schedules;
            all.push(exact(
                program,
                &text,
                total.to_string(),
                measured.to_string(),
            ));
        }
    }
    for figure in FIGURE_COUNTS
        .iter()
        .filter(|figure| figure.name == program.name)
    {
        for (technique, counts, buggy) in [
            ("ipb", figure.by_preemptions, figure.buggy_by_preemptions),
            ("idb", figure.by_delays, figure.buggy_by_delays),
        ] {
            let text = format!("{technique}:beyond=1");
            let bounds = explore(program, &text, u64::MAX).bounds;
            let schedules: Vec<u64> = bounds.iter().map(|bound| bound.schedules).collect();
            let failures: Vec<u64> = bounds.iter().map(|bound| bound.failures).collect();
            all.push(exact(program, &text, join(counts), join(&schedules)));
            all.push(exact(
                program,
                &format!("{text} buggy"),
                join(buggy),
                join(&failures),
            ));
        }
        let total = explore(program, "dfs", u64::MAX).schedules;
        all.push(exact(
            program,
            "dfs",
            figure.schedules.to_string(),
            total.to_string(),
        ));
    }
    all
}

fn compare_searches(
    program: &'static Program,
    published: &Published,
    effort: Effort,
    all: &mut Vec<Comparison>,
) {
    for (technique, row) in [("ipb", &published.ipb), ("idb", &published.idb)] {
        let is_small = |schedules: u64| schedules <= effort.schedules_max;
        if row.schedules.is_some_and(is_small) {
            let found = explore(program, technique, published.schedules_max);
            all.push(judge(
                program,
                technique,
                bounded(row),
                bounded(&measure(&found)),
                row.exact,
            ));
        }
    }
    let row = &published.dfs;
    if row.schedules <= effort.schedules_max {
        let found = explore(program, "dfs", published.schedules_max);
        let first = found.first_failure.as_ref().map(|failure| failure.rank);
        let text = |first: Option<u64>, schedules: u64, buggy: u64| {
            format!("{}/{schedules}/{buggy}", rank(first))
        };
        let printed = text(row.first, row.schedules, row.buggy);
        let measured = text(first, found.schedules, found.failures);
        all.push(judge(program, "dfs", printed, measured, row.exact));
    }
}

fn compare_samples(
    program: &'static Program,
    published: &Published,
    effort: Effort,
    all: &mut Vec<Comparison>,
) {
    let steps = published.steps_max;
    let mut techniques = vec![("random".to_string(), published.random)];
    for (depth, row) in (1..).zip(published.pct) {
        techniques.push((format!("pct:d={depth},k={steps}"), row));
    }
    for (technique, row) in techniques {
        let Some(printed) = row.buggy else { continue };
        let found = explore(program, &technique, effort.samples);
        let scale = effort.samples as f64 / published.schedules_max as f64;
        // Both sides are samples of one unknown rate: the published one of 100,000, ours of
        // `samples`. With equal sizes this is sigma = sqrt(2 p (1 - p) L).
        let both = (effort.samples + published.schedules_max) as f64;
        let share = (printed + found.failures) as f64 / both;
        let variance = share * (1.0 - share) * effort.samples as f64 * (1.0 + scale);
        let distance = (found.failures as f64 - printed as f64 * scale).abs();
        let within = distance <= 5.0 * variance.sqrt();
        let verdict = match (within, row.checked) {
            (true, _) => Verdict::Within,
            (false, true) => Verdict::Differs,
            (false, false) => Verdict::Informative,
        };
        all.push(Comparison {
            program: program.name.to_string(),
            technique,
            published: format!("{:.0}", printed as f64 * scale),
            measured: found.failures.to_string(),
            verdict,
        });
    }
}

/// The exploration of a program under the rules of the study: only the order of tasks varies.
fn explore(program: &'static Program, strategy: &str, executions: u64) -> Exploration {
    let selection = find(program.name).expect("internal error: a program of the table is found");
    let config = Config::new()
        .strategy(strategy)
        .executions(executions)
        .keep_going(true)
        .patience(1)
        .fail_on_limit(true)
        .confirm(0)
        .spurious_wakes(0)
        .writers_first(false)
        .weak_failures(0);
    unpick::explore(config, move || selection.run())
}

fn measure(found: &Exploration) -> Bounded {
    let last = found.bounds.last().copied().unwrap_or_default();
    Bounded {
        bound: last.bound,
        found: found.failures > 0,
        first: found.first_failure.as_ref().map(|failure| failure.rank),
        schedules: Some(found.schedules),
        new: Some(last.schedules),
        buggy: Some(found.failures),
        exact: true,
    }
}

fn by_bound(program: &'static Program, strategy: &str) -> Vec<u64> {
    let found = explore(program, strategy, u64::MAX);
    found.bounds.iter().map(|bound| bound.schedules).collect()
}

fn bounded(row: &Bounded) -> String {
    let cell =
        |count: Option<u64>| count.map_or_else(|| "?".to_string(), |count| count.to_string());
    let first = match row.found {
        true => cell(row.first),
        false => rank(None),
    };
    let counts = [row.schedules, row.new, row.buggy].map(cell).join("/");
    format!("{}/{first}/{counts}", row.bound)
}

fn rank(first: Option<u64>) -> String {
    first.map_or_else(|| "-".to_string(), |rank| rank.to_string())
}

fn join(counts: &[u64]) -> String {
    let mut text = String::new();
    for (index, count) in counts.iter().enumerate() {
        let separator = if index == 0 { "" } else { "+" };
        write!(text, "{separator}{count}").expect("internal error: writing to a string");
    }
    text
}

fn exact(program: &Program, technique: &str, published: String, measured: String) -> Comparison {
    judge(program, technique, published, measured, true)
}

fn judge(
    program: &Program,
    technique: &str,
    published: String,
    measured: String,
    must_agree: bool,
) -> Comparison {
    let verdict = match (published == measured, must_agree) {
        (true, _) => Verdict::Same,
        (false, true) => Verdict::Differs,
        (false, false) => Verdict::Informative,
    };
    Comparison {
        program: program.name.to_string(),
        technique: technique.to_string(),
        published,
        measured,
        verdict,
    }
}

fn line(program: &str, technique: &str, published: &str, measured: &str) -> String {
    format!("{program:<26} {technique:<22} {published:<28} {measured:<28}")
}

fn print_comparison(comparison: &Comparison) {
    let text = line(
        &comparison.program,
        &comparison.technique,
        &comparison.published,
        &comparison.measured,
    );
    let (word, colour) = match comparison.verdict {
        Verdict::Same => ("same", ""),
        Verdict::Within => ("within 5 sigma", ""),
        Verdict::Differs => ("DIFFERS", "\x1b[31m"),
        Verdict::Informative => ("differs (row not exact)", "\x1b[33m"),
    };
    if colour.is_empty() || !std::io::stdout().is_terminal() {
        println!("{text} {word}");
    } else {
        println!("{colour}{text} {word}\x1b[0m");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of a few thousand schedules, each time the tests run; `cargo xtask oracles` runs
    /// the others and the samples too.
    #[test]
    fn small_published_counts_are_reproduced_digit_for_digit() {
        let effort = Effort {
            schedules_max: 9_000,
            samples: 0,
        };
        let mut compared = 0;
        for comparison in programs()
            .iter()
            .flat_map(|program| compare(program, effort))
        {
            assert_ne!(comparison.verdict, Verdict::Differs, "{comparison:?}");
            compared += 1;
        }
        assert!(compared >= 70, "only {compared} rows were compared");
    }

    #[test]
    fn a_wrong_count_is_noticed() {
        let program = find("thesis.fig3_1").unwrap().program;
        let wrong = exact(program, "dfs", "11".to_string(), "12".to_string());
        assert_eq!(wrong.verdict, Verdict::Differs);
    }

    #[test]
    fn samples_of_a_few_rows_are_within_five_sigma() {
        let effort = Effort {
            schedules_max: 0,
            samples: 5_000,
        };
        for name in ["CS.account_bad", "CS.deadlock01_bad", "CS.carter01_bad"] {
            let program = find(name).unwrap().program;
            let samples = compare(program, effort);
            assert_eq!(samples.len(), 4);
            for sample in samples {
                assert_eq!(sample.verdict, Verdict::Within, "{sample:?}");
            }
        }
    }
}
