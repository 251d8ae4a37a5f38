//! Native failures are shrunk and explained.

use super::place::{Place, name_of};

/// Programs, and what their bugs are called.
const PROGRAMS: &[(&str, &str)] = &[
    ("c/ab_ba.c", "locks taken in different orders"),
    ("c/aba_stack.c", "ABA"),
    ("c/list_insert.c", "check-then-act"),
    ("c/lost_wakeup.c", "lost wake-up"),
    ("c/publish_early.c", "half-done update seen"),
    ("c/racy_counter.c", "data race"),
    ("c/recursive_wait.c", "order violation"),
    ("c/retired_slot.c", "stale read"),
    ("c/timeout_ignored.c", "order violation"),
    ("c/cancel_complete.c", "use after free"),
    ("cpp/stale_cache.cc", "check-then-act"),
];

#[test]
fn failures_are_shrunk_and_called_by_their_name() {
    let place = Place::new("understanding");
    let mut is_shrunk = false;
    for (path, pattern) in PROGRAMS {
        place.build(path, &[]);
        let program = format!("./{}", name_of(path));
        let run = ["run", "--json", "--strategy", "random", "--executions"];
        let said = place.unpick(&[&run[..], &["5000", "--", &program]].concat());
        assert_eq!(said.code, 1, "{path}: {}", said.text);
        let object: serde_json::Value = serde_json::from_str(said.text.trim()).unwrap();
        let failure = &object["failure"];
        assert_eq!(failure["pattern"], *pattern, "{path}: {}", said.text);
        let number = |name: &str| failure[name].as_u64().unwrap();
        let (now, found) = (number("preemptions"), number("preemptions_found"));
        assert!(now <= found, "{path}: {}", said.text);
        is_shrunk |= now < found;
        // What is kept is the shrunk schedule.
        let again = place.unpick(&["replay", object["trace"].as_str().unwrap()]);
        let is_same = again.text.contains("the same failure, step by step");
        assert!(is_same, "{path}: {}", again.text);
    }
    assert!(is_shrunk);
}

#[test]
fn values_read_and_written_are_told() {
    let place = Place::new("values");
    place.build("c/split_increment.c", &[]);
    let said = place.unpick(&["run", "--strategy", "random", "--", "./split_increment"]);
    let told = ["load (read 0, ", "store on `next_number` (wrote 1, "];
    let is_told = told.iter().all(|value| said.text.contains(value));
    assert!(is_told, "{}", said.text);
}

#[test]
fn a_failure_can_be_left_as_it_was_found() {
    let place = Place::new("not-shrunk");
    place.build("c/dining_philosophers.c", &[]);
    let run = ["run", "--json", "--strategy", "random", "--shrink", "0"];
    let said = place.unpick(&[&run[..], &["--", "./dining_philosophers"]].concat());
    let object: serde_json::Value = serde_json::from_str(said.text.trim()).unwrap();
    let failure = &object["failure"];
    assert!(failure["pattern"].is_null(), "{}", said.text);
    assert_eq!(failure["steps"], failure["steps_found"], "{}", said.text);
}

#[test]
fn each_failure_is_told_once() {
    let place = Place::new("several");
    place.build("c/reference_count.c", &[]);
    let run = ["run", "--strategy", "random", "--executions", "500"];
    let run = [&run[..], &["--keep-going", "--jobs", "2", "--json"]].concat();
    let said = place.unpick(&[&run[..], &["--", "./reference_count"]].concat());
    assert_eq!(said.code, 1, "{}", said.text);
    let object: serde_json::Value = serde_json::from_str(said.text.trim()).unwrap();
    let groups = object["failures_by_cause"].as_array().unwrap();
    let mut summaries: Vec<_> = groups
        .iter()
        .map(|group| &group["failure"]["summary"])
        .collect();
    assert_eq!(summaries.len(), 4, "{}", said.text);
    summaries.sort_by_key(|summary| summary.to_string());
    summaries.dedup();
    assert_eq!(summaries.len(), 4, "{}", said.text);
    let counts = groups.iter().filter_map(|group| group["count"].as_u64());
    assert_eq!(Some(counts.sum()), object["failures"].as_u64());
    for group in groups {
        let again = place.unpick(&["replay", group["trace"].as_str().unwrap()]);
        let is_same = again.text.contains("the same failure, step by step");
        assert!(is_same, "{group}: {}", again.text);
    }
}

/// What the failing execution never came to has no object there.
#[test]
fn an_end_that_comes_too_late_is_told_without_an_object() {
    let place = Place::new("late-end");
    place.build("ends/disjoint.c", &[]);
    let said = place.unpick(&["run", "--", "./disjoint"]);
    let why = "order violation: task 0's exit";
    assert!(
        said.text.contains(why) && !said.text.contains("nothing"),
        "{}",
        said.text
    );
}
