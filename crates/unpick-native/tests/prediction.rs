//! What one execution of each program of the table foretells, in which every task goes as far as it gets: the bug,
//! if that execution does not show it, and nothing in the fixed twin. Needs a C and a C++ compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Line, Place, WAYS, each, is_full, kind, options, table};
use unpick_engine::Settings;
use unpick_native::drive::{
    Command, Foreseen, Options, PredictError, Recorded, explore, first_execution, predict, replay,
};
use unpick_protocol::Points;
use unpick_trace::{Outcome, Trace};

/// Bugs that one execution does not foretell: it takes a second change that only shows behind the first one, or
/// several notifications that are given to others than in the execution at hand.
const MISSED: [&str; 9] = [
    "c/aba_stack.c",
    "c/check_before_store.c",
    "c/foreign_lock.c",
    "c/if_not_while.c",
    "c/signal_not_broadcast.c",
    "c/spinlock_leak.c",
    "c/work_stealing.c",
    "cpp/notify_one.cc",
    "io/c11_threads.c",
];

/// One execution, task by task, and nothing that goes beyond it.
fn one_execution(points: Points) -> Options {
    let given = options("round-robin:quantum=0", 1);
    Options {
        confirm: 0,
        points,
        races: points == Points::Sync,
        // As on the command line.
        settings: Settings {
            spurious_wakes_max: 0,
            weak_failures_max: 0,
            ..given.settings
        },
        ..given
    }
}

fn recorded<'a>(trace: &'a Trace, shared: &'a [u64]) -> Recorded<'a> {
    Recorded {
        trace,
        shared,
        window: 500,
    }
}

/// What the first execution foretells; nothing if it fails itself.
fn foreseen(command: &Command, options: &Options) -> Result<Option<Foreseen>, String> {
    let explored = explore(command, options, &mut |_| true).map_err(|error| error.to_string())?;
    if explored.exploration.failures > 0 {
        return Ok(None);
    }
    let first = first_execution(command, options, &explored);
    let (first, _) = first.map_err(|error| error.to_string())?;
    assert_eq!(first.outcome, Outcome::Pass);
    let recorded = recorded(&first.trace, &explored.shared);
    let found = predict(command, options, recorded, &mut || true);
    found.map(Some).map_err(|error| error.to_string())
}

#[test]
fn one_execution_foretells_the_bug_and_nothing_else() {
    let mut lines = table();
    if !is_full() {
        lines = lines.into_iter().step_by(6).collect();
    }
    let place = Place::new("prediction");
    let wrong = each(&lines, |line| judge(&place, line));
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn judge(place: &Place, line: &Line) -> Vec<String> {
    let options = one_execution(Points::Sync);
    let mut wrong = Vec::new();
    let fixed = place.build(&line.path, true);
    match foreseen(&fixed, &options) {
        Ok(Some(found)) if found.failing.is_empty() => {
            if !found.predicted.is_complete() {
                wrong.push(format!("{}, fixed: {:?}", line.path, found.predicted));
            }
        }
        Ok(Some(found)) => wrong.push(format!(
            "{}, fixed: {:?}",
            line.path, found.failing[0].exploration.first_failure
        )),
        Ok(None) => wrong.push(format!("{}, fixed: the first execution fails", line.path)),
        Err(error) => wrong.push(format!("{}, fixed: {error}", line.path)),
    }
    let buggy = place.build(&line.path, false);
    let found = match foreseen(&buggy, &options) {
        Ok(Some(found)) => found,
        Ok(None) => return wrong,
        Err(error) => return vec![format!("{}: {error}", line.path)],
    };
    if MISSED.contains(&line.path.as_str()) != found.failing.is_empty() {
        let count = found.failing.len();
        wrong.push(format!("{}: {count} foretold", line.path));
    }
    wrong.extend(comes_back(&buggy, line, &found));
    wrong
}

/// Whether what was foretold is of the right kind, and comes back in every way of running.
fn comes_back(command: &Command, line: &Line, found: &Foreseen) -> Vec<String> {
    let mut wrong = Vec::new();
    for explored in &found.failing {
        let Some(failure) = &explored.exploration.first_failure else {
            wrong.push(format!("{}: a failure that is none", line.path));
            continue;
        };
        let word = kind(&failure.outcome);
        if !line.kinds.iter().any(|allowed| allowed == word) {
            wrong.push(format!("{}: {:?}", line.path, failure.outcome));
        }
        for way in WAYS {
            let (trace, shared) = (&failure.trace, &explored.shared);
            match replay(command, &found.options, way, trace, shared, None) {
                Ok((again, _)) if again.trace.hash() == trace.hash() => {
                    assert_eq!(kind(&again.outcome), word, "{}", line.path);
                }
                Ok((again, _)) => wrong.push(format!("{}: {:?}", line.path, again.outcome)),
                Err(error) => wrong.push(format!("{}: {error}", line.path)),
            }
        }
    }
    wrong
}

#[test]
fn a_lost_update_is_foretold_where_races_are_no_failures() {
    let place = Place::new("prediction-points");
    let options = one_execution(Points::Shared);
    for (is_fixed, count) in [(false, 1), (true, 0)] {
        let command = place.build("c/racy_counter.c", is_fixed);
        let found = foreseen(&command, &options).unwrap().unwrap();
        assert_eq!(found.failing.len(), count, "{:?}", found.predicted);
        assert_eq!(found.options.points, Points::Shared);
    }
}

#[test]
fn a_trace_of_another_program_is_told_apart() {
    let place = Place::new("prediction-other");
    let options = one_execution(Points::Sync);
    let one = place.build("c/ab_ba.c", false);
    let other = place.build("c/lost_wakeup.c", false);
    let explored = explore(&one, &options, &mut |_| true).unwrap();
    let (first, _) = first_execution(&one, &options, &explored).unwrap();
    let found = predict(&other, &options, recorded(&first.trace, &[]), &mut || true);
    assert!(matches!(found, Err(PredictError::Diverged(_))));
}

#[test]
fn what_was_not_asked_is_told() {
    let place = Place::new("prediction-time");
    let options = one_execution(Points::Sync);
    let command = place.build("c/ab_ba.c", false);
    let explored = explore(&command, &options, &mut |_| true).unwrap();
    let (first, _) = first_execution(&command, &options, &explored).unwrap();
    let recorded = recorded(&first.trace, &[]);
    let found = predict(&command, &options, recorded, &mut || false).unwrap();
    assert!(found.failing.is_empty());
    assert!(!found.predicted.is_complete());
    assert!(found.predicted.unasked > 0);
}
