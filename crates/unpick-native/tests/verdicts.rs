//! Every program of the table: the bug is found, is of a kind that the table allows, and comes back
//! in every way of running; nothing is found in the fixed twin. Needs a C and a C++ compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Line, Place, WAYS, each, is_full, kind, options, table};
use unpick_native::drive::{Command, explore, replay};

const STRATEGIES: [&str; 2] = ["random", "pct"];

/// Executions in which a bug must be found.
const FOUND_WITHIN: u64 = 5_000;

/// Executions of a fixed twin, by each strategy.
fn fixed_executions() -> u64 {
    if is_full() { 20_000 } else { 300 }
}

#[test]
fn every_program_gets_the_right_verdict() {
    let lines = table();
    assert!(
        lines.len() >= 26,
        "the table has only {} programs",
        lines.len()
    );
    let place = Place::new("verdicts");
    let wrong = each(&lines, |line| judge(&place, line));
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn judge(place: &Place, line: &Line) -> Vec<String> {
    let buggy = place.build(&line.path, false);
    let fixed = place.build(&line.path, true);
    let mut wrong = Vec::new();
    let mut missed = Vec::new();
    for strategy in STRATEGIES {
        let about = format!("{} with {strategy}", line.path);
        match find(&buggy, line, strategy) {
            Ok(true) => {}
            Ok(false) => missed.push(strategy),
            Err(what) => wrong.push(format!("{about}: {what}")),
        }
        match explore(&fixed, &options(strategy, fixed_executions()), &mut |_| {
            true
        }) {
            Err(error) => wrong.push(format!("{about}, fixed: {error}")),
            Ok(explored) => {
                let found = &explored.exploration;
                if let Some(failure) = found.first_failure.as_ref().or(found.diverged.as_ref()) {
                    let at = failure.execution;
                    let outcome = &failure.outcome;
                    wrong.push(format!("{about}, fixed: execution {at}: {outcome:?}"));
                }
                if found.executions != fixed_executions() {
                    wrong.push(format!("{about}, fixed: {} executions", found.executions));
                }
            }
        }
    }
    // A strategy may need more executions for a bug than there are here, but not all of them.
    if missed.len() == STRATEGIES.len() {
        wrong.push(format!("{}: nothing is found", line.path));
    }
    wrong
}

/// Whether a bug is found, which must be the right one, and the same in every way of running.
fn find(command: &Command, line: &Line, strategy: &str) -> Result<bool, String> {
    let options = options(strategy, FOUND_WITHIN);
    let explored = explore(command, &options, &mut |_| true).map_err(|error| error.to_string())?;
    let Some(failure) = explored.exploration.first_failure else {
        return Ok(false);
    };
    let word = kind(&failure.outcome);
    if !line.kinds.iter().any(|allowed| allowed == word) {
        return Err(format!(
            "{word} at execution {}, not {}: {:?}",
            failure.execution,
            line.kinds.join(" or "),
            failure.outcome
        ));
    }
    for way in WAYS {
        let about = format!("replay in {} by {}", way.0.word(), way.1.word());
        let result = replay(
            command,
            &options,
            way,
            &failure.trace,
            &explored.shared,
            None,
        );
        let (again, _) = result.map_err(|error| format!("{about}: {error}"))?;
        if kind(&again.outcome) != word || again.trace.hash() != failure.trace.hash() {
            return Err(format!("{about} ends as {:?}", again.outcome));
        }
    }
    Ok(true)
}
