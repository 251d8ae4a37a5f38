//! What programs read that differs from run to run: it is controlled, or reported with its likely cause; a failure
//! that comes back is never thrown away.

use super::place::{Place, Said, name_of};

fn run(name: &str, path: &str, options: &[&str]) -> (Place, Said) {
    let place = Place::new(name);
    place.build(path, options);
    let program = format!("./{}", name_of(path));
    let said = place.unpick(&["run", "--", &program]);
    (place, said)
}

fn assert_contains(said: &Said, words: &[&str]) {
    for words in words {
        assert!(said.text.contains(words), "no `{words}`:\n{}", said.text);
    }
}

#[test]
fn time_stamps_are_virtual_and_reported_with_their_places() {
    let (_place, said) = run("stamp", "nondeterminism/stamp.c", &[]);
    assert_eq!(said.code, 0, "{}", said.text);
    let words = "uncontrolled nondeterminism: rdtsc at ";
    assert_contains(&said, &[words, "stamp.c:8", "stamp.c:13", "stamp.c:14"]);
    assert_contains(
        &said,
        &["are the same as in forks", "complete, provided that"],
    );
}

#[test]
fn random_bytes_from_the_kernel_are_the_same_in_every_process() {
    let (place, said) = run("seed", "nondeterminism/seed.c", &[]);
    assert_eq!(said.code, 1, "{}", said.text);
    assert_contains(&said, &["FAILED  seed  assertion `!done` failed"]);
    let again = place.unpick(&["replay", &said.id()]);
    assert_contains(&again, &["the same failure, step by step"]);
}

#[test]
fn what_does_not_come_back_has_its_first_step_and_likely_cause() {
    let path = "nondeterminism/seed.c";
    let (_place, said) = run("seed-by-hand", path, &["-DBY_HAND"]);
    assert_eq!(said.code, 3, "{}", said.text);
    let words = [
        "DIVERGED  seed  a failure does not come back: assertion `!done` failed",
        "  differs in fibers, by fork: step ",
        "  cause   a value that changes from run to run",
    ];
    assert_contains(&said, &words);
}

#[test]
fn a_failure_that_comes_back_where_it_was_found_is_one() {
    let (_place, said) = run("thread", "nondeterminism/thread_number.c", &[]);
    assert_eq!(said.code, 1, "{}", said.text);
    let words = [
        "FAILED  thread_number  assertion `!done` failed",
        "WARNING  thread_number  the failure comes back where it was found, but not in threads, by fork: step ",
    ];
    assert_contains(&said, &words);
}
