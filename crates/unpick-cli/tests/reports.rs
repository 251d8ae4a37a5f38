//! What services for continuous integration are told: JUnit XML, and annotations for GitHub.

#[path = "support/place.rs"]
mod place;

use place::Place;
use roxmltree::{Document, Node};
use std::fs;
use std::process::Command;

impl Place {
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }
}

fn cases<'a>(document: &'a Document<'_>) -> Vec<Node<'a, 'a>> {
    let nodes = document.descendants();
    nodes.filter(|node| node.has_tag_name("testcase")).collect()
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn property<'a>(case: Node<'a, 'a>, name: &str) -> Option<&'a str> {
    let properties = child(case, "properties")?;
    let mut all = properties.children();
    let found = all.find(|property| property.attribute("name") == Some(name));
    found?.attribute("value")
}

const FAILING: &str = "CS.account_bad";
const CLEAN: &str = "readers";

#[test]
fn each_program_is_a_case() {
    let place = Place::new("junit");
    let words = ["suite", "run", FAILING, CLEAN, "--strategy", "dfs"];
    let output = place.run(&[&words[..], &["--junit", "out/unpick.xml", "--quiet"]].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let text = place.read("out/unpick.xml");
    let document = Document::parse(&text).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("tests"), Some("2"));
    assert_eq!(root.attribute("failures"), Some("1"));
    let cases = cases(&document);
    let names: Vec<_> = cases
        .iter()
        .filter_map(|case| case.attribute("name"))
        .collect();
    assert_eq!(names[0], FAILING);
    assert!(names[1].starts_with(CLEAN), "{names:?}");
    let failure = child(cases[0], "failure").unwrap();
    assert_eq!(failure.attribute("type"), Some("fail"));
    // The report is the one that was printed.
    let report = failure.text().unwrap();
    assert_eq!(report.trim(), said.trim());
    let id = property(cases[0], "trace").unwrap();
    assert!(report.contains(&format!("unpick replay {id}")), "{report}");
    assert_eq!(property(cases[0], "strategy"), Some("dfs"));
    assert_eq!(property(cases[0], "seed"), Some("24301"));
    assert!(child(cases[1], "failure").is_none());
    assert_eq!(property(cases[1], "complete"), Some("true"));
    assert_eq!(property(cases[1], "trace"), None);
}

#[test]
fn a_file_that_cannot_be_written_costs_nothing() {
    let place = Place::new("nowhere");
    fs::write(place.0.join("file"), "").unwrap();
    let output = place.run(&["suite", "run", FAILING, "--junit", "file/unpick.xml"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("--junit: cannot create file"), "{errors}");
    assert!(output.stdout.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn the_file_is_whole_when_the_user_ends_the_rest() {
    let place = Place::new("interrupt");
    let endless = [
        "rmw_counter:n=3,k=3",
        "--executions",
        "1000000000",
        "--keep-going",
    ];
    let words = [
        "suite",
        "run",
        CLEAN,
        "--strategy",
        "random",
        "--quiet",
        "--no-save",
    ];
    let words = [&words[..], &["--junit", "unpick.xml", "--executions", "10"]].concat();
    assert_eq!(place.run(&words).status.code(), Some(0));
    let words = [
        "suite",
        "run",
        "--strategy",
        "random",
        "--quiet",
        "--no-save",
    ];
    let words = [&words[..], &["--junit", "unpick.xml"], &endless[..]].concat();
    let mut child = place.command(&words).spawn().unwrap();
    // The file of the last call is there until this one has begun, which listens by then.
    while !place.read("unpick.xml").contains("tests=\"0\"") {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    child.wait().unwrap();
    let text = place.read("unpick.xml");
    let document = Document::parse(&text).unwrap();
    let cases = cases(&document);
    assert_eq!(cases.len(), 1);
    assert_eq!(property(cases[0], "stopped_because"), Some("interrupted"));
}

#[test]
fn failures_are_annotations_where_github_reads_them() {
    let place = Place::new("github");
    let words = ["suite", "run", FAILING, CLEAN, "--strategy", "dfs"];
    let annotations = |more: &[&str], value: &str| -> Vec<String> {
        let mut command = place.command(&[&words[..], more].concat());
        command.env("GITHUB_ACTIONS", value);
        command.env("GITHUB_WORKSPACE", &place.0);
        let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let lines = text.lines().filter(|line| line.starts_with("::"));
        lines.map(str::to_string).collect()
    };
    let told = annotations(&[], "true");
    assert_eq!(told.len(), 1, "{told:?}");
    let start = "::error file=crates/unpick-suite/src/";
    assert!(told[0].starts_with(start), "{told:?}");
    assert!(told[0].contains(",line="), "{told:?}");
    let title = format!(",title=FAILED  {FAILING}  panicked at crates/");
    assert!(told[0].contains(&title), "{told:?}");
    assert!(told[0].contains("%0A  why     "), "{told:?}");
    assert!(annotations(&["--json"], "true").is_empty());
    assert!(annotations(&[], "false").is_empty());
}
