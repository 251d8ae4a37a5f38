//! `unpick predict` as a user meets it: one execution that passes, and what it foretells.

#[path = "support/place.rs"]
mod place;

use place::Place;
use serde_json::Value;
use std::fs;
use std::process::Output;
use unpick::store::Store;

/// Keeps the one execution of a program in which each task goes as far as it gets.
fn recorded(place: &Place, program: &str) -> String {
    let output = place.run(&[
        "suite",
        "run",
        program,
        "--strategy=round-robin:quantum=0",
        "--executions=1",
        "--confirm=0",
        "--save-trace",
        "--json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["outcome"], "pass");
    found["trace"].as_str().unwrap().to_string()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_deadlock_is_foretold_and_replays() {
    let place = Place::new("deadlock");
    let id = recorded(&place, "CS.deadlock01_bad");
    let output = place.run(&["predict", &id]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output));
    let found = text(&output);
    let found = found.split("unpick replay ").nth(1).unwrap();
    let found = found.split_whitespace().next().unwrap();
    for command in ["replay", "show"] {
        let output = place.run(&[command, found]);
        let is_replay = command == "replay";
        assert_eq!(output.status.code(), Some(i32::from(is_replay)));
        assert!(text(&output).contains("deadlock"), "{output:?}");
    }
    // From the failure itself nothing else is foretold.
    let output = place.run(&["predict", found]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).starts_with("FAILED  CS.deadlock01_bad  the trace itself: deadlock"));
}

#[test]
fn json_tells_what_was_asked_and_found() {
    let place = Place::new("json");
    let id = recorded(&place, "CS.account_bad");
    let output = place.run(&["predict", &id, "--json", "--no-save"]);
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected = [
        ("name", Value::from("CS.account_bad")),
        ("strategy", "predict".into()),
        ("outcome", "fail".into()),
        ("recorded", "pass".into()),
        ("failures", 1.into()),
        ("complete", true.into()),
        ("unknown", 0.into()),
        ("unasked", 0.into()),
        ("windows", 1.into()),
        ("windows_left", 0.into()),
        ("unconfirmed_races", 0.into()),
        ("unconfirmed_deadlocks", 0.into()),
        ("trace", Value::Null),
    ];
    for (name, value) in expected {
        assert_eq!(found[name], value, "{name}");
    }
    let summary = found["predicted"][0]["failure"]["summary"].as_str();
    assert!(summary.unwrap().contains("wrong balance"), "{found}");
    assert!(!place.0.join(".unpick/regressions").exists());
}

#[test]
fn a_program_that_is_right_ends_with_zero() {
    let place = Place::new("clean");
    let id = recorded(&place, "lock_order:n=3");
    let output = place.run(&["predict", &id]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output).contains(" 0 failing in a new way"),
        "{output:?}"
    );
    let output = place.run(&["predict", &id, "--quiet"]);
    assert_eq!(
        (output.status.code(), text(&output).as_str()),
        (Some(0), "")
    );
    // What was not asked is told.
    let output = place.run(&["predict", &id, "--time", "0s"]);
    assert!(
        text(&output).contains("not asked when the time was over"),
        "{output:?}"
    );
}

#[test]
fn what_cannot_be_used_is_refused_in_words() {
    let place = Place::new("refused");
    let id = recorded(&place, "CS.deadlock01_bad");
    assert!(error(&place.run(&["predict", "ffffffff"])).contains("no trace `ffffffff`"));
    let store = Store::new(&place.0);
    let (path, mut record) = store
        .load(
            &place
                .0
                .join(format!(".unpick/traces/{id}.trace"))
                .display()
                .to_string(),
        )
        .unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(
        place.0.join("damaged"),
        whole.replacen("seed: 0x5eed", "seed: 0x5eee", 1),
    )
    .unwrap();
    assert!(error(&place.run(&["predict", "damaged"])).contains("checksum"));
    // The trace of one program is none of another one.
    record.header.program = "suite:CS.account_bad".to_string();
    let (other, _) = store.save_trace(&record).unwrap();
    let output = place.run(&["predict", &other]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        text(&output).starts_with("DIVERGED  CS.account_bad"),
        "{output:?}"
    );
    record.header.program = "native:bank".to_string();
    let (native, _) = store.save_trace(&record).unwrap();
    assert!(error(&place.run(&["predict", &native])).contains("is not there any more"));
    record.header.program = "tests::money_stays".to_string();
    let (test, _) = store.save_trace(&record).unwrap();
    assert!(error(&place.run(&["predict", &test, "--json"])).contains("money_stays is a test"));
}
