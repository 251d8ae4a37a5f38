//! Which tests are in a test binary, and which of them are meant.

use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long a test binary may take to list its tests. One that does not know `--list` runs its
/// tests instead, and these may hang.
const LISTING_TIME_MAX: Duration = Duration::from_secs(20);

/// What a test binary holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Tests of the standard harness, by name; those that are ignored by default come with `true`.
    Tests(Vec<(String, bool)>),
    /// Another harness: the whole program is one test.
    Program,
}

impl Listing {
    /// Asks the binary.
    pub fn of(binary: &Path) -> Listing {
        let Some(names) =
            ask(binary, &["--list", "--format", "terse"]).and_then(|text| names(&text))
        else {
            return Listing::Program;
        };
        if names.is_empty() && !has_standard_harness(binary) {
            return Listing::Program;
        }
        let ignored = ask(binary, &["--list", "--format", "terse", "--ignored"]);
        let ignored = ignored
            .and_then(|text| self::names(&text))
            .unwrap_or_default();
        let with_mark = names.into_iter().map(|name| {
            let is_ignored = ignored.contains(&name);
            (name, is_ignored)
        });
        Listing::Tests(with_mark.collect())
    }
}

/// The names of tests in a terse listing; nothing if it is no listing. Benchmarks are left out.
fn names(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for line in text.lines() {
        match line.strip_suffix(": test") {
            Some(name) => names.push(name.to_string()),
            None if line.ends_with(": benchmark") || line.ends_with(": bench") => {}
            None => return None,
        }
    }
    Some(names)
}

/// A program that prints nothing may be one without tests, or one that ran and did not care for
/// its arguments. The standard harness counts in its long listing.
fn has_standard_harness(binary: &Path) -> bool {
    let text = ask(binary, &["--list"]).unwrap_or_default();
    let last = text.lines().last().unwrap_or_default();
    last.contains(" tests, ") || last.contains(" test, ")
}

/// What the binary prints for these arguments, if it ends well and in time.
fn ask(binary: &Path, arguments: &[&str]) -> Option<String> {
    let mut child = Command::new(binary)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut output = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.read_to_end(&mut bytes);
        let _ = sender.send(read.ok().and_then(|_| String::from_utf8(bytes).ok()));
    });
    let text = receiver.recv_timeout(LISTING_TIME_MAX).ok().flatten();
    if text.is_none() {
        let _ = child.kill();
    }
    let status = child.wait().ok()?;
    text.filter(|_| status.success())
}

/// The options that stand after `--`: those of the standard harness that choose tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HarnessOptions {
    filters: Vec<String>,
    skipped: Vec<String>,
    is_exact: bool,
    /// Only ignored tests, or also.
    ignored: Ignored,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ignored {
    #[default]
    Skip,
    Only,
    Include,
}

impl HarnessOptions {
    /// Reads them. Options that only change how tests run or what is printed mean nothing here.
    pub fn parse(arguments: &[String]) -> Result<HarnessOptions, String> {
        const WITHOUT_MEANING: &[&str] = &[
            "--nocapture",
            "--no-capture",
            "--show-output",
            "--quiet",
            "-q",
            "--test",
        ];
        const WITH_VALUE: &[&str] = &["--test-threads", "--color", "--format"];
        let mut options = HarnessOptions::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_string())),
                _ => (argument.as_str(), None),
            };
            match name {
                "--exact" => options.is_exact = true,
                "--ignored" => options.ignored = Ignored::Only,
                "--include-ignored" => options.ignored = Ignored::Include,
                "--skip" => {
                    let name = value.or_else(|| rest.next().cloned());
                    options.skipped.push(name.ok_or("`--skip` needs a name")?);
                }
                _ if WITHOUT_MEANING.contains(&name) => {}
                _ if WITH_VALUE.contains(&name) => {
                    let _ = value.or_else(|| rest.next().cloned());
                }
                _ if name.starts_with('-') => {
                    return Err(format!(
                        "`{argument}` is unknown after `--`; there are FILTER, --exact, --skip \
                         NAME, --ignored and --include-ignored (options of unpick stand before \
                         `--`)"
                    ));
                }
                _ => options.filters.push(argument.clone()),
            }
        }
        Ok(options)
    }

    /// Whether this test is meant.
    pub fn chooses(&self, name: &str, is_ignored: bool) -> bool {
        let fits = |filter: &String| match self.is_exact {
            true => name == filter,
            false => name.contains(filter.as_str()),
        };
        let is_wanted = match self.ignored {
            Ignored::Skip => !is_ignored,
            Ignored::Only => is_ignored,
            Ignored::Include => true,
        };
        let is_filtered = self.filters.is_empty() || self.filters.iter().any(fits);
        is_wanted && is_filtered && !self.skipped.iter().any(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_are_read() {
        let text = "a::b: test\nc: benchmark\nd - should panic: test\n";
        assert_eq!(names(text).unwrap(), ["a::b", "d - should panic"]);
        assert_eq!(names("").unwrap(), Vec::<String>::new());
        assert_eq!(names("hello\n"), None);
    }

    fn parsed(line: &str) -> HarnessOptions {
        let words: Vec<_> = line.split_whitespace().map(str::to_string).collect();
        HarnessOptions::parse(&words).unwrap()
    }

    #[test]
    fn tests_are_chosen_as_the_standard_harness_does() {
        let all = parsed("--nocapture --test-threads 4 --color=always");
        assert_eq!(all, HarnessOptions::default());
        assert!(all.chooses("a", false) && !all.chooses("a", true));
        let some = parsed("bank other --skip slow");
        assert!(some.chooses("bank::total", false) && some.chooses("another", false));
        assert!(!some.chooses("bank::slow", false) && !some.chooses("total", false));
        let one = parsed("--exact bank::total --include-ignored");
        assert!(one.chooses("bank::total", true) && !one.chooses("bank::total_two", false));
        assert!(!parsed("--ignored").chooses("a", false));
    }

    #[test]
    fn unknown_options_are_errors() {
        let error = HarnessOptions::parse(&["--strategy".to_string()]).unwrap_err();
        assert!(error.contains("stand before `--`"), "{error}");
        assert!(HarnessOptions::parse(&["--skip".to_string()]).is_err());
    }
}
