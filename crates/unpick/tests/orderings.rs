//! Data races are judged by the memory orderings that the program asks for.

#[path = "orderings/programs.rs"]
mod programs;

use programs::ALL;
use unpick::trace::{FailureKind, OpKind, Outcome, Step};
use unpick::{Config, Memory, explore, replay};

/// The wrong programs that have a data race in some interleaving. `dekker_ra` has one, too, but only where
/// a load overtakes a store; the others assert something of atomics that holds in every interleaving.
const RACES: &[&str] = &[
    "mp_cell_store",
    "mp_cell_load",
    "unlock_relaxed",
    "lock_relaxed",
    "arc_relaxed",
    "arc_no_fence",
    "dcl",
    "spsc",
];

/// What is found wrong with a program.
fn found(program: fn(bool), bad: bool, strategy: &str, memory: Memory) -> Option<Outcome> {
    let config = Config::new().strategy(strategy).memory(memory);
    let found = explore(config.executions(2_000), move || program(bad));
    found.first_failure.map(|failure| failure.outcome)
}

fn is_race(outcome: &Option<Outcome>) -> bool {
    matches!(outcome, Some(Outcome::Fail(failure)) if failure.kind == FailureKind::DataRace)
}

#[test]
fn wrong_orderings_of_cells_are_races_in_every_model() {
    for strategy in ["random", "odpor", "portfolio"] {
        for (name, program) in ALL {
            let outcome = found(*program, true, strategy, Memory::Sc);
            assert_eq!(
                is_race(&outcome),
                RACES.contains(name),
                "{name} under {strategy}: {outcome:?}"
            );
            assert!(outcome.is_none() || is_race(&outcome), "{name}");
        }
    }
    for memory in [Memory::Tso, Memory::Pso] {
        for (name, program) in ALL.iter().filter(|(name, _)| RACES.contains(name)) {
            let outcome = found(*program, true, "odpor", memory);
            assert!(is_race(&outcome), "{name}: {outcome:?}");
        }
    }
}

#[test]
fn right_orderings_raise_no_alarm() {
    for memory in Memory::ALL {
        for strategy in ["odpor", "portfolio"] {
            for (name, program) in ALL {
                let outcome = found(*program, false, strategy, memory);
                assert_eq!(outcome, None, "{name} under {strategy}, {}", memory.name());
            }
        }
    }
}

/// A mended ordering changes no schedule: the trace of the failure replays, and passes. So do traces that
/// were recorded when orderings were not.
#[test]
fn a_trace_replays_whatever_its_orderings_are() {
    let config = Config::new().strategy("random");
    for (name, program) in ALL.iter().filter(|(name, _)| RACES.contains(name)) {
        let failure = explore(config.clone(), || program(true)).first_failure;
        let mut trace = failure.expect("it races").trace;
        let is_weak = |step: &Step| step.op != step.op.without_orders();
        assert!(trace.steps.iter().any(is_weak), "{name}");
        let has_fence = |step: &Step| step.op.kind == OpKind::Fence;
        for is_old in [false, true] {
            if is_old {
                trace
                    .steps
                    .iter_mut()
                    .for_each(|step| step.op = step.op.without_orders());
            }
            let again = replay(&config, &|| program(true), trace.clone()).first_failure;
            assert!(is_race(&again.map(|failure| failure.outcome)), "{name}");
            // The fixed twin of one of them has a fence more.
            if *name != "arc_no_fence" || trace.steps.iter().any(has_fence) {
                let mended = replay(&config, &|| program(false), trace.clone());
                assert_eq!(
                    mended.first_failure.map(|failure| failure.outcome),
                    None,
                    "{name}"
                );
            }
        }
    }
}
