//! Possible deadlocks of native programs: searches are directed at them.

use super::place::Place;

#[test]
fn a_possible_deadlock_is_confirmed_and_replayed() {
    let place = Place::new("confirm");
    place.build("c/ab_ba.c", &[]);
    // The first execution of a search does not switch in the middle, so that it sees both orders.
    for way in [
        &["--strategy", "dfs", "--executions", "1"][..],
        &["--strategy", "dfs", "--executions", "1", "--reexec", "fork"],
        &[
            "--strategy",
            "dfs",
            "--executions",
            "1",
            "--backend",
            "threads",
        ],
    ] {
        let run = |more: &[&str]| {
            let program = ["--", "./ab_ba"];
            place.unpick(&[&["run"][..], way, more, &program].concat())
        };
        let only_warned = run(&["--confirm", "0", "--no-save"]);
        assert_eq!(only_warned.code, 0, "{}", only_warned.text);
        let words = "WARNING  ab_ba  possible deadlock: ";
        assert!(only_warned.text.contains(words), "{}", only_warned.text);
        place.forget();
        let found = run(&[]);
        assert_eq!(found.code, 1, "{}", found.text);
        assert!(
            found.text.contains("FAILED  ab_ba  deadlock"),
            "{}",
            found.text
        );
        assert!(found.text.contains("; confirmed: "), "{}", found.text);
        assert!(found.text.contains("ab_ba.c:"), "{}", found.text);
        let again = place.unpick(&["replay", &found.id()]);
        let is_same = again.text.contains("the same failure, step by step");
        assert!(is_same, "{}", again.text);
    }
}

#[test]
fn one_that_cannot_happen_stays_a_warning() {
    let place = Place::new("not-confirmed");
    place.build("directed/ordered_locks.c", &[]);
    let run = |options: &[&str]| {
        let program = ["--", "./ordered_locks"];
        place.unpick(&[&["run", "--strategy"][..], options, &program].concat())
    };
    for options in [
        &["random", "--executions", "10"][..],
        &["random", "--executions", "10", "--reexec", "exec"],
        &["pct", "--executions", "10", "--jobs", "2"],
    ] {
        let said = run(options);
        assert_eq!(said.code, 0, "{}", said.text);
        let words = "not confirmed";
        assert!(said.text.contains(words), "{options:?}: {}", said.text);
    }
    // A complete search knows better.
    let refuted = run(&["dfs"]);
    assert_eq!(refuted.code, 0, "{}", refuted.text);
    assert!(!refuted.text.contains("WARNING"), "{}", refuted.text);
}

#[test]
fn a_search_with_a_process_an_execution_finds_a_failure() {
    let place = Place::new("exec-search");
    place.build("c/ab_ba.c", &[]);
    let said = place.unpick(&[
        "run",
        "--strategy",
        "dfs",
        "--reexec",
        "exec",
        "--jobs",
        "2",
        "--",
        "./ab_ba",
    ]);
    assert_eq!(said.code, 1, "{}", said.text);
    assert!(
        said.text.contains("deadlock: task 1, task 2"),
        "{}",
        said.text
    );
    assert!(
        said.text.contains("--jobs 2 makes no difference"),
        "{}",
        said.text
    );
}

#[test]
fn a_limit_of_time_ends_processes_too() {
    let place = Place::new("exec-time");
    place.build("c/bounded_buffer.c", &["-DFIXED"]);
    for strategy in ["random", "dfs"] {
        let said = place.unpick(&[
            "run",
            "--strategy",
            strategy,
            "--reexec",
            "exec",
            "--executions",
            "1_000_000",
            "--time",
            "1s",
            "--",
            "./bounded_buffer",
        ]);
        assert_eq!(said.code, 0, "{}", said.text);
        assert!(
            said.text.contains("fibers and exec: as asked for"),
            "{}",
            said.text
        );
    }
}
