//! Predictions from one execution of a native program, as a user meets them; and techniques that plan.

use super::place::{Place, Said};
use std::fs;

/// Keeps the one execution in which each task goes as far as it gets, and gives its id.
fn recorded(place: &Place, program: &str, more: &[&str]) -> String {
    let options = ["run", "--strategy=round-robin:quantum=0", "--executions=1"];
    let rest = ["--confirm=0", "--save-trace", "--", program];
    let said = place.unpick(&[&options[..], more, &rest].concat());
    assert_eq!(said.code, 0, "{}", said.text);
    let (_, id) = said.text.split_once("unpick predict ").unwrap();
    id.split_whitespace().next().unwrap().to_string()
}

#[test]
fn a_deadlock_is_foretold_from_one_execution_that_passes() {
    let place = Place::new("predict");
    place.build("c/ab_ba.c", &[]);
    let id = recorded(&place, "./ab_ba", &[]);
    let said = place.unpick(&["predict", &id]);
    assert_eq!(said.code, 1, "{}", said.text);
    let words = [
        "FAILED  ab_ba  deadlock: task 1, task 2 wait for each other",
        "found   predicted from a trace, confirmed by execution ",
        "locks taken in different orders",
        "1 failing in a new way",
    ];
    for words in words {
        assert!(said.text.contains(words), "{words}: {}", said.text);
    }
    let again = place.unpick(&["replay", &said.id()]);
    let is_same = again.text.contains("the same failure, step by step");
    assert!(is_same, "{}", again.text);
    // From the failure itself nothing else is foretold.
    let said = place.unpick(&["predict", &said.id(), "--quiet"]);
    assert_eq!(said.code, 1, "{}", said.text);
    let words = "FAILED  ab_ba  the trace itself: deadlock";
    assert!(said.text.starts_with(words), "{}", said.text);
    // The program has changed.
    place.build("c/lost_wakeup.c", &[]);
    fs::copy(place.0.join("lost_wakeup"), place.0.join("ab_ba")).unwrap();
    let said = place.unpick(&["predict", &id]);
    assert_eq!(said.code, 3, "{}", said.text);
    assert!(said.text.starts_with("DIVERGED  ab_ba"), "{}", said.text);
}

#[test]
fn nothing_is_foretold_of_a_program_that_is_right() {
    let place = Place::new("predict-fixed");
    place.build("c/racy_counter.c", &["-DFIXED"]);
    for more in [&[][..], &["--no-races"]] {
        let id = recorded(&place, "./racy_counter", more);
        let said = place.unpick(&["predict", &id, "--json"]);
        assert_eq!(said.code, 0, "{}", said.text);
        for words in ["\"outcome\":\"pass\"", "\"complete\":true"] {
            assert!(said.text.contains(words), "{}", said.text);
        }
    }
}

#[test]
fn planned_techniques_find_all_states_of_a_native_program() {
    let place = Place::new("planned");
    place.build("c/racy_counter.c", &[]);
    place.build("c/lost_wakeup.c", &["-DFIXED"]);
    for technique in ["mcr", "se-mcr"] {
        let run = |more: &[&str]| {
            let options = ["run", "--no-save", "--strategy", technique];
            place.unpick(&[&options[..], more].concat())
        };
        let said = run(&["--no-races", "--", "./racy_counter"]);
        assert_eq!(said.code, 1, "{}", said.text);
        assert!(said.text.contains("lost update"), "{}", said.text);
        let said = run(&["--", "./lost_wakeup"]);
        assert_eq!(said.code, 0, "{}", said.text);
        let claim = "; complete, provided that no more waits end without a notification";
        assert!(said.text.contains(claim), "{}", said.text);
        let said = run(&["--points", "sync", "--", "./lost_wakeup"]);
        assert_eq!(said.code, 2, "{}", said.text);
        assert!(said.text.contains("must see what"), "{}", said.text);
    }
}

/// Keeps a free execution in which each thread has ended before the next one begins, and gives what was said and its
/// id.
fn recorded_freely(place: &Place, program: &str, more: &[&str]) -> (Said, String) {
    let noise = ["--at=after-create", "--strength=300", "--runs=1"];
    let options = [
        &["noise", "run"],
        &noise[..],
        &["--baseline=0", "--save-trace"],
    ]
    .concat();
    let said = place.unpick(&[&options[..], more, &["--", program]].concat());
    let words = said.text.split_once("unpick predict ");
    let (_, id) = words.unwrap_or_else(|| panic!("no trace: {}", said.text));
    let id = id.split_whitespace().next().unwrap().to_string();
    (said, id)
}

#[test]
fn a_deadlock_is_foretold_from_a_free_execution_that_passes() {
    let place = Place::new("predict-free");
    place.build("c/ab_ba.c", &[]);
    let (said, id) = recorded_freely(&place, "./ab_ba", &[]);
    assert_eq!(said.code, 0, "{}", said.text);
    let words = "TRACED  ab_ba  free execution 1 with sleep 300ms..300ms at after-create, followed under control \
                 to its end, ";
    assert!(said.text.contains(words), "{}", said.text);
    let again = place.unpick(&["replay", &id]);
    assert_eq!(again.code, 0, "{}", again.text);
    let said = place.unpick(&["predict", &id]);
    assert_eq!(said.code, 1, "{}", said.text);
    let words = [
        "FAILED  ab_ba  deadlock: task 1, task 2 wait for each other",
        "found   predicted from a trace, confirmed by execution ",
    ];
    for words in words {
        assert!(said.text.contains(words), "{words}: {}", said.text);
    }
    let again = place.unpick(&["replay", &said.id()]);
    let is_same = again.text.contains("the same failure, step by step");
    assert!(is_same, "{}", again.text);
}

#[test]
fn races_and_what_they_lead_to_are_foretold_from_free_executions_that_pass() {
    let place = Place::new("predict-free-races");
    place.build("free/hidden_race.c", &[]);
    place.build("c/racy_counter.c", &[]);
    // In the order of the free execution, a lock keeps the two accesses apart.
    let (said, id) = recorded_freely(&place, "./hidden_race", &[]);
    assert_eq!(said.code, 0, "{}", said.text);
    assert!(said.text.contains("to its end"), "{}", said.text);
    let said = place.unpick(&["predict", &id]);
    assert_eq!(said.code, 1, "{}", said.text);
    // Whichever of the two writes is first, it is one race.
    for words in ["data race: ", "`total`", " 1 failing in a new way"] {
        assert!(said.text.contains(words), "{words}: {}", said.text);
    }
    // These race in every order.
    let (said, _) = recorded_freely(&place, "./racy_counter", &[]);
    assert_eq!(said.code, 1, "{}", said.text);
    for words in [
        "there it fails",
        "FAILED  racy_counter  data race",
        "along a free one",
    ] {
        assert!(said.text.contains(words), "{words}: {}", said.text);
    }
    let (said, id) = recorded_freely(&place, "./racy_counter", &["--no-races"]);
    assert_eq!(said.code, 0, "{}", said.text);
    assert!(said.text.contains("to its end"), "{}", said.text);
    let said = place.unpick(&["predict", &id]);
    assert_eq!(said.code, 1, "{}", said.text);
    assert!(said.text.contains("lost update"), "{}", said.text);
}

#[test]
fn a_free_execution_is_kept_without_noise_too() {
    let place = Place::new("predict-undisturbed");
    place.build("c/ab_ba.c", &["-DFIXED"]);
    let run = |more: &[&str]| {
        let words = [&["noise", "run", "--save-trace"], more, &["--", "./ab_ba"]];
        place.unpick(&words.concat())
    };
    let said = run(&["--json"]);
    assert_eq!(said.code, 0, "{}", said.text);
    let told: serde_json::Value = serde_json::from_str(&said.text).unwrap();
    assert_eq!(told["groups"].as_array().unwrap().len(), 1);
    assert_eq!(told["groups"][0]["executions"], 1);
    let traced = &told["traced"];
    assert_eq!(traced["followed"], traced["operations"], "{traced}");
    assert_eq!(traced["outcome"], "pass", "{traced}");
    let said = place.unpick(&["predict", traced["trace"].as_str().unwrap(), "--json"]);
    assert_eq!(said.code, 0, "{}", said.text);
    assert!(said.text.contains("\"complete\":true"), "{}", said.text);
    for (options, words) in [
        (&["--runs", "3"], "--baseline N"),
        (&["--no-save", "--quiet"], "--save-trace"),
    ] {
        let said = run(options);
        assert_eq!(said.code, 2, "{}", said.text);
        assert!(said.text.contains(words), "{}", said.text);
    }
}
