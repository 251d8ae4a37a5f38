//! `unpick noise` from the outside. Needs a C compiler.
//!
//! Free executions are up to the system, so noise here is strong enough to decide on a busy machine too.

#[allow(dead_code)]
#[path = "native/place.rs"]
mod place;

use place::{Place, Said};
use serde_json::Value;

/// The words of a refusal, and that nothing else happened.
fn refused(said: &Said, words: &[&str]) {
    assert_eq!(said.code, 2, "{}", said.text);
    for word in words {
        assert!(said.text.contains(word), "no `{word}` in: {}", said.text);
    }
}

fn json(said: &Said) -> Value {
    let line = said.text.lines().find(|line| line.starts_with('{'));
    serde_json::from_str(line.unwrap_or_else(|| panic!("no JSON: {}", said.text))).unwrap()
}

#[test]
fn bad_plans_are_refused_before_anything_runs() {
    let place = Place::new("noise-refused");
    place.build("free/wrong_sum.c", &[]);
    let run = |options: &[&str]| {
        let words = [&["noise", "run"], options, &["--", "./wrong_sum"]].concat();
        place.unpick(&words)
    };
    refused(&run(&[]), &["no placement is active", "--at"]);
    refused(&run(&["--at", "lokcs"]), &["`lokcs`", "unpick noise list"]);
    refused(
        &run(&["--at", "locks", "--probability", "1.5"]),
        &["1.5", "between 0 and 1"],
    );
    refused(
        &run(&["--at", "locks", "--probability", "-1"]),
        &["-1", "between 0 and 1"],
    );
    refused(
        &run(&["--at", "locks", "--probability", "0"]),
        &["no noise"],
    );
    refused(
        &run(&["--at", "locks", "--strength", "-1..5"]),
        &["`-1..5`", "negative"],
    );
    refused(
        &run(&["--at", "locks", "--strength", "9..2"]),
        &["`9..2`", "smaller number first"],
    );
    refused(&run(&["--at", "locks", "--type", "doze"]), &["doze"]);
    refused(
        &run(&["--at", "memory", "--variables", "aimed"]),
        &["--learn"],
    );
    refused(&run(&["--at", "locks", "--metric", "inches"]), &["inches"]);
    let options = ["--at", "locks", "--same-output", "--baseline", "0"];
    refused(&run(&options), &["--same-output", "--baseline"]);
    refused(&run(&["--ppct", "0"]), &["0", "--ppct"]);
    refused(&run(&["--ppct", "65"]), &["65", "--ppct"]);
    let missing = place.unpick(&["noise", "run", "--at", "locks", "--", "./nothing"]);
    refused(&missing, &["./nothing"]);
    refused(&place.unpick(&["noise", "report", "nobody"]), &["nobody"]);
}

#[test]
fn what_a_plain_program_does_not_tell_is_refused() {
    let place = Place::new("noise-plain");
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../unpick-native/tests/programs/free/wrong_sum.c"
    );
    let built = place
        .command("cc")
        .args([source, "-o", "plain", "-pthread"])
        .status();
    assert!(built.unwrap().success());
    let run =
        |at: &str| place.unpick(&["noise", "run", "--at", at, "--runs", "2", "--", "./plain"]);
    refused(&run("memory,atomics"), &["is not instrumented"]);
    let some = run("locks,memory");
    assert_eq!(some.code, 0, "{}", some.text);
    assert!(some.text.contains("warning"), "{}", some.text);
    assert!(some.text.contains("fired"), "{}", some.text);
}

#[test]
fn noise_shows_what_is_rare_without_it() {
    let place = Place::new("noise-exposes");
    place.build("free/wrong_sum.c", &[]);
    let said = place.unpick(&[
        "noise",
        "run",
        "--at",
        "after-unlock",
        "--strength",
        "50..60",
        "--runs",
        "8",
        "--same-output",
        "--json",
        "--",
        "./wrong_sum",
    ]);
    let told = json(&said);
    let groups = told["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2);
    assert_eq!(
        (&groups[0]["noise"], &groups[0]["fired"]),
        (&Value::Null, &0.into())
    );
    assert_eq!(groups[1]["executions"], 8);
    // Eight executions, two threads, two unlocks each.
    assert_eq!(
        (&groups[1]["reached"], &groups[1]["fired"]),
        (&32.into(), &32.into())
    );
    assert_eq!(groups[1]["counters"]["after-unlock"][0], 32);
    let failures = groups[1]["failures"].as_u64().unwrap();
    assert!(failures > 0, "{}", said.text);
    assert_eq!(said.code, 1);
    assert_eq!(groups[1]["verdicts"]["wrong output"], failures);
    let report = place.unpick(&["noise", "report", "wrong_sum", "--json"]);
    assert_eq!(json(&report)["groups"], told["groups"]);
    let compared = place.unpick(&[
        "noise",
        "compare",
        "wrong_sum",
        "--metric",
        "all",
        "--trim",
        "--json",
    ]);
    let metrics = json(&compared)["groups"][1]["metrics"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!((compared.code, metrics), (0, 8));
}

#[test]
fn masking_is_reported() {
    let place = Place::new("noise-masks");
    place.build("free/too_early.c", &[]);
    let said = place.unpick(&[
        "noise",
        "run",
        "--at",
        "after-create",
        "--strength",
        "300",
        "--runs",
        "10",
        "--",
        "./too_early",
    ]);
    assert_eq!(said.code, 1, "{}", said.text);
    assert!(
        said.text.contains("noise masks the failure"),
        "{}",
        said.text
    );
    assert!(said.text.contains("without noise, seed"), "{}", said.text);
}

#[test]
fn a_deadlock_is_classified_with_stacks_and_pinned() {
    let place = Place::new("noise-deadlock");
    place.build("c/ab_ba.c", &[]);
    let said = place.unpick(&[
        "noise",
        "run",
        "--at",
        "after-lock",
        "--strength",
        "300..320",
        "--runs",
        "3",
        "--baseline",
        "0",
        "--timeout",
        "2s",
        "--pin",
        "--",
        "./ab_ba",
    ]);
    assert_eq!(said.code, 1, "{}", said.text);
    assert!(said.text.contains("deadlock (time-out"), "{}", said.text);
    assert!(said.text.contains("ab_ba.c:"), "{}", said.text);
    assert!(
        said.text.contains("PINNED  ab_ba  by the trace"),
        "{}",
        said.text
    );
    let again = place.unpick(&["replay", &said.id()]);
    assert!(
        again.text.contains("the same failure, step by step"),
        "{}",
        again.text
    );
}

#[test]
fn a_lost_update_is_pinned_by_its_trace() {
    let place = Place::new("noise-pin");
    place.build("c/split_increment.c", &[]);
    let said = place.unpick(&[
        "noise",
        "run",
        "--at",
        "after-load",
        "--strength",
        "50..60",
        "--runs",
        "6",
        "--baseline",
        "0",
        "--pin",
        "--json",
        "--",
        "./split_increment",
    ]);
    let told = json(&said);
    assert_eq!(said.code, 1, "{}", said.text);
    assert_eq!(told["pin"]["how"], "trace", "{}", told["pin"]);
    assert_eq!(told["pin"]["found"]["outcome"], "fail", "{}", told["pin"]);
}

#[test]
fn what_cannot_be_pinned_is_said() {
    let place = Place::new("noise-unpinned");
    place.build("free/wrong_sum.c", &[]);
    let said = place.unpick(&[
        "noise",
        "run",
        "--at",
        "locks",
        "--strength",
        "1us..2us",
        "--runs",
        "1",
        "--baseline",
        "0",
        "--pin",
        "--expect-exit",
        "3",
        "--",
        "./wrong_sum",
    ]);
    assert_eq!(said.code, 1, "{}", said.text);
    assert!(said.text.contains("NOT PINNED"), "{}", said.text);
}

#[test]
fn noise_is_aimed_at_what_was_learned() {
    let place = Place::new("noise-aim");
    place.build("c/racy_counter.c", &[]);
    let said = place.unpick(&[
        "noise",
        "run",
        "--at",
        "memory",
        "--learn",
        "5",
        "--strength",
        "20..30",
        "--runs",
        "3",
        "--baseline",
        "0",
        "--json",
        "--",
        "./racy_counter",
    ]);
    let told = json(&said);
    assert!(
        told["groups"][1]["fired"].as_u64().unwrap() > 0,
        "{}",
        said.text
    );
}

#[test]
fn a_search_tries_every_plan_and_tells_the_best() {
    let place = Place::new("noise-search");
    place.build("free/wrong_sum.c", &[]);
    let said = place.unpick(&[
        "noise",
        "search",
        "--at",
        "locks,threads",
        "--runs",
        "40",
        "--same-output",
        "--json",
        "--",
        "./wrong_sum",
    ]);
    assert!(said.code <= 1, "{}", said.text);
    let told = json(&said);
    let plans = told["plans"].as_array().unwrap();
    assert_eq!(plans.len(), 11);
    let count = |name: &str| {
        plans
            .iter()
            .map(|plan| plan[name].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!(count("executions"), 40);
    assert!(
        plans
            .iter()
            .all(|plan| plan["executions"].as_u64().unwrap() > 0)
    );
    assert!(count("new_interleavings") > 0);
}

#[test]
fn placements_are_listed_and_counted() {
    let place = Place::new("noise-list");
    place.build("free/wrong_sum.c", &[]);
    let list = place.unpick(&["noise", "list"]);
    assert_eq!(list.code, 0);
    for word in ["locks", "try-lock", "barrier", "memory", "priority", "halt"] {
        assert!(list.text.contains(word), "no {word} in {}", list.text);
    }
    let counted = json(&place.unpick(&["noise", "list", "--json", "--", "./wrong_sum"]));
    let placements = counted["placements"].as_array().unwrap();
    let of = |name: &str| {
        placements
            .iter()
            .find(|one| one["placement"] == name)
            .unwrap()["reached"]
            .clone()
    };
    assert_eq!(
        (of("before-lock"), of("after-create")),
        (4.into(), 2.into())
    );
}

#[test]
fn what_was_found_is_kept_when_the_user_ends_it() {
    let place = Place::new("noise-interrupted");
    place.build("free/wrong_sum.c", &[]);
    let unpick = env!("CARGO_BIN_EXE_unpick");
    // In the foreground, or it tells the process and then its group: twice would end it at once.
    let said = place
        .command("timeout")
        .args([
            "--foreground",
            "--preserve-status",
            "--signal",
            "INT",
            "5",
            unpick,
            "noise",
            "run",
        ])
        .args([
            "--at",
            "locks",
            "--type",
            "yield",
            "--runs",
            "1000000",
            "--",
            "./wrong_sum",
        ])
        .output();
    let said = Said::of(&said.unwrap());
    assert!(
        said.code == 0 || said.code == 1,
        "{}: {}",
        said.code,
        said.text
    );
    assert!(said.text.contains("ended before its time"), "{}", said.text);
    let report = place.unpick(&["noise", "report", "wrong_sum", "--json"]);
    let told = json(&report);
    assert_eq!(told["interrupted"], true);
    assert!(
        told["groups"][0]["executions"].as_u64().unwrap() > 0,
        "{}",
        report.text
    );
}

#[test]
fn noise_at_input_and_output_shows_a_race_of_messages() {
    let place = Place::new("noise-messages");
    place.build("free/messages.c", &[]);
    let run = |at: &str| {
        json(&place.unpick(&[
            "noise",
            "run",
            "--at",
            at,
            "--only-thread",
            "1",
            "--strength",
            "150..200",
            "--runs",
            "4",
            "--baseline",
            "0",
            "--json",
            "--",
            "./messages",
        ]))
    };
    let disturbed = run("before-output");
    let failures = disturbed["groups"][1]["failures"].as_u64().unwrap();
    assert!(failures > 0, "{disturbed}");
    assert_eq!(
        disturbed["groups"][1]["verdicts"]["exit code 7"], failures,
        "{disturbed}"
    );
}

/// A lost update between two locked sections, which hardly any execution shows by itself.
#[test]
fn priorities_find_what_noise_is_not_needed_for_and_it_can_be_replayed() {
    let place = Place::new("noise-ppct");
    place.build("free/memcached.c", &[]);
    let options = ["--ppct", "2", "--runs", "150", "--baseline", "2", "--pin"];
    let words = [&["noise", "run"], &options[..], &["--", "./memcached"]].concat();
    let found = place.unpick(&words);
    assert_eq!(found.code, 1, "{}", found.text);
    for part in ["with ppct:d=2", "PINNED  memcached"] {
        assert!(found.text.contains(part), "no `{part}` in: {}", found.text);
    }
    // Which of the two the trace shows depends on how the threads ran.
    let patterns = ["why     lost update", "why     check-then-act"];
    let is_explained = patterns.iter().any(|pattern| found.text.contains(pattern));
    assert!(is_explained, "no pattern in: {}", found.text);
    let replay = found
        .text
        .lines()
        .find_map(|line| line.trim().strip_prefix("replay  unpick replay "));
    let replayed = place.unpick(&["replay", replay.expect("a reference")]);
    assert_eq!(replayed.code, 1, "{}", replayed.text);
}
