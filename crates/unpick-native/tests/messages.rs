//! What a failure of a native program says: the right kind, and the places and names that a person needs. Needs a C and
//! a C++ compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Place, options};
use unpick_engine::{Misuse, Proviso, WarningKind};
use unpick_native::drive::{
    Command, Explored, Naming, Options, Verification, explain_by_output, explore, verify,
};
use unpick_report::headline;

/// Strategies under each of which a program must do the same.
const STRATEGIES: [&str; 3] = ["portfolio", "random", "odpor"];

fn run(command: &Command, options: &Options) -> Explored {
    explore(command, options, &mut |_| true).unwrap()
}

/// The headline of the first failure of a program, as it is reported.
fn headline_of(path: &str) -> String {
    let place = Place::new(&path.replace(['/', '.'], "-"));
    let command = place.build(path, false);
    let options = options("portfolio", 300);
    let mut explored = run(&command, &options);
    let failure = explored.exploration.first_failure.take();
    let mut failure = *failure.unwrap_or_else(|| panic!("{path} does not fail"));
    let verified = verify(&command, &options, &explored, &failure).unwrap();
    let Verification::Confirmed { output, .. } = verified else {
        panic!("{path}: {verified:?}");
    };
    let mut naming = Naming::new(&command.program, &explored.modules, &explored.addresses);
    naming.name(&mut failure);
    explain_by_output(&mut failure.outcome, &output);
    headline(&failure.outcome, &failure.trace)
}

fn assert_says(path: &str, expected: &str) {
    let headline = headline_of(path);
    // Without the directory of the programs.
    let file = path.rsplit('/').next().unwrap();
    let short: Vec<&str> = headline
        .split(' ')
        .map(|word| match word.rsplit_once('/') {
            Some((_, end)) if end.starts_with(file) => end,
            _ => word,
        })
        .collect();
    assert_eq!(short.join(" "), expected);
}

/// Explores a program that must not fail, with every strategy.
fn assert_passes(path: &str) {
    let place = Place::new(&path.replace(['/', '.'], "-"));
    let command = place.build(path, false);
    for strategy in STRATEGIES {
        let found = run(&command, &options(strategy, 300)).exploration;
        assert_eq!(found.first_failure, None, "{path} with {strategy}");
        assert!(found.executions > 0, "{path} with {strategy}");
    }
}

#[test]
fn an_initialisation_that_throws_gives_the_flag_back() {
    assert_passes("messages/call_once_throws.cc");
}

#[test]
fn an_exit_code_has_eight_bits() {
    assert_passes("messages/exit_256.c");
}

#[test]
fn an_exception_is_reported_where_it_is_thrown() {
    assert_says(
        "messages/thrown.cc",
        "an exception `std::runtime_error` is not caught: two is too many; thrown at thrown.cc:11",
    );
}

#[test]
fn a_race_names_both_places_and_a_free() {
    assert_says(
        "messages/freed_without_join.c",
        "data race: task 1 wrote memory at freed_without_join.c:8, and nothing orders that before the free \
         by task 0 at freed_without_join.c:16",
    );
}

#[test]
fn a_race_names_the_byte_that_both_use() {
    assert_says(
        "messages/copied_record.c",
        "data race: task 1 wrote `record.name[5]` at copied_record.c:14, and nothing orders that before the \
         read by task 0 at copied_record.c:21",
    );
}

#[test]
fn a_lock_in_freed_memory_is_a_use_after_free() {
    assert_says(
        "messages/mutex_destroyed.c",
        "use after free: task 0 freed at mutex_destroyed.c:21 the mutex that task 1 uses at \
         mutex_destroyed.c:8",
    );
}

#[test]
fn a_mutex_unlocked_by_another_task_fails_warns_or_goes_on() {
    let place = Place::new("misuse");
    let command = place.build("messages/unlocked_by_another.c", false);
    for strategy in STRATEGIES {
        for misuse in Misuse::ALL {
            let mut options = options(strategy, 300);
            options.settings.misuse = misuse;
            let found = run(&command, &options).exploration;
            let fails = misuse == Misuse::Fail;
            assert_eq!(
                found.first_failure.is_some(),
                fails,
                "{strategy} {misuse:?}"
            );
            let warnings = found.warnings.iter();
            let warnings = warnings.filter(|one| one.kind == WarningKind::Misuse);
            let expected = usize::from(misuse == Misuse::Warn);
            assert_eq!(warnings.count(), expected, "{strategy} {misuse:?}");
            // Reductions do not plan such unlocks, and searches need no plan.
            let is_unplanned = found.provided.contains(Proviso::Unplanned);
            let expected = strategy == "odpor" && !fails;
            assert_eq!(is_unplanned, expected, "{strategy} {misuse:?}");
        }
    }
}
