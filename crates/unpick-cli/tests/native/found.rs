//! A failure that was found is reported and kept, whatever goes wrong after it.

use super::place::{Place, Said};
use std::fs;

/// Explores the program of these definitions.
fn explore(place: &Place, definitions: &[&str], options: &[&str]) -> Said {
    place.forget();
    place.build("found/ends_badly.c", definitions);
    let mut arguments = vec!["run", "--watchdog", "1s"];
    arguments.extend(options);
    arguments.extend(["--", "./ends_badly"]);
    place.unpick(&arguments)
}

fn check(said: &Said, case: &str) {
    let text = &said.text;
    assert_eq!(said.code, 1, "{case}: {text}");
    let words = "FAILED  ends_badly  assertion `!seen || later == FLIP` failed";
    assert!(text.contains(words), "{case}: {text}");
}

/// The traces that are kept.
fn traces(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.0.join(".unpick/traces")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

/// The process ends or hangs in an execution behind the one that fails.
#[test]
fn a_failure_survives_the_process_that_found_it() {
    let place = Place::new("found-died");
    const DIED: (&str, &str) = ("-DEND=1", "the process ended in the middle");
    const HANGS: (&str, &str) = ("-DEND=2", "a task has not come to a scheduling point");
    for ((end, why), options) in [
        (DIED, &["--strategy", "random"][..]),
        (DIED, &["--strategy", "dfs"]),
        (DIED, &["--strategy", "odpor"]),
        (DIED, &["--strategy", "random", "--jobs", "2"]),
        (DIED, &["--strategy", "dfs", "--jobs", "2"]),
        (HANGS, &["--strategy", "dfs"]),
        (HANGS, &["--strategy", "random", "--jobs", "2"]),
    ] {
        let case = format!("{end} {options:?}");
        // In some of these the order that fails comes first.
        let tries = (0..8).map(|number| {
            let (flip, seed) = (format!("-DFLIP={}", number % 2), number.to_string());
            let mut all = vec!["--keep-going", "--reexec", "snapshot", "--seed", &seed];
            all.extend(options);
            explore(&place, &[end, &flip], &all)
        });
        let mut found = tries.filter(|said| said.code != 3);
        let said = found
            .next()
            .unwrap_or_else(|| panic!("{case}: never first"));
        check(&said, &case);
        let warning = format!("WARNING  ends_badly  not explored to the end: {why}");
        assert!(said.text.contains(&warning), "{case}: {}", said.text);
    }
}

/// An execution that is run to shrink or to explain ends badly.
#[test]
fn a_failure_survives_what_explains_it() {
    let place = Place::new("found-explained");
    for end in ["-DEND=1", "-DEND=2"] {
        let options = ["--strategy", "random", "--seed", "2"];
        let said = explore(&place, &[end, "-DRARE", "-DFLIP=1"], &options);
        check(&said, end);
        let warning = "WARNING  ends_badly  the failure is neither shrunk nor explained: ";
        assert!(said.text.contains(warning), "{end}: {}", said.text);
        // What was kept at once has given way to what was made of it.
        assert_eq!(traces(&place).len(), 1, "{end}: {:?}", traces(&place));
        fs::remove_dir_all(place.0.join(".unpick")).unwrap();
    }
}

/// No file with a name is needed to look at a failure again.
#[test]
fn a_failure_survives_without_a_place_for_temporary_files() {
    let place = Place::new("found-nowhere");
    place.build("found/ends_badly.c", &["-DEND=0", "-DRARE", "-DFLIP=1"]);
    for nowhere in ["/nowhere", "not/here", "/proc", ""] {
        place.forget();
        let mut command = place.command(env!("CARGO_BIN_EXE_unpick"));
        let command = command
            .args(["run", "--watchdog", "1s", "--", "./ends_badly"])
            .env("TMPDIR", nowhere);
        let said = Said::of(&command.output().unwrap());
        check(&said, nowhere);
        assert!(said.text.contains("  why  "), "{nowhere}: {}", said.text);
    }
}

/// Where nothing can be kept, the failure is reported all the same.
#[test]
fn a_failure_survives_without_a_store() {
    let place = Place::new("found-full");
    fs::write(place.0.join(".unpick"), "no directory").unwrap();
    let said = explore(&place, &["-DEND=0", "-DRARE", "-DFLIP=1"], &[]);
    check(&said, "no store");
    assert!(
        said.text.contains("  saved   nothing: cannot "),
        "{}",
        said.text
    );
}
