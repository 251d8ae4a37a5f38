//! Plain memory: which accesses are points where races are no failures, which executions a search then has,
//! and which functions of the C library count as accesses. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Place, WAYS, kind, options};
use unpick_native::drive::{Command, Explored, Options, explore, replay};
use unpick_protocol::Points;

/// Options where races are no failures.
fn without_races(strategy: &str, points: Points) -> Options {
    Options {
        races: false,
        points,
        ..options(strategy, 20_000)
    }
}

fn run(command: &Command, options: &Options) -> Explored {
    explore(command, options, &mut |_| true).unwrap()
}

/// What an exploration has found, as the table's word.
fn found(explored: &Explored) -> &'static str {
    let failure = explored.exploration.first_failure.as_ref();
    failure.map_or("pass", |failure| kind(&failure.outcome))
}

const LEARNT: [Points; 2] = [Points::Racy, Points::Shared];

#[test]
fn every_access_to_what_is_shared_is_a_point_and_not_only_the_first() {
    let place = Place::new("check-then-act");
    let buggy = place.build_with("plain/check_then_act.c", &["-O0"]);
    let fixed = place.build_with("plain/check_then_act.c", &["-O0", "-DFIXED"]);
    for points in LEARNT {
        for strategy in ["dfs", "odpor", "random"] {
            let options = without_races(strategy, points);
            let explored = run(&buggy, &options);
            assert_eq!(found(&explored), "signal", "{strategy} {points:?}");
            let failure = explored.exploration.first_failure.unwrap();
            for way in WAYS {
                let again = replay(
                    &buggy,
                    &options,
                    way,
                    &failure.trace,
                    &explored.shared,
                    None,
                );
                let (again, _) = again.unwrap();
                assert_eq!(
                    kind(&again.outcome),
                    "signal",
                    "{strategy} {points:?} {way:?}"
                );
            }
        }
        let explored = run(&fixed, &without_races("odpor", points));
        assert_eq!(found(&explored), "pass", "{points:?}");
        assert!(explored.exploration.complete, "{points:?}");
    }
}

#[test]
fn locked_variables_are_shared_and_do_not_race() {
    let place = Place::new("locked");
    let fixed = place.build("plain/check_then_act.c", true);
    let racy = run(&fixed, &without_races("dfs", Points::Racy));
    let shared = run(&fixed, &without_races("dfs", Points::Shared));
    assert!(racy.shared.is_empty(), "{:x?}", racy.shared);
    assert!(!shared.shared.is_empty());
    assert!(racy.exploration.executions < shared.exploration.executions);
}

#[test]
fn plain_variables_have_the_executions_that_atomic_ones_have() {
    let place = Place::new("counters");
    let plain = place.build("plain/counters.c", false);
    let atomic = place.build_with("plain/counters.c", &["-DATOMIC"]);
    for strategy in ["odpor", "dpor"] {
        let expected = run(&atomic, &without_races(strategy, Points::Sync)).exploration;
        assert!(expected.complete && expected.executions > 10, "{strategy}");
        for points in LEARNT {
            let found = run(&plain, &without_races(strategy, points)).exploration;
            assert!(found.complete, "{strategy} {points:?}");
            assert_eq!(
                found.executions, expected.executions,
                "{strategy} {points:?}"
            );
        }
    }
}

#[test]
fn accesses_that_overlap_depend_on_each_other() {
    let place = Place::new("overlapping");
    let program = place.build("plain/overlapping.c", false);
    for points in LEARNT {
        for strategy in ["dfs", "odpor", "dpor", "hbr-cache"] {
            let explored = run(&program, &without_races(strategy, points));
            assert_eq!(found(&explored), "assert", "{strategy} {points:?}");
        }
    }
}

#[test]
fn a_loop_that_waits_for_a_plain_variable_lets_others_run() {
    let place = Place::new("waits");
    for flags in [&["-O0"][..], &["-O1"]] {
        let program = place.build_with("plain/waits_for_flag.c", flags);
        for strategy in ["dfs", "odpor", "random", "pct"] {
            for points in [Points::Racy, Points::Shared, Points::Sync] {
                let explored = run(&program, &without_races(strategy, points));
                assert_eq!(found(&explored), "pass", "{strategy} {points:?} {flags:?}");
            }
        }
        // Whoever waits so races, in whatever order the tasks run.
        let explored = run(&program, &options("random", 100));
        assert_eq!(found(&explored), "race", "{flags:?}");
    }
}

#[test]
fn a_long_computation_is_no_loop_that_waits() {
    let place = Place::new("computes");
    let program = place.build("plain/long_sum.c", false);
    let explored = run(&program, &options("dfs", 1_000));
    assert_eq!(found(&explored), "pass");
    assert!(explored.exploration.complete);
    assert_eq!(
        explored.exploration.steps_max, 8,
        "the steps of locks and threads alone"
    );
}

#[test]
fn functions_of_the_c_library_count_however_they_are_called() {
    let place = Place::new("c-library");
    let programs = ["copied_record", "renamed_string", "filled_buffer"];
    for name in programs {
        let path = format!("c/{name}.c");
        for flags in [&["-O0"][..], &["-O2", "-D_FORTIFY_SOURCE=2"]] {
            let buggy = place.build_with(&path, flags);
            let explored = run(&buggy, &options("random", 1_000));
            assert_eq!(found(&explored), "race", "{name} {flags:?}");
            let fixed = place.build_with(&path, &[flags, &["-DFIXED"]].concat());
            let explored = run(&fixed, &options("random", 200));
            assert_eq!(found(&explored), "pass", "{name} {flags:?}");
        }
    }
}

/// gcc writes these out in place when it knows the size or the text.
#[test]
fn functions_that_a_compiler_can_write_out_count_too() {
    let place = Place::new("written-out");
    let fills = [
        "memset(shared,1,sizeof shared)",
        "memcpy(shared,given,48)",
        "memmove(shared,given,24)",
        "strcpy(shared,\"something long enough\")",
        "strcat(shared,\"something\")",
        "strncpy(shared,\"something\",12)",
    ];
    for fill in fills {
        for level in ["-O0", "-O2"] {
            let fill = format!("-DFILL={fill}");
            let flags = [level, fill.as_str()];
            let buggy = place.build_with("c/constant_sizes.c", &flags);
            let explored = run(&buggy, &options("dfs", 1_000));
            assert_eq!(found(&explored), "race", "{flags:?}");
        }
    }
}
