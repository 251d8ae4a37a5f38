//! A failure is kept, replayed by its id, and refused in words when that is not possible.

use super::place::{Place, Said};
use std::fs;

/// Finds the bug of a program.
fn fail(place: &Place, path: &str) -> Said {
    place.build(path, &[]);
    let program = format!("./{}", super::place::name_of(path));
    let said = place.unpick(&["run", "--executions", "5000", "--", &program]);
    assert_eq!(said.code, 1, "{}", said.text);
    said
}

#[test]
fn a_failure_is_replayed_by_its_id() {
    let place = Place::new("replay");
    for (path, words) in [
        ("c/ab_ba.c", "deadlock: "),
        ("c/racy_counter.c", "data race"),
        ("c/cancel_complete.c", "double free"),
    ] {
        let found = fail(&place, path);
        assert!(found.text.contains(words), "{}", found.text);
        let id = found.id();
        for backend in ["fibers", "threads"] {
            let again = place.unpick(&["replay", &id, "--backend", backend]);
            assert_eq!(again.code, 1, "{}", again.text);
            assert_eq!(headline(&again), headline(&found), "in {backend}");
            let is_same = again.text.contains("the same failure, step by step");
            assert!(is_same, "{}", again.text);
        }
    }
}

#[test]
fn a_fixed_program_passes_the_recorded_schedule_or_diverges() {
    let place = Place::new("repaired");
    let id = fail(&place, "c/lost_wakeup.c").id();
    place.build("c/lost_wakeup.c", &["-DFIXED"]);
    let again = place.unpick(&["replay", &id]);
    assert!([0, 3].contains(&again.code), "{}", again.text);
    let is_said = again.text.contains("PASSED") || again.text.contains("DIVERGED");
    assert!(is_said, "{}", again.text);
}

#[test]
fn what_cannot_be_replayed_is_refused() {
    let place = Place::new("refused");
    let id = fail(&place, "c/ab_ba.c").id();
    fs::remove_file(place.0.join("ab_ba")).unwrap();
    let gone = place.unpick(&["replay", &id]);
    assert_eq!(gone.code, 2, "{}", gone.text);
    assert!(
        gone.text.contains("is not there any more; build it again"),
        "{}",
        gone.text
    );

    let unknown = place.unpick(&["replay", "no-such-id"]);
    assert_eq!(unknown.code, 2, "{}", unknown.text);
    assert!(unknown.text.contains("no-such-id"), "{}", unknown.text);

    fs::write(place.0.join("ab_ba"), "#!/bin/sh\n").unwrap();
    let script = place.unpick(&["replay", &id]);
    assert_ne!(script.code, 0, "{}", script.text);
    assert_ne!(script.code, 1, "{}", script.text);
}

/// The line that says what failed.
fn headline(said: &Said) -> &str {
    let line = said.text.lines().find(|line| line.starts_with("FAILED"));
    line.unwrap_or_else(|| panic!("no failure is reported:\n{}", said.text))
}
