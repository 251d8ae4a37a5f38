//! The table of `cargo xtask historic`.

use std::fmt::Write as _;

use super::Run;
use super::bugs::{Bug, Fix, Place};

/// What was seen of a bug.
pub struct Row<'a> {
    pub bug: &'a Bug,
    pub buggy: Run,
    /// With the version that mends it, if there is one.
    pub fixed: Option<Run>,
}

impl Row<'_> {
    /// Whether the bug is found, if the test reaches it, and no alarm is raised without it.
    pub fn is_right(&self) -> bool {
        let is_found = matches!(self.buggy, Run::Fails { .. });
        (is_found || self.bug.not_reached.is_some()) && self.is_fixed_clean()
    }

    fn is_fixed_clean(&self) -> bool {
        match (&self.bug.fix, &self.fixed) {
            (Fix::In(_), Some(run)) => *run == Run::Clean,
            (Fix::Bound(_), Some(run)) => *run == Run::DoesNotCompile,
            (_, None) => true,
            (Fix::None, Some(_)) => false,
        }
    }

    /// The place of the published fix that the explanation names: a line of a function that the fix changed, in one of
    /// the two lines that a user reads.
    fn place_named(&self) -> Option<&Place> {
        match &self.buggy {
            Run::Fails { why, summary, .. } => self
                .bug
                .place_named_in(summary)
                .or_else(|| self.bug.place_named_in(why)),
            _ => None,
        }
    }
}

/// The table, and a line with the sums.
pub fn table(rows: &[Row<'_>]) -> String {
    let mut text = String::from(
        "| bug | version | known as | found | executions | kind | names the place of the fix | fixed version |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let bug = row.bug;
        let (found, executions, kind) = match &row.buggy {
            Run::Fails {
                kind, executions, ..
            } => ("yes", executions.to_string(), kind.as_str()),
            Run::Clean => (bug.not_reached.unwrap_or("no"), String::new(), ""),
            Run::DoesNotCompile => ("does not compile", String::new(), ""),
            Run::Cut(why) => (why.as_str(), String::new(), ""),
        };
        let named = match row.place_named() {
            Some(place) => format!("`{}`", place.function),
            None => match bug.fix {
                Fix::Bound(_) => "the fix is a bound on a type".to_string(),
                Fix::None => "there is no fix".to_string(),
                Fix::In(_) if kind.is_empty() => String::new(),
                Fix::In(_) => "no".to_string(),
            },
        };
        let _ = writeln!(
            text,
            "| {} | {} {} | {} | {found} | {executions} | {kind} | {named} | {} |",
            bug.name,
            bug.package,
            bug.buggy,
            bug.known_as,
            fixed(row)
        );
    }
    let count = |is_it: fn(&Row<'_>) -> bool| rows.iter().filter(|row| is_it(row)).count();
    let _ = writeln!(
        text,
        "\n{} bugs: {} found, {} with the place of the fix named; {} without an alarm on a fixed version",
        rows.len(),
        count(|row| matches!(row.buggy, Run::Fails { .. })),
        count(|row| row.place_named().is_some()),
        count(|row| row.is_fixed_clean()),
    );
    for row in rows {
        if let Run::Fails { summary, why, .. } = &row.buggy {
            let summary = summary.lines().next().unwrap_or_default();
            let _ = writeln!(text, "{}  {summary}\n  why  {why}", row.bug.name);
        }
    }
    text
}

/// What is said of the fixed version.
fn fixed(row: &Row<'_>) -> String {
    let version = match row.bug.fix {
        Fix::In(version) | Fix::Bound(version) => version,
        Fix::None => return "none: live, for a person to report".into(),
    };
    match row.fixed.as_ref() {
        Some(Run::Clean) => format!("{version}: clean"),
        Some(Run::DoesNotCompile) => format!("{version}: does not compile"),
        Some(Run::Fails { kind, .. }) => format!("{version}: ALARM, {kind}"),
        Some(Run::Cut(why)) => format!("{version}: {why}"),
        None => format!("{version}: not tried"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::bugs::BUGS;
    use super::*;

    fn fails(why: &str) -> Run {
        Run::Fails {
            kind: "data race".into(),
            executions: 12,
            summary: "data race".into(),
            why: why.into(),
        }
    }

    #[test]
    fn rows_say_what_was_found_and_whether_the_fix_is_named() {
        let bug = BUGS.iter().find(|bug| !bug.places.is_empty()).unwrap();
        let place = &bug.places[0];
        let line = format!(
            "{}-{}/{}:{}",
            bug.package, bug.buggy, place.file, place.lines.0
        );
        let right = Row {
            bug,
            buggy: fails(&format!("beside {line}")),
            fixed: Some(Run::Clean),
        };
        assert!(right.is_right());
        let alarm = Row {
            bug,
            buggy: fails("elsewhere"),
            fixed: Some(fails("")),
        };
        assert!(!alarm.is_right());
        let text = table(&[right, alarm]);
        let named = format!("| yes | 12 | data race | `{}` |", place.function);
        assert!(text.contains(&named), "{text}");
        assert!(text.contains("| yes | 12 | data race | no |"), "{text}");
        assert!(text.contains("ALARM, data race"), "{text}");
        assert!(
            text.contains("2 bugs: 2 found, 1 with the place of the fix named; 1 without"),
            "{text}"
        );
    }

    #[test]
    fn a_bug_that_no_test_reaches_is_not_wrong() {
        let bug = BUGS.iter().find(|bug| bug.not_reached.is_some()).unwrap();
        let row = Row {
            bug,
            buggy: Run::Clean,
            fixed: Some(Run::Clean),
        };
        assert!(row.is_right());
        let reached = BUGS.iter().find(|bug| bug.not_reached.is_none()).unwrap();
        assert!(
            !Row {
                bug: reached,
                buggy: Run::Clean,
                fixed: None
            }
            .is_right()
        );
    }
}
