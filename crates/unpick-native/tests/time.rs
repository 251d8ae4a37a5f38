//! Virtual time: a time limit strikes ahead of what others do if it is short, and when no task can go on if
//! it is long, whatever call it belongs to. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Line, Place, WAYS, each, kind, options, table_of};
use unpick_native::drive::{Command, Options, explore, replay};

/// Techniques that go on past a sleep, and so find what there is in programs as small as these.
const SAMPLING: &[&str] = &["portfolio", "random"];

/// Techniques that leave a task that sleeps to others, and find nothing where there is nothing, either.
const SEARCHES: &[&str] = &[
    "dfs",
    "hbr-cache",
    "dpor",
    "odpor",
    "mcr",
    "pct",
    "pos",
    "round-robin",
];

const EXECUTIONS: u64 = 300;

#[test]
fn short_limits_strike_and_long_ones_wait() {
    let lines = table_of("time/table.txt");
    assert!(lines.len() >= 8, "only {} programs", lines.len());
    let place = Place::new("time");
    let wrong = each(&lines, |line| judge(&place, line));
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} wrong:\n{}", wrong.join("\n"));
}

fn judge(place: &Place, line: &Line) -> Vec<String> {
    let short = place.build(&line.path, false);
    let long = place.build(&line.path, true);
    let delayed = |strategy: &str, max_delay_ns| {
        let mut options = options(strategy, EXECUTIONS);
        options.settings.max_delay_ns = max_delay_ns;
        options
    };
    let mut wrong = Vec::new();
    let mut check = |about: String, result: Result<(), String>| {
        if let Err(what) = result {
            wrong.push(format!("{} {about}: {what}", line.path));
        }
    };
    for strategy in SAMPLING {
        check(
            format!("with {strategy}"),
            find(&short, line, &options(strategy, EXECUTIONS)),
        );
    }
    // Without a limit, the long ones are as good as the short ones; with strict time it is the other way round.
    check(
        "with no limit".into(),
        find(&long, line, &delayed("random", None)),
    );
    check(
        "in strict time".into(),
        pass(&short, &delayed("random", Some(0))),
    );
    for strategy in SAMPLING.iter().chain(SEARCHES) {
        let result = pass(&long, &options(strategy, EXECUTIONS));
        check(format!("with {strategy}, fixed"), result);
    }
    wrong
}

/// The bug is found, and comes back in every way of running.
fn find(command: &Command, line: &Line, options: &Options) -> Result<(), String> {
    let explored = explore(command, options, &mut |_| true).map_err(|error| error.to_string())?;
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
        let result = replay(command, options, way, trace, shared, None);
        let (again, _) = result.map_err(|error| format!("{about}: {error}"))?;
        if kind(&again.outcome) != word || again.trace.hash() != trace.hash() {
            return Err(format!("{about} ends as {:?}", again.outcome));
        }
    }
    Ok(())
}

/// Nothing is found.
fn pass(command: &Command, options: &Options) -> Result<(), String> {
    let explored = explore(command, options, &mut |_| true).map_err(|error| error.to_string())?;
    let found = &explored.exploration;
    match found.first_failure.as_ref().or(found.diverged.as_ref()) {
        Some(failure) => Err(format!(
            "execution {}: {:?}",
            failure.execution, failure.outcome
        )),
        None => Ok(()),
    }
}
