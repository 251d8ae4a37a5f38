//! Failures that a person has judged: one row per crate, version and test.

use anyhow::{Result, bail};

/// What a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The crate or its test is wrong.
    TrueBug,
    /// Undefined by the language, and harmless on every machine that there is.
    Benign,
    /// unpick is wrong.
    FalseAlarm,
}

const WORDS: &[(&str, Judgement)] = &[
    ("true bug", Judgement::TrueBug),
    ("benign but undefined", Judgement::Benign),
    ("false alarm", Judgement::FalseAlarm),
];

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub package: String,
    pub version: String,
    /// The test binary and the name of the test, as in the results; ends in `*` for all that begin so.
    pub test: String,
    pub judgement: Judgement,
    pub reason: String,
}

impl Judged {
    fn fits(&self, package: &str, version: &str, test: &str) -> bool {
        let is_test = match self.test.strip_suffix('*') {
            Some(begin) => test.starts_with(begin),
            None => test == self.test,
        };
        self.package == package && self.version == version && is_test
    }
}

/// Reads the rows: `crate | version | test | judgement | reason`. Lines that begin with `#` are comments.
pub fn parse(text: &str) -> Result<Vec<Judged>> {
    let mut rows = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let parts: Vec<&str> = line.splitn(5, '|').map(str::trim).collect();
        let [package, version, test, word, reason] = parts[..] else {
            bail!("line {number}: `{line}` has {} columns, not 5", parts.len());
        };
        let Some((_, judgement)) = WORDS.iter().find(|(known, _)| *known == word) else {
            bail!(
                "line {number}: `{word}` is no judgement; there are true bug, benign but undefined, false alarm"
            );
        };
        if reason.is_empty() {
            bail!("line {number}: a judgement needs a reason");
        }
        rows.push(Judged {
            package: package.into(),
            version: version.into(),
            test: test.into(),
            judgement: *judgement,
            reason: reason.into(),
        });
    }
    Ok(rows)
}

/// The judgement of a test, if there is one.
pub fn find<'a>(
    rows: &'a [Judged],
    package: &str,
    version: &str,
    test: &str,
) -> Option<&'a Judged> {
    rows.iter().find(|row| row.fits(package, version, test))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "# crate | version | test | judgement | reason\n\
                        oneshot | 0.2.1 | lib::drop | true bug | use after free, see a | b\n\
                        spin | 0.9.8 | lib::* | false alarm | time\n";

    #[test]
    fn rows_are_found_by_crate_version_and_test() {
        let rows = parse(ROWS).unwrap();
        let found = find(&rows, "oneshot", "0.2.1", "lib::drop").unwrap();
        assert_eq!(found.judgement, Judgement::TrueBug);
        assert_eq!(found.reason, "use after free, see a | b");
        assert!(find(&rows, "oneshot", "0.2.0", "lib::drop").is_none());
        assert!(find(&rows, "spin", "0.9.8", "lib::once::x").is_some());
        assert!(find(&rows, "spin", "0.9.8", "mutex::x").is_none());
    }

    #[test]
    fn wrong_rows_are_refused_with_their_line() {
        for wrong in [
            "a | 1 | t",
            "a | 1 | t | fine | x",
            "a | 1 | t | true bug |",
        ] {
            let error = parse(&format!("#\n{wrong}\n")).unwrap_err();
            assert!(error.to_string().starts_with("line 2: "), "{error}");
        }
    }

    #[test]
    fn the_checked_in_rows_are_right() {
        parse(super::super::JUDGED).unwrap();
    }
}
