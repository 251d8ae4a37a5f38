//! Programs with OpenMP: the bug is found by every technique and comes back, nothing is found in the fixed twin, and
//! searches come to their end. Needs gcc.

#[path = "support/programs.rs"]
mod support;

use std::process::Stdio;
use support::{Line, Place, WAYS, each, kind, table_of};
use unpick_native::drive::{Command, DriveError, Explored, Options, explore, replay};
use unpick_protocol::Points;

/// Techniques, and executions in which they find a bug.
const FOUND_WITHIN: &[(&str, u64)] = &[
    ("dfs", 200_000),
    ("odpor", 20_000),
    ("mcr", 2_000),
    ("portfolio", 1_000),
    ("random", 1_000),
    ("pct", 1_000),
];

/// Executions of a fixed twin.
const EXECUTIONS: u64 = 500;

fn options(strategy: &str, executions: u64) -> Options {
    Options {
        points: match strategy {
            "mcr" => Points::Shared,
            _ => Points::Sync,
        },
        ..support::options(strategy, executions)
    }
}

fn run(command: &Command, strategy: &str, executions: u64) -> Result<Explored, String> {
    let options = options(strategy, executions);
    explore(command, &options, &mut |_| true).map_err(|error| error.to_string())
}

#[test]
fn every_program_gets_the_right_verdict() {
    let lines = table_of("openmp/table.txt");
    assert!(lines.len() >= 10, "only {} programs", lines.len());
    let place = Place::new("openmp");
    let wrong = each(&lines, |line| judge(&place, line));
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} wrong:\n{}", wrong.join("\n"));
}

fn judge(place: &Place, line: &Line) -> Vec<String> {
    let buggy = place.build_with(&line.path, &["-fopenmp"]);
    let fixed = place.build_with(&line.path, &["-fopenmp", "-DFIXED"]);
    let mut wrong = Vec::new();
    for &(strategy, executions) in FOUND_WITHIN {
        let about = format!("{} with {strategy}", line.path);
        if let Err(what) = find(&buggy, line, strategy, executions) {
            wrong.push(format!("{about}: {what}"));
        }
        match run(&fixed, strategy, EXECUTIONS) {
            Err(error) => wrong.push(format!("{about}, fixed: {error}")),
            Ok(explored) => {
                let found = explored.exploration;
                if let Some(failure) = found.first_failure.or(found.diverged) {
                    wrong.push(format!("{about}, fixed: {:?}", failure.outcome));
                }
            }
        }
    }
    wrong
}

/// The bug is found, and comes back in every way of running.
fn find(command: &Command, line: &Line, strategy: &str, executions: u64) -> Result<(), String> {
    let explored = run(command, strategy, executions)?;
    let count = explored.exploration.executions;
    let failure = explored.exploration.first_failure;
    let failure = failure.ok_or_else(|| format!("nothing is found in {count} executions"))?;
    let word = kind(&failure.outcome);
    if !line.kinds.iter().any(|allowed| allowed == word) {
        return Err(format!("{word}: {:?}", failure.outcome));
    }
    let options = options(strategy, executions);
    for way in WAYS {
        let about = format!("replay in {} by {}", way.0.word(), way.1.word());
        let (trace, shared) = (&failure.trace, &explored.shared);
        let result = replay(command, &options, way, trace, shared, None);
        let (again, _) = result.map_err(|error| format!("{about}: {error}"))?;
        if kind(&again.outcome) != word || again.trace.hash() != trace.hash() {
            return Err(format!("{about} ends as {:?}", again.outcome));
        }
    }
    Ok(())
}

#[test]
fn searches_come_to_their_end() {
    let place = Place::new("openmp-ends");
    let small = [
        "grandchildren",
        "handed_to_waiting",
        "largest",
        "no_wait",
        "sections",
        "sum",
        "two_locks",
    ];
    for name in small {
        let path = format!("openmp/{name}.c");
        let command = place.build_with(&path, &["-fopenmp", "-DFIXED"]);
        for strategy in ["odpor", "dpor", "hbr-cache"] {
            let found = run(&command, strategy, 50_000).unwrap().exploration;
            assert!(found.complete, "{name} with {strategy}");
            assert_eq!(found.first_failure, None, "{name} with {strategy}");
        }
    }
}

#[test]
fn what_is_not_modelled_is_refused_by_name() {
    let place = Place::new("openmp-refused");
    let command = place.build_with("openmp/ordered.c", &["-fopenmp"]);
    let result = explore(&command, &options("random", 10), &mut |_| true);
    let Err(DriveError::Trouble { trouble, .. }) = result else {
        panic!("it is explored");
    };
    assert_eq!(trouble.what, "GOMP_loop_ordered_static_start");
}

#[test]
fn programs_run_by_themselves_with_libgomp() {
    let place = Place::new("openmp-plain");
    for name in ["schedules", "fibonacci", "two_locks", "initialised_once"] {
        let path = format!("openmp/{name}.c");
        let command = place.build_with(&path, &["-fopenmp", "-DFIXED"]);
        let mut plain = std::process::Command::new(&command.program);
        let status = plain.stderr(Stdio::inherit()).status().unwrap();
        assert!(status.success(), "{name}: {status}");
    }
}
