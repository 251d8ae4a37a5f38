//! `unpick show` as a user meets it: columns of recorded failures, files for browsers and viewers, errors.

#[path = "support/place.rs"]
mod place;

use place::Place;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

impl Place {
    /// The trace of a failing program of the suite.
    fn failing(&self, program: &str, strategy: &str) -> PathBuf {
        let arguments = ["suite", "run", program, "--strategy", strategy, "--json"];
        let output = self.run(&arguments);
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let id = found["trace"].as_str().unwrap();
        self.0.join(format!(".unpick/traces/{id}.trace"))
    }

    /// What `show` prints after the path of the trace, run where the source is.
    fn shown(&self, trace: &Path, more: &[&str]) -> String {
        let mut arguments = vec!["show", trace.to_str().unwrap()];
        arguments.extend(more);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut command = self.command(&arguments);
        command.current_dir(root).env("COLUMNS", "120");
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let (_, rest) = text.split_once('\n').unwrap();
        rest.to_string()
    }
}

#[test]
fn a_deadlock_as_columns() {
    let place = Place::new("deadlock");
    let trace = place.failing("CS.deadlock01_bad", "ipb");
    insta::assert_snapshot!(place.shown(&trace, &[]));
}

#[test]
fn a_wrong_lock_as_columns() {
    let place = Place::new("wronglock");
    let trace = place.failing("CS.wronglock_3_bad", "random");
    insta::assert_snapshot!(place.shown(&trace, &[]));
}

#[test]
fn where_the_source_is_not_found_the_place_is_told() {
    let place = Place::new("elsewhere");
    let trace = place.failing("CS.deadlock01_bad", "ipb");
    let output = place.run(&["show", trace.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("deadlock01.rs:24\n"), "{text}");
}

#[test]
fn files_are_written_for_browsers_and_viewers() {
    let place = Place::new("files");
    let trace = place.failing("CS.deadlock01_bad", "ipb");
    let reference = trace.to_str().unwrap();
    let arguments = [
        "show",
        reference,
        "--html",
        "a.html",
        "--perfetto",
        "b.json",
    ];
    let output = place.run(&arguments);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "a.html: 4 steps; open it in a browser\nb.json: 4 steps; open it at ui.perfetto.dev\n"
    );
    let page = fs::read_to_string(place.0.join("a.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    let events = fs::read(place.0.join("b.json")).unwrap();
    let events: Value = serde_json::from_slice(&events).unwrap();
    assert!(events["traceEvents"].is_array());
}

#[test]
fn what_cannot_be_shown_is_told() {
    let place = Place::new("errors");
    let trace = place.failing("CS.deadlock01_bad", "ipb");
    let damaged = place.0.join("damaged.trace");
    let text = fs::read_to_string(&trace).unwrap();
    fs::write(&damaged, text.replacen("0x5eed", "0x5eee", 1)).unwrap();
    let (whole, damaged) = (trace.to_str().unwrap(), damaged.to_str().unwrap());
    for (arguments, words) in [
        (vec!["beef"], "no trace `beef`"),
        (vec![damaged], "does not match its checksum"),
        (
            vec![whole, "--html", "a.html", "--beside", damaged],
            "does not match its checksum",
        ),
        (
            vec![whole, "--html", "missing/a.html"],
            "cannot write missing/a.html",
        ),
        (vec![whole, "--beside", whole], "--html <FILE>"),
    ] {
        let mut all = vec!["show"];
        all.extend(arguments);
        let output = place.run(&all);
        assert_eq!(output.status.code(), Some(2), "{all:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(words), "{all:?}: {message}");
    }
    assert!(!place.0.join("a.html").exists());
}
