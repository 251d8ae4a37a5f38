//! The end of a process is an event: what others do can come before it or be cut off by it, and every technique
//! tries both. Needs a C and a C++ compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Line, Place, WAYS, each, kind, options, table_of};
use unpick_native::drive::{Command, explore, replay};

/// Techniques that get through all there is.
const EXHAUSTIVE: &[&str] = &[
    "dfs",
    "ipb:beyond=1",
    "idb:beyond=1",
    "hbr-cache",
    "dpor",
    "odpor",
    "mcr",
    "se-mcr",
];

/// Techniques that find what there is in programs as small as these.
const SAMPLING: &[&str] = &["portfolio", "random", "pct"];

/// Executions of an exhaustive technique at most.
const EXECUTIONS_MAX: u64 = 3_000;

/// Executions of the others.
const EXECUTIONS: u64 = 300;

#[test]
fn every_technique_tries_what_the_end_cuts_off() {
    let lines = table_of("ends/table.txt");
    assert!(lines.len() >= 14, "only {} programs", lines.len());
    let place = Place::new("ends");
    let wrong = each(&lines, |line| judge(&place, line));
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} wrong:\n{}", wrong.join("\n"));
}

fn judge(place: &Place, line: &Line) -> Vec<String> {
    let buggy = place.build(&line.path, false);
    let fixed = place.build(&line.path, true);
    let mut wrong = Vec::new();
    let exhaustive = EXHAUSTIVE.iter().map(|name| (*name, EXECUTIONS_MAX));
    let sampling = SAMPLING.iter().map(|name| (*name, EXECUTIONS));
    for (strategy, executions) in exhaustive.chain(sampling) {
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
    let options = options(strategy, executions);
    let explored = explore(command, &options, &mut |_| true).map_err(|error| error.to_string())?;
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
        let result = replay(command, &options, way, trace, shared, None);
        let (again, _) = result.map_err(|error| format!("{about}: {error}"))?;
        if kind(&again.outcome) != word || again.trace.hash() != trace.hash() {
            return Err(format!("{about} ends as {:?}", again.outcome));
        }
    }
    Ok(())
}

/// Nothing is found, and exhaustive techniques get through everything.
fn pass(command: &Command, strategy: &str, executions: u64) -> Result<(), String> {
    let options = options(strategy, executions);
    let explored = explore(command, &options, &mut |_| true).map_err(|error| error.to_string())?;
    let found = &explored.exploration;
    if let Some(failure) = found.first_failure.as_ref().or(found.diverged.as_ref()) {
        let at = failure.execution;
        return Err(format!("execution {at}: {:?}", failure.outcome));
    }
    match EXHAUSTIVE.contains(&strategy) && !found.complete {
        true => Err(format!("not complete in {} executions", found.executions)),
        false => Ok(()),
    }
}
