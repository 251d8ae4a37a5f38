//! What a program does that is not looked at is a proviso of the claim, and objects that are used too early or too late
//! are failures. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Place, kind, options};
use unpick_engine::{Exploration, Proviso};
use unpick_native::drive::{Command, explore};

const STRATEGIES: &[&str] = &["dfs", "odpor", "portfolio"];

fn run(command: &Command, strategy: &str) -> Exploration {
    let explored = explore(command, &options(strategy, 1_000), &mut |_| true);
    explored.unwrap().exploration
}

#[test]
fn what_is_not_seen_is_a_proviso() {
    let place = Place::new("unseen");
    for (path, flags) in [
        ("unseen/shared_text.c", &[][..]),
        ("unseen/file_made_twice.c", &[]),
        ("unseen/own_exchange.c", &[]),
        ("unseen/protected.c", &[]),
        ("unseen/protected.c", &["-DUNMAP"]),
    ] {
        let command = place.build_with(path, flags);
        for strategy in STRATEGIES {
            let found = run(&command, strategy);
            let claim = found.claim();
            let is_said = claim.provided.contains(Proviso::NotInstrumented);
            assert!(
                is_said || found.failures > 0,
                "{path} {flags:?} {strategy}: {claim}"
            );
        }
    }
}

#[test]
fn a_signal_is_a_proviso_and_the_default_finds_where_it_arrives() {
    let place = Place::new("unseen-signal");
    let command = place.build("unseen/signalled.c", false);
    assert_eq!(run(&command, "portfolio").failures, 1);
    assert_eq!(run(&command, "dfs").failures, 1);
    let reduced = run(&command, "odpor").claim();
    assert!(reduced.provided.contains(Proviso::Signals), "{reduced}");
}

#[test]
fn what_is_used_too_early_or_too_late_is_a_failure() {
    let place = Place::new("unseen-late");
    for number in 1..=9 {
        let flag = format!("-DKIND={number}");
        let buggy = place.build_with("unseen/made_late.c", &[&flag]);
        let fixed = place.build_with("unseen/made_late.c", &[&flag, "-DFIXED"]);
        for strategy in STRATEGIES {
            let failure = run(&buggy, strategy).first_failure;
            let failure = failure.unwrap_or_else(|| panic!("{flag} {strategy}: nothing is found"));
            let word = kind(&failure.outcome);
            let expected: &[&str] = match number {
                3 => &["deadlock"],
                1 | 2 | 4 => &["race", "misuse", "deadlock"],
                _ => &["misuse"],
            };
            assert!(expected.contains(&word), "{flag} {strategy}: {word}");
            let found = run(&fixed, strategy);
            assert_eq!(found.first_failure, None, "{flag} {strategy}");
        }
    }
}

#[test]
fn a_fault_in_an_atomic_operation_is_at_the_place_of_the_program() {
    let place = Place::new("unseen-null");
    let command = place.build("unseen/null_atomic.c", false);
    let explored = explore(&command, &options("dfs", 100), &mut |_| true).unwrap();
    let mut failure = explored.exploration.first_failure.expect("it fails");
    let naming =
        unpick_native::drive::Naming::new(&command.program, &explored.modules, &explored.addresses);
    let mut naming = naming;
    naming.name(&mut failure);
    let text = format!("{:?}", failure.outcome);
    assert!(text.contains("null_atomic.c"), "{text}");
}

#[test]
fn the_clock_of_c11_is_virtual() {
    let place = Place::new("unseen-clock");
    let command = place.build("unseen/early_deadline.c", false);
    let found = run(&command, "portfolio");
    assert_eq!(found.failures, 1, "{} executions", found.executions);
}
