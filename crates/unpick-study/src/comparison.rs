//! A published number beside the measured one.

use crate::table::Table;
use serde::{Deserialize, Serialize};

/// What a comparison says. In the order in which they are shown: what is worse or not as it must be comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// Not as published, though it must be.
    Violation,
    /// Found by the published technique, and not here.
    Loss,
    /// Not as published, and need not be: nobody has confirmed the number.
    Differs,
    /// Found here, and not by the published technique.
    Gain,
    /// Found by both, or by neither, with other counts, since the program is a model of a larger one.
    Alike,
    /// The limit of this study is too small to tell.
    Beyond,
    /// A sample within five standard deviations.
    Within,
    /// As published.
    Same,
}

impl Verdict {
    /// In a word or two.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Violation => "NO, and must be",
            Verdict::Loss => "no: missed here",
            Verdict::Differs => "no",
            Verdict::Gain => "no: found here",
            Verdict::Alike => "in what is found",
            Verdict::Beyond => "limit too small",
            Verdict::Within => "within 5 sigma",
            Verdict::Same => "yes",
        }
    }
}

/// One published value beside the measured one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The program, or what the number is about.
    pub program: String,
    /// The technique.
    pub technique: String,
    /// What was counted.
    pub what: String,
    /// As published.
    pub published: String,
    /// As measured.
    pub measured: String,
    /// What that says.
    pub verdict: Verdict,
    /// Why it differs, if it does.
    pub why: String,
}

/// The comparisons as a table, losses and differences first, and otherwise as they come.
#[must_use]
pub fn table(all: &[Comparison]) -> Table {
    let mut sorted: Vec<&Comparison> = all.iter().collect();
    sorted.sort_by_key(|one| one.verdict);
    let mut table = Table::new(&[
        "program",
        "technique",
        "what",
        "published",
        "measured",
        "same?",
        "why",
    ]);
    for one in sorted {
        table.add([
            one.program.as_str(),
            &one.technique,
            &one.what,
            &one.published,
            &one.measured,
            one.verdict.word(),
            &one.why,
        ]);
    }
    table
}

/// How many comparisons have each verdict.
#[must_use]
pub fn summary(all: &[Comparison]) -> Table {
    use Verdict::{Alike, Beyond, Differs, Gain, Loss, Same, Violation, Within};
    let mut table = Table::new(&["same?", "comparisons"]);
    for verdict in [Violation, Loss, Differs, Gain, Alike, Beyond, Within, Same] {
        let count = all.iter().filter(|one| one.verdict == verdict).count();
        table.add([verdict.word().to_string(), count.to_string()]);
    }
    table
}

/// Whether two samples of one unknown rate are within five standard deviations: `printed` of `published_count`,
/// and `found` of `measured_count`.
#[must_use]
pub fn is_within(printed: u64, published_count: u64, found: u64, measured_count: u64) -> bool {
    let scale = measured_count as f64 / published_count as f64;
    // With equal counts this is sigma = sqrt(2 p (1 - p) L).
    let share = (printed + found) as f64 / (measured_count + published_count) as f64;
    let variance = share * (1.0 - share) * measured_count as f64 * (1.0 + scale);
    let distance = (found as f64 - printed as f64 * scale).abs();
    distance <= 5.0 * variance.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_one_rate_are_within_and_others_are_not() {
        assert!(is_within(50_000, 100_000, 510, 1_000));
        assert!(!is_within(50_000, 100_000, 700, 1_000));
        assert!(is_within(0, 100_000, 0, 1_000));
        assert!(!is_within(0, 100_000, 10, 1_000));
    }

    #[test]
    fn losses_come_first() {
        let one = |verdict| Comparison {
            program: "p".to_string(),
            technique: "t".to_string(),
            what: "w".to_string(),
            published: "1".to_string(),
            measured: "2".to_string(),
            verdict,
            why: String::new(),
        };
        let all = [Verdict::Same, Verdict::Loss, Verdict::Violation].map(one);
        let words: Vec<String> = table(&all)
            .rows()
            .iter()
            .map(|row| row[5].clone())
            .collect();
        assert_eq!(words, ["NO, and must be", "no: missed here", "yes"]);
    }
}
