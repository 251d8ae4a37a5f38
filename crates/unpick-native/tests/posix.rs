//! What objects of POSIX threads order and how long they live: what a task publishes is known from the moment on at
//! which its operation is performed, and an object that is gone by then is missed. Needs a C and a C++ compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Line, Place, WAYS, each, kind, table_of};
use unpick_engine::Proviso;
use unpick_native::drive::{Command, Explored, Options, explore, replay};
use unpick_protocol::Points;

/// Techniques that get through all there is.
const EXHAUSTIVE: &[&str] = &["dfs", "hbr-cache", "dpor", "odpor", "mcr"];

/// Techniques that find what there is in programs as small as these.
const SAMPLING: &[&str] = &["portfolio", "random", "pct"];

/// Executions of an exhaustive technique at most.
const EXECUTIONS_MAX: u64 = 20_000;

/// Executions of the others.
const EXECUTIONS: u64 = 300;

fn strategies() -> impl Iterator<Item = (&'static str, u64)> {
    let exhaustive = EXHAUSTIVE.iter().map(|name| (*name, EXECUTIONS_MAX));
    exhaustive.chain(SAMPLING.iter().map(|name| (*name, EXECUTIONS)))
}

/// The options as the command line sets them: `mcr` tries orders of what is read, and so must see it.
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
fn every_technique_finds_what_an_object_does_not_order() {
    let lines = table_of("posix/table.txt");
    assert!(lines.len() >= 21, "only {} programs", lines.len());
    let place = Place::new("posix");
    let wrong = each(&lines, |line| judge(&place, line));
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} wrong:\n{}", wrong.join("\n"));
}

fn judge(place: &Place, line: &Line) -> Vec<String> {
    let (path, variant) = line.path.split_once(':').unwrap_or((&line.path, "0"));
    let variant = format!("-DKIND={variant}");
    let flags = match variant.ends_with('0') {
        true => vec![],
        false => vec![variant.as_str()],
    };
    let buggy = place.build_with(path, &flags);
    let fixed = place.build_with(path, &[&flags[..], &["-DFIXED"]].concat());
    let mut wrong = Vec::new();
    for (strategy, executions) in strategies() {
        let about = format!("{} with {strategy}", line.path);
        if let Err(what) = find(&buggy, line, strategy, executions) {
            wrong.push(format!("{about}: {what}"));
        }
        if let Err(what) = pass(&fixed, strategy, executions) {
            wrong.push(format!("{about}, fixed: {what}"));
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
    for way in WAYS {
        let about = format!("replay in {} by {}", way.0.word(), way.1.word());
        let (trace, shared) = (&failure.trace, &explored.shared);
        let result = replay(
            command,
            &options(strategy, executions),
            way,
            trace,
            shared,
            None,
        );
        let (again, _) = result.map_err(|error| format!("{about}: {error}"))?;
        if kind(&again.outcome) != word || again.trace.hash() != trace.hash() {
            return Err(format!("{about} ends as {:?}", again.outcome));
        }
    }
    Ok(())
}

/// Nothing is found, and what gets through all there is says so.
fn pass(command: &Command, strategy: &str, executions: u64) -> Result<(), String> {
    let explored = run(command, strategy, executions)?;
    let found = &explored.exploration;
    if let Some(failure) = found.first_failure.as_ref().or(found.diverged.as_ref()) {
        let (execution, outcome) = (failure.execution, &failure.outcome);
        return Err(format!("execution {execution}: {outcome:?}"));
    }
    match EXHAUSTIVE.contains(&strategy) && !found.complete {
        true => Err(format!("{} executions are not all", found.executions)),
        false => Ok(()),
    }
}

/// Nothing is found in a program without a twin, by any technique.
fn assert_passes(path: &str) {
    let place = Place::new(&path.replace(['/', '.'], "-"));
    let program = place.build(path, false);
    for (strategy, executions) in strategies() {
        // There are too many schedules for those that do not reduce.
        let found = run(&program, strategy, executions.min(EXECUTIONS)).unwrap();
        let exploration = found.exploration;
        assert_eq!(exploration.first_failure, None, "{path} with {strategy}");
        assert_eq!(exploration.inconclusive, 0, "{path} with {strategy}");
    }
}

#[test]
fn what_may_be_destroyed_at_once_is_no_failure() {
    assert_passes("posix/last_out.c");
}

#[test]
fn a_task_that_looks_at_a_count_again_and_again_lets_others_run() {
    assert_passes("posix/waits_for_units.c");
}

#[test]
fn a_wait_for_what_is_free_does_not_time_out() {
    assert_passes("posix/free_at_once.c");
}

/// A limit decides for a task that has to wait, also if what it waits for is free again by then.
#[test]
fn every_end_of_a_wait_with_a_limit_comes_about() {
    let place = Place::new("posix-limits");
    for outcome in 0..=4 {
        let flag = format!("-DOUTCOME={outcome}");
        let program = place.build_with("posix/late_although_free.c", &[&flag]);
        // It lets others go first where a task waits with a limit, and needs more executions than these.
        let strategies = strategies().filter(|(strategy, _)| *strategy != "pct");
        for (strategy, executions) in strategies {
            let found = run(&program, strategy, executions).unwrap().exploration;
            let is_found = found.first_failure.is_some();
            // Techniques that leave a task that waits with a limit to others say so.
            let is_left_out = outcome > 2 && found.provided.contains(Proviso::ForcedSwitch);
            let is_right = is_found == (outcome != 0) || is_left_out && !is_found;
            assert!(is_right, "{strategy} {flag}: {:?}", found.provided);
        }
    }
}
