//! What lazy relations gain, over all programs, beside what was published.

use super::{Row, classes};
use crate::measure::Measured;
use crate::table::Table;

/// Techniques with their lazy forms.
pub(super) const PAIRS: [(&str, &str); 3] = [
    ("hbr-cache", "lazy-hbr-cache"),
    ("dpor", "lazy-dpor"),
    ("odpor", "lazy-odpor"),
];

/// One number a row: what, published, measured.
pub(super) fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&["what", "published", "measured"]);
    let mut add = |what: String, published: &str, measured: String| {
        table.add([what, published.to_string(), measured]);
    };
    let potential = potential(rows);
    add("programs".to_string(), "79", rows.len().to_string());
    add(
        "programs with fewer lazy relations than relations, under `dpor`".to_string(),
        "33",
        potential.programs.to_string(),
    );
    add(
        "redundant relations of those".to_string(),
        "910,007",
        unpick::report::thousands(potential.redundant),
    );
    add(
        "share of their relations".to_string(),
        "80 %",
        percent(potential.redundant, potential.relations),
    );
    let published = [
        ("18", "+8,969", "+84 %"),
        ("39", "+344,161", "+91 %"),
        ("–", "–", "–"),
    ];
    for ((plain, lazy), published) in PAIRS.into_iter().zip(published) {
        let gain = gain(rows, plain, lazy);
        add(
            format!(
                "programs that gain by `{lazy}` over `{plain}`: more lazy relations, or complete with fewer executions"
            ),
            published.0,
            gain.programs.to_string(),
        );
        add(
            format!("lazy relations that `{lazy}` has met beyond `{plain}`, on those"),
            published.1,
            format!("+{}", unpick::report::thousands(gain.more)),
        );
        add(
            "as a share of what the plain one has met".to_string(),
            published.2,
            format!("+{}", percent(gain.more, gain.plain)),
        );
        add(
            format!("executions of `{plain}` and `{lazy}` on programs that both complete"),
            "–",
            format!(
                "{} and {}",
                unpick::report::thousands(gain.executions.0),
                unpick::report::thousands(gain.executions.1)
            ),
        );
        add(
            format!("programs on which `{lazy}` has met fewer lazy relations"),
            match lazy {
                "lazy-hbr-cache" => "0",
                "lazy-dpor" => "3, all with warnings",
                _ => "–",
            },
            gain.worse.to_string(),
        );
    }
    table
}

#[derive(Default)]
struct Potential {
    programs: u64,
    relations: u64,
    redundant: u64,
}

fn potential(rows: &[Row]) -> Potential {
    let mut sum = Potential::default();
    for found in rows.iter().filter_map(|row| row.get("dpor")) {
        let (hbrs, lazy) = classes(found);
        if lazy < hbrs {
            sum.programs += 1;
            sum.relations += hbrs;
            sum.redundant += hbrs - lazy;
        }
    }
    sum
}

#[derive(Default)]
struct Gain {
    programs: u64,
    worse: u64,
    /// Lazy relations that the plain technique has met on programs that gain, and how many more the lazy one has.
    plain: u64,
    more: u64,
    /// On programs that both complete.
    executions: (u64, u64),
}

fn gain(rows: &[Row], plain: &str, lazy: &str) -> Gain {
    let mut sum = Gain::default();
    for row in rows {
        let (Some(one), Some(other)) = (row.get(plain), row.get(lazy)) else {
            continue;
        };
        let (before, after) = (classes(one).1, classes(other).1);
        sum.worse += u64::from(after < before);
        if is_gain(one, other) {
            sum.programs += 1;
            sum.plain += before;
            sum.more += after.saturating_sub(before);
        }
        if one.complete && other.complete {
            sum.executions.0 += one.executions;
            sum.executions.1 += other.executions;
        }
    }
    sum
}

fn is_gain(one: &Measured, other: &Measured) -> bool {
    let (before, after) = (classes(one).1, classes(other).1);
    let is_quicker = other.complete && (!one.complete || other.executions < one.executions);
    after > before || (after == before && is_quicker)
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.0} %", part as f64 * 100.0 / whole.max(1) as f64)
}
