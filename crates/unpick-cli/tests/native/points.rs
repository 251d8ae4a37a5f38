//! Functions that are made scheduling points by name.

use super::place::Place;

const PROGRAM: &str = "points/saved_total.c";

#[test]
fn a_named_function_is_a_point_and_a_replay_takes_it_too() {
    let place = Place::new("point-at");
    place.build(PROGRAM, &[]);
    for strategy in ["random", "dfs", "dpor", "odpor"] {
        let run = ["run", "--strategy", strategy, "--executions", "2000"];
        let program = ["--", "./saved_total"];
        place.forget();
        let without = place.unpick(&[&run[..], &program].concat());
        assert_eq!(without.code, 0, "{strategy}: {}", without.text);
        let points = ["--point-at", "save"];
        let with = place.unpick(&[&run[..], &points, &program].concat());
        assert_eq!(with.code, 1, "{strategy}: {}", with.text);
        assert!(with.text.contains("load() == 2"), "{}", with.text);
        let id = with.id();
        for backend in ["fibers", "threads"] {
            let again = place.unpick(&["replay", &id, "--backend", backend]);
            let is_same = again.text.contains("the same failure, step by step");
            assert!(is_same, "{strategy} in {backend}: {}", again.text);
            let is_told = again.text.contains("enter `named functions`");
            assert!(is_told, "{strategy} in {backend}: {}", again.text);
        }
    }
}

#[test]
fn nothing_is_found_in_the_fixed_program() {
    let place = Place::new("point-at-fixed");
    place.build(PROGRAM, &["-DFIXED"]);
    for strategy in ["random", "dfs", "odpor"] {
        let said = place.unpick(&[
            "run",
            "--strategy",
            strategy,
            "--point-at",
            "save",
            "--point-at",
            "load",
            "--",
            "./saved_total",
        ]);
        assert_eq!(said.code, 0, "{strategy}: {}", said.text);
        assert!(!said.text.contains("WARNING"), "{}", said.text);
    }
}

#[test]
fn names_that_mean_no_function_or_several_are_refused() {
    let place = Place::new("point-at-names");
    place.build(PROGRAM, &[]);
    let unknown = place.unpick(&["run", "--point-at", "sav", "--", "./saved_total"]);
    assert_eq!(unknown.code, 2, "{}", unknown.text);
    let words = "there is no function `sav`";
    assert!(unknown.text.contains(words), "{}", unknown.text);

    place.build("points/two_saves.cc", &[]);
    let both = place.unpick(&["run", "--point-at", "save", "--", "./two_saves"]);
    assert_eq!(both.code, 2, "{}", both.text);
    let words = "`save` may be Account::save or Journal::save";
    assert!(both.text.contains(words), "{}", both.text);
    let one = place.unpick(&["run", "--point-at", "Journal::save", "--", "./two_saves"]);
    assert_eq!(one.code, 0, "{}", one.text);
    assert!(!one.text.contains("WARNING"), "{}", one.text);
}

#[test]
fn a_function_that_never_begins_is_told() {
    let place = Place::new("point-at-never");
    place.build(PROGRAM, &["-DFIXED"]);
    let run = ["run", "--point-at", "never_called"];
    let said = place.unpick(&[&run[..], &["--", "./saved_total"]].concat());
    assert_eq!(said.code, 0, "{}", said.text);
    let words = "`never_called` was made a scheduling point and never seen to begin";
    assert!(said.text.contains(words), "{}", said.text);
    let said = place.unpick(&[&run[..], &["--json", "--", "./saved_total"]].concat());
    let object: serde_json::Value = serde_json::from_str(said.text.trim()).unwrap();
    assert_eq!(object["warnings"][0]["kind"], "point-not-reached");
}

/// A program with races that are not to be reported must be led to what they do.
#[test]
fn shared_accesses_are_points_when_races_are_no_failures() {
    let place = Place::new("no-races");
    place.build("c/racy_counter.c", &[]);
    let run = ["run", "--no-races", "--no-save"];
    let none = [&run[..], &["--points", "sync", "--", "./racy_counter"]].concat();
    let said = place.unpick(&none);
    assert_eq!(said.code, 0, "{}", said.text);
    let said = place.unpick(&[&run[..], &["--", "./racy_counter"]].concat());
    assert_eq!(said.code, 1, "{}", said.text);
    let words = "assertion `views == THREADS * VIEWS` failed";
    assert!(said.text.contains(words), "{}", said.text);
}
