//! The regression of a native program is tried first.

use super::place::{Place, Said};
use std::fs;

/// Two threads that add to a counter without a lock, after so many calls of something else.
const SOURCE: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int counter, other;
static void *add(void *unused) {
    for (int i = 0; i < BEFORE; i++)
        other++;
    int seen = counter;
    counter = seen + 1;
    return unused;
}
int main(void) {
    pthread_t tasks[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&tasks[i], 0, add, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(tasks[i], 0);
    assert(counter >= LEAST);
}
"#;

const PATH: &str = ".unpick/regressions/native_program.txt";

fn build(place: &Place, before: u32, least: u32) {
    fs::write(place.0.join("program.c"), SOURCE).unwrap();
    let mut command = place.command(env!("CARGO_BIN_EXE_unpick"));
    command.args(["cc", "-g", "program.c", "-o", "program"]);
    command.args([format!("-DBEFORE={before}"), format!("-DLEAST={least}")]);
    assert!(command.status().unwrap().success());
}

fn run(place: &Place, options: &[&str], arguments: &[&str]) -> Said {
    let run = ["run", "--executions", "5000"];
    place.unpick(&[&run[..], options, &["--", "./program"], arguments].concat())
}

#[test]
fn a_regression_that_still_fails_is_reported_and_left_as_it_is() {
    let place = Place::new("regression");
    build(&place, 0, 2);
    assert_eq!(run(&place, &[], &[]).code, 1);
    let kept = fs::read(place.0.join(PATH)).unwrap();
    let again = run(&place, &["--seed", "7"], &[]);
    assert_eq!(again.code, 1, "{}", again.text);
    for words in [
        "found   by its regression, in the first execution; ",
        "why     lost update: ",
        "replay  unpick replay .unpick/regressions/native_program.txt",
        "program: 1 execution, 1 failing",
    ] {
        assert!(again.text.contains(words), "{words}: {}", again.text);
    }
    assert_eq!(fs::read(place.0.join(PATH)).unwrap(), kept);
    // With other arguments it is another program, and those who count do not want it.
    for said in [
        run(&place, &[], &["argument"]),
        run(&place, &["--keep-going"], &[]),
        run(&place, &["--no-save"], &[]),
    ] {
        assert_eq!(said.code, 1, "{}", said.text);
        assert!(!said.text.contains("by its regression"), "{}", said.text);
    }
}

#[test]
fn a_failure_near_a_regression_takes_its_place() {
    let place = Place::new("near");
    build(&place, 0, 2);
    assert_eq!(run(&place, &["--steps", "777"], &[]).code, 1);
    build(&place, 3, 2);
    let said = run(&place, &[], &[]);
    assert_eq!(said.code, 1, "{}", said.text);
    let words =
        format!("CHANGED  program  the program has changed since {PATH} was recorded: at step ");
    assert!(said.text.contains(&words), "{}", said.text);
    assert!(
        said.text.contains(" near its regression; "),
        "{}",
        said.text
    );
    let kept = fs::read_to_string(place.0.join(PATH)).unwrap();
    assert!(kept.contains("\nstrategy: near-regression\n"), "{kept}");
    // It is found, and so kept, with the settings of the one before.
    assert!(kept.contains("\nsettings: steps=777 "), "{kept}");
    let again = run(&place, &[], &[]);
    assert!(
        again.text.contains("found   by its regression"),
        "{}",
        again.text
    );
}

#[test]
fn a_fixed_bug_says_so_and_can_be_forgotten() {
    let place = Place::new("fixed");
    build(&place, 0, 2);
    assert_eq!(run(&place, &[], &[]).code, 1);
    build(&place, 0, 1);
    let said = run(&place, &[], &[]);
    assert_eq!(said.code, 0, "{}", said.text);
    let words = format!(
        "FIXED  program  the schedule in {PATH} runs to its end and passes; `unpick forget \
         program` drops it"
    );
    assert!(said.text.contains(&words), "{}", said.text);
    assert_eq!(place.unpick(&["forget", "program"]).code, 0);
    assert!(!run(&place, &[], &[]).text.contains("FIXED"));
}

#[test]
fn a_regression_that_cannot_be_read_is_told_and_the_program_explored() {
    let place = Place::new("unreadable");
    build(&place, 0, 1);
    fs::create_dir_all(place.0.join(".unpick/regressions")).unwrap();
    fs::write(place.0.join(PATH), "no trace").unwrap();
    let said = run(&place, &[], &[]);
    assert_eq!(said.code, 0, "{}", said.text);
    let words = format!("the regression is not used: {PATH}: not an unpick trace");
    assert!(said.text.contains(&words), "{}", said.text);
}
