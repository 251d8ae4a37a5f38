//! The examples, as their pages say: the bug is found and comes back, the fixed twin has none.
//!
//! `UNPICK_EFFORT=full` (set by `cargo xtask native`) makes them run for as long as the promises of
//! the project ask.

use super::place::{Place, Said, sources};
use std::fs;
use std::path::Path;

/// Executions in which a bug must be found, executions of a fixed twin, and replays of a failure.
struct Effort {
    found_within: u64,
    fixed: u64,
    replays: u64,
}

fn effort() -> Effort {
    let is_full = std::env::var("UNPICK_EFFORT").is_ok_and(|value| value == "full");
    Effort {
        found_within: 20_000,
        fixed: if is_full { 20_000 } else { 200 },
        replays: if is_full { 100 } else { 2 },
    }
}

/// A copy of an example, so that nothing is left behind in the sources.
fn copy(example: &str, purpose: &str) -> Place {
    let place = Place::new(&format!("{example}-{purpose}"));
    copy_folder(&sources().join("../examples").join(example), &place.0);
    place
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if ["target", "build", ".unpick"]
            .iter()
            .any(|made| name == *made)
        {
            continue;
        }
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &to.join(&name)),
            false => drop(fs::copy(entry.path(), to.join(&name)).unwrap()),
        }
    }
}

/// A crate: the tests whose names begin with one word fail, those with the other do not.
fn crate_example(example: &str, buggy: &str, fixed: &str) {
    let place = copy(example, "test");
    let fetched = place
        .command("cargo")
        .args(["fetch", "--locked"])
        .output()
        .unwrap();
    if !fetched.status.success() {
        println!("skipped: the dependencies of {example} cannot be had here");
        return;
    }
    let effort = effort();
    let found = test(&place, example, effort.found_within, buggy);
    assert_eq!(found.code, 1, "{}", found.text);
    assert!(found.text.contains(" --allow-program\n"), "{}", found.text);
    let id = found.id();
    for _ in 0..effort.replays {
        // What is built lies outside of the project, which only a variable says.
        let again = place.unpick(&["replay", "--quiet", &id, "--allow-program"]);
        assert_eq!(again.code, 1, "{}", again.text);
        let is_same = again.text.contains("the same failure, step by step");
        assert!(is_same, "{}", again.text);
    }
    let first = test(&place, example, effort.found_within, buggy);
    assert_eq!(first.code, 1, "{}", first.text);
    let words = "found   by its regression, in the first execution";
    assert!(first.text.contains(words), "{}", first.text);
    let clean = test(&place, example, effort.fixed, fixed);
    assert_eq!(clean.code, 0, "{}", clean.text);
    assert!(clean.text.contains(" ok; "), "{}", clean.text);
}

/// `cargo unpick test -- FILTER` in an example.
fn test(place: &Place, example: &str, executions: u64, filter: &str) -> Said {
    let mut command = place.command(env!("CARGO_BIN_EXE_cargo-unpick"));
    // Kept from one run of the tests to the next: dependencies take long.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(example);
    command
        .env("CARGO_TARGET_DIR", target)
        .args(["unpick", "test", "--executions", &executions.to_string()])
        .args(["--watchdog", "60s", "--", filter]);
    Said::of(&command.output().unwrap())
}

#[test]
fn rust_std() {
    crate_example("rust-std", "buggy", "fixed");
}

#[test]
fn rust_parking_lot() {
    crate_example("rust-parking-lot", "buggy", "fixed");
}

#[test]
fn rust_rayon() {
    crate_example("rust-rayon", "buggy", "fixed");
}

#[test]
fn rust_tokio() {
    crate_example("rust-tokio", "buggy", "fixed");
}

/// A program built by make or CMake, buggy and fixed.
fn built_example(place: &Place) {
    let effort = effort();
    let executions = effort.found_within.to_string();
    let found = place.unpick(&["run", "--executions", &executions, "--", "build/buggy"]);
    assert_eq!(found.code, 1, "{}", found.text);
    let id = found.id();
    for _ in 0..effort.replays {
        let again = place.unpick(&["replay", "--quiet", &id]);
        assert_eq!(again.code, 1, "{}", again.text);
        let is_same = again.text.contains("the same failure, step by step");
        assert!(is_same, "{}", again.text);
    }
    let executions = effort.fixed.to_string();
    let clean = place.unpick(&["run", "--executions", &executions, "--", "build/fixed"]);
    assert_eq!(clean.code, 0, "{}", clean.text);
}

fn make(place: &Place) {
    let output = place.command("make").args(["-e", "all"]).output().unwrap();
    let said = Said::of(&output);
    assert_eq!(said.code, 0, "{}", said.text);
}

#[test]
fn c_by_make() {
    let place = copy("c-pthreads", "make");
    make(&place);
    built_example(&place);
}

#[test]
fn cpp_by_make() {
    let place = copy("cpp", "make");
    make(&place);
    built_example(&place);
}

#[test]
fn cpp_by_cmake() {
    let place = copy("cpp", "cmake");
    let is_there = place.command("cmake").arg("--version").output();
    if !is_there.is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no cmake here");
        return;
    }
    for arguments in [["-B", "build", "."].as_slice(), &["--build", "build"]] {
        let said = Said::of(&place.command("cmake").args(arguments).output().unwrap());
        assert_eq!(said.code, 0, "{}", said.text);
    }
    built_example(&place);
}
