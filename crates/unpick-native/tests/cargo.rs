//! Test binaries as rustc makes them: listing, choosing, exploring with an explorer that only counts.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use unpick_engine::{Claim, Provisos};
use unpick_native::cargo::{
    Explored, Explorer, HarnessOptions, Listing, Output, Tally, Test, Verdict, explore_tests,
};

/// A test binary in a directory that is removed at the end.
struct Binary(PathBuf);

impl Binary {
    fn of(name: &str, source: &str, flags: &[&str]) -> Binary {
        let folder =
            std::env::temp_dir().join(format!("unpick-listing-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("source.rs"), source).unwrap();
        let mut command = Command::new("rustc");
        command
            .current_dir(&folder)
            .args(["--edition=2021", "source.rs", "-o", name]);
        assert!(command.args(flags).status().unwrap().success());
        Binary(folder.join(name))
    }
}

impl Drop for Binary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.parent().unwrap());
    }
}

/// Answers by the name of the test, until there were enough.
struct ByName {
    tests: Vec<Test>,
    enough: usize,
}

impl Explorer for ByName {
    fn explore(&mut self, test: &Test) -> Result<Explored, String> {
        self.tests.push(test.clone());
        let verdict = match test.name.as_str() {
            name if name.contains("fails") => Verdict::Failed,
            name if name.contains("diverges") => Verdict::Diverged,
            name if name.contains("impossible") => return Err("no way".to_string()),
            _ => Verdict::Ok,
        };
        Ok(Explored {
            verdict,
            executions: 1000,
            inconclusive: 0,
            claim: Claim {
                is_exhausted: false,
                provided: Provisos::NONE,
            },
            elapsed: Duration::from_millis(100),
            details: String::new(),
            json: format!("{{\"name\":\"{}\"}}", test.name),
        })
    }

    fn is_interrupted(&self) -> bool {
        self.tests.len() >= self.enough
    }
}

fn explored(binary: &Binary, options: &[&str], output: Output) -> (Tally, String, Vec<Test>) {
    explored_up_to(binary, options, output, usize::MAX)
}

fn explored_up_to(
    binary: &Binary,
    options: &[&str],
    output: Output,
    enough: usize,
) -> (Tally, String, Vec<Test>) {
    let options: Vec<_> = options.iter().map(ToString::to_string).collect();
    let options = HarnessOptions::parse(&options).unwrap();
    let mut explorer = ByName {
        tests: Vec::new(),
        enough,
    };
    let mut text = String::new();
    let mut print = |line: &str| {
        text += line;
        text.push('\n');
    };
    let mut tally = Tally::default();
    let mut count = |one: &Tally| tally.add(one);
    explore_tests(
        &binary.0,
        &options,
        &mut explorer,
        output,
        &mut print,
        &mut count,
    );
    (tally, text, explorer.tests)
}

const TESTS: &str = "
mod bank {
    #[test] fn adds() {}
    #[test] fn fails() {}
    #[test] #[ignore] fn slow() {}
}
#[test] fn diverges() {}
#[test] fn impossible() {}
";

#[test]
fn tests_behind_an_interruption_are_listed() {
    let binary = Binary::of("interrupted", TESTS, &["--test"]);
    let (tally, text, tests) = explored_up_to(&binary, &[], Output::Text, 2);
    insta::assert_snapshot!(text, @r"
    unpick  bank::adds ... ok (1,000 executions, 10,000/s)
    unpick  bank::fails ... FAILED (1,000 executions, 10,000/s)
    unpick  diverges ... not run
    unpick  impossible ... not run
    ");
    assert_eq!(tests.len(), 2);
    assert_eq!((tally.explored(), tally.not_run), (2, 2));
}

#[test]
fn every_test_that_is_not_ignored_is_explored() {
    let binary = Binary::of("all", TESTS, &["--test"]);
    let (tally, text, tests) = explored(&binary, &[], Output::Text);
    insta::assert_snapshot!(text, @r"
    unpick  bank::adds ... ok (1,000 executions, 10,000/s)
    unpick  bank::fails ... FAILED (1,000 executions, 10,000/s)
    unpick  diverges ... DIVERGED (1,000 executions, 10,000/s)
    unpick  impossible ... not explored: no way
    ");
    assert_eq!(
        tally,
        Tally {
            ok: 1,
            failed: 1,
            diverged: 1,
            errors: 1,
            executions: 3000,
            ..Tally::default()
        }
    );
    assert_eq!(
        tests[0].arguments,
        ["--exact", "bank::adds", "--test-threads=1"]
    );
    let (_, text, _) = explored(&binary, &["bank"], Output::Json);
    assert_eq!(
        text,
        "{\"name\":\"bank::adds\"}\n{\"name\":\"bank::fails\"}\n"
    );
    let (_, text, _) = explored(&binary, &["bank"], Output::Quiet);
    assert!(text.starts_with("unpick  bank::fails ... FAILED"), "{text}");
}

#[test]
fn ignored_tests_run_when_asked_for() {
    let binary = Binary::of("ignored", TESTS, &["--test"]);
    let (tally, _, tests) = explored(&binary, &["--ignored"], Output::Text);
    assert_eq!((tally.ok, tests.len()), (1, 1));
    assert!(
        tests[0]
            .arguments
            .contains(&"--include-ignored".to_string())
    );
    // The arguments do what they shall: the test really runs.
    let run = Command::new(&tests[0].binary)
        .args(&tests[0].arguments)
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&run.stdout).contains("1 passed"));
}

#[test]
fn a_binary_without_tests_has_none() {
    let binary = Binary::of("empty", "", &["--test"]);
    assert_eq!(Listing::of(&binary.0), Listing::Tests(Vec::new()));
    assert_eq!(explored(&binary, &[], Output::Text).0, Tally::default());
}

#[test]
fn another_harness_is_explored_as_a_whole() {
    for (name, source) in [
        ("silent", "fn main() {}"),
        ("talking", "fn main() { println!(\"all is well\"); }"),
        (
            "refusing",
            "fn main() { assert_eq!(std::env::args().count(), 1); }",
        ),
    ] {
        let binary = Binary::of(name, source, &[]);
        assert_eq!(Listing::of(&binary.0), Listing::Program, "{name}");
        let (tally, _, tests) = explored(&binary, &[], Output::Text);
        assert_eq!((tally.ok, tests[0].name.as_str()), (1, name));
        assert!(tests[0].arguments.is_empty());
        assert_eq!(
            explored(&binary, &["other"], Output::Text).0,
            Tally::default()
        );
    }
}
