//! The table of `cargo xtask historic`.

use std::fmt::Write as _;

use super::Run;
use super::bugs::{Bug, Fix};

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

    /// Whether the explanation names the place of the published fix; `None` if there is nothing to name.
    fn names_fix(&self) -> Option<bool> {
        let Run::Fails { why, summary, .. } = &self.buggy else {
            return None;
        };
        let place = self.bug.place?;
        Some(why.contains(place) || summary.contains(place))
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
        let named = match row.names_fix() {
            Some(true) => "yes",
            Some(false) => "no",
            None => "",
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
        count(|row| row.names_fix() == Some(true)),
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
        let bug = BUGS.iter().find(|bug| bug.place.is_some()).unwrap();
        let place = bug.place.unwrap();
        let right = Row {
            bug,
            buggy: fails(&format!("beside {place}:9")),
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
        assert!(text.contains("| yes | 12 | data race | yes |"), "{text}");
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
