//! Predictions from one execution of a native program, as a user meets them; and techniques that plan.

use super::place::Place;

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
    place.build("c/ab_ba.c", &["-DFIXED"]);
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
        assert!(said.text.contains("; complete; "), "{}", said.text);
        let said = run(&["--points", "sync", "--", "./lost_wakeup"]);
        assert_eq!(said.code, 2, "{}", said.text);
        assert!(said.text.contains("must see what"), "{}", said.text);
    }
}
