//! What a program does before its first thread is done once, if that changes nothing but memory; every
//! execution is as if it had been done each time. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use std::collections::BTreeSet;
use std::fs;

use support::{Place, each, is_full, options, table};
use unpick_native::drive::{Command, explore};
use unpick_protocol::{Points, Reexecution};
use unpick_trace::TaskId;

const EXECUTIONS: u64 = 60;

/// What an exploration comes to.
#[derive(Debug, PartialEq, Eq)]
struct Came {
    executions: u64,
    failures: u64,
    steps: u64,
    hash: u64,
}

fn run(command: &Command, strategy: &str, reexecution: Reexecution) -> Came {
    run_with(command, strategy, Points::Sync, reexecution)
}

fn run_with(command: &Command, strategy: &str, points: Points, reexecution: Reexecution) -> Came {
    let mut options = options(strategy, EXECUTIONS);
    options.points = points;
    options.limits.keep_going = true;
    options.reexecution = Some(reexecution);
    let found = explore(command, &options, &mut |_| true).unwrap();
    Came {
        executions: found.exploration.executions,
        failures: found.exploration.failures,
        steps: found.exploration.steps_total,
        hash: found.exploration.hash,
    }
}

/// Runs `prelude/begin.c`: how many executions there were, and how many of them have run its beginning.
fn beginnings(what: &str, points: Points) -> (usize, usize) {
    let place = Place::new(&format!("prelude-{what}-{points:?}"));
    let mut command = place.build("prelude/begin.c", false);
    let log = place.0.join("log");
    command.arguments = vec![log.clone().into(), what.into()];
    let forks = run_with(&command, "random", points, Reexecution::Fork);
    assert_eq!(
        (forks.executions, forks.failures),
        (EXECUTIONS, 0),
        "{what}"
    );
    fs::remove_file(&log).unwrap();
    let snapshots = run_with(&command, "random", points, Reexecution::Snapshot);
    assert_eq!(snapshots, forks, "{what}");
    let text = fs::read_to_string(&log).unwrap();
    let different: BTreeSet<_> = text.lines().collect();
    (text.lines().count(), different.len())
}

#[test]
fn a_beginning_that_only_asks_is_run_once() {
    assert_eq!(
        beginnings("nothing", Points::Sync),
        (EXECUTIONS as usize, 1)
    );
}

/// The rounds before the exploration have beginnings of their own, and leave nothing behind.
#[test]
fn every_order_has_a_beginning_of_its_own() {
    let (executions, beginnings) = beginnings("nothing", Points::Shared);
    assert!(executions > EXECUTIONS as usize, "{executions}");
    assert!((2..=5).contains(&beginnings), "{beginnings}");
}

#[test]
fn a_beginning_that_does_more_is_run_every_time() {
    for what in ["file", "pipe", "mapping", "lock", "directory"] {
        let count = EXECUTIONS as usize;
        assert_eq!(beginnings(what, Points::Sync), (count, count), "{what}");
    }
}

#[test]
fn programs_without_a_common_beginning_are_put_back() {
    let place = Place::new("prelude-none");
    are_put_back(&place, &["prelude/alone.c", "prelude/leaves.c"]);
}

/// Nothing is undone in the kernel after executions that ask nothing of it; this one asks by the runtime alone.
#[test]
fn what_the_runtime_asks_of_the_kernel_is_undone() {
    are_put_back(&Place::new("prelude-maps"), &["prelude/maps.c"]);
}

/// The watch over system calls goes on through executions that make none.
#[test]
fn the_first_system_call_of_a_late_execution_is_noticed() {
    are_put_back(&Place::new("prelude-rarely"), &["prelude/rarely.c"]);
}

/// Handlers of the program are called where it sends a signal, and not where one comes from outside: neither the
/// runtime nor the watch over system calls could bear that.
#[test]
fn handlers_from_before_main_are_modelled() {
    let place = Place::new("prelude-handlers");
    are_put_back(&place, &["prelude/handlers.c"]);
    let command = place.build("prelude/handlers.c", false);
    let mut options = options("random", 20_000);
    options.reexecution = Some(Reexecution::Snapshot);
    let found = explore(&command, &options, &mut |_| true).unwrap();
    assert_eq!(
        (found.exploration.executions, found.exploration.failures),
        (20_000, 0)
    );
}

fn are_put_back(place: &Place, paths: &[&str]) {
    for path in paths {
        let command = place.build(path, false);
        let forks = run(&command, "random", Reexecution::Fork);
        assert_eq!(
            (forks.executions, forks.failures),
            (EXECUTIONS, 0),
            "{path}"
        );
        assert_eq!(
            run(&command, "random", Reexecution::Snapshot),
            forks,
            "{path}"
        );
    }
}

/// Whatever later executions begin with, strategies are asked the same and see the same.
#[test]
fn explorations_from_snapshots_are_those_of_forks() {
    let mut lines = table();
    if !is_full() {
        lines.retain(|line| line.path.contains("lock") || line.path.contains("once"));
    }
    let place = Place::new("prelude-table");
    let wrong = each(&lines, |line| {
        let command = place.build(&line.path, false);
        let mut wrong = Vec::new();
        for strategy in ["pct", "random", "dfs", "dpor"] {
            let forks = run(&command, strategy, Reexecution::Fork);
            let snapshots = run(&command, strategy, Reexecution::Snapshot);
            if snapshots != forks {
                wrong.push(format!(
                    "{} by {strategy}: {snapshots:?} from snapshots, {forks:?} in forks",
                    line.path
                ));
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_task_keeps_what_it_was_told_before_the_others_began() {
    let place = Place::new("prelude-named");
    let command = place.build("prelude/named.c", false);
    // The ordinary schedule comes first and is right.
    let mut options = options("dfs", 1_000);
    options.reexecution = Some(Reexecution::Snapshot);
    let found = explore(&command, &options, &mut |_| true)
        .unwrap()
        .exploration;
    let failure = found.first_failure.unwrap();
    assert!(failure.execution > 1, "{failure:?}");
    let message = format!("{:?}", failure.outcome);
    assert!(message.contains("value == 2"), "{message}");
    assert_eq!(failure.trace.task_name(TaskId::MAIN), "task 0 (the first)");
}
