//! Failing schedules of the suite, shrunk: the same failure, with as few preemptions as iterative
//! preemption bounding needs. And explained: what is named is what the program has.

use std::sync::Arc;
use unpick::sync::atomic::{AtomicBool, Ordering::SeqCst};
use unpick::thread;
use unpick::trace::{Outcome, Plan, Trace};
use unpick::{
    Config, FirstFailure, explore, explore_visited, follow, replay, same_failure, understand,
};
use unpick_suite::generated::{Flavour, Log, generate, run};
use unpick_suite::{Selection, exact_programs, find, pattern_of};

/// Executions to find a failure.
const EXECUTIONS: u64 = 20_000;

/// Executions of preemption bounding, to compare with.
const COMPARED: u64 = 5_000;

/// What shrinking may take.
const SHRINKING_MAX: u64 = 2_000;

/// An execution has a hundred tasks, and a schedule takes as many milliseconds as others microseconds.
const LARGE: &[&str] = &["CS.twostage_100_bad"];

fn config(strategy: &str) -> Config {
    Config::new().strategy(strategy).executions(EXECUTIONS)
}

/// The fewest preemptions with which preemption bounding meets a failure.
fn fewest_by_ipb(selection: &Selection, failure: &FirstFailure) -> Option<usize> {
    let selection = selection.clone();
    let mut fewest: Option<usize> = None;
    let bounding = config("ipb:beyond=1")
        .executions(COMPARED)
        .keep_going(true)
        .confirm(0);
    explore_visited(&bounding, &move || selection.run(), &mut |execution| {
        let is_it = |outcome: &Outcome| same_failure(outcome, &failure.outcome);
        if execution.outcome().is_some_and(is_it) {
            let count = execution.trace().preemption_count();
            fewest = Some(fewest.map_or(count, |fewest| fewest.min(count)));
        }
    });
    fewest
}

#[test]
fn a_shrunk_failure_is_the_same_with_fewest_preemptions() {
    let mut failures = 0;
    let mut wrong = Vec::new();
    for program in exact_programs().filter(|program| program.fault.is_some()) {
        for strategy in ["random", "pct:d=3"] {
            if LARGE.contains(&program.name) {
                continue;
            }
            let selection = find(program.name).unwrap();
            let body = {
                let selection = selection.clone();
                move || selection.run()
            };
            let config = config(strategy);
            let Some(failure) = explore(config.clone(), body.clone()).first_failure else {
                continue;
            };
            failures += 1;
            let (least, known) = understand(&config, &body, &failure).unwrap();
            let mut complain = |what: String| {
                wrong.push(format!("{} by {strategy}: {what}", program.name));
            };
            if !same_failure(&least.outcome, &failure.outcome) {
                complain(format!("another failure: {:?}", least.outcome));
            }
            if known.shrinking > SHRINKING_MAX {
                complain(format!("{} executions", known.shrinking));
            }
            let again = replay(&config, &body, least.trace.clone()).first_failure;
            if again.is_none_or(|again| again.trace.hash() != least.trace.hash()) {
                complain("it does not come back".to_string());
            }
            let fewest = fewest_by_ipb(&selection, &failure);
            let count = least.trace.preemption_count();
            if fewest.is_some_and(|fewest| count > fewest) {
                complain(format!("{count} preemptions, and {fewest:?} by ipb"));
            }
            let (twice, _) = understand(&config, &body, &failure).unwrap();
            if twice.trace.hash() != least.trace.hash() {
                complain("differs from time to time".to_string());
            }
        }
    }
    assert!(failures >= 70, "only {failures} failures");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_plan_leads_through_the_execution_that_it_was_made_of() {
    let mut followed = 0;
    for flavour in Flavour::ALL {
        for seed in 0..25 {
            let program = Arc::new(generate(seed, *flavour));
            let body = move || run(&program, &Log::default());
            let config = config("random")
                .executions(8)
                .keep_going(true)
                .seed(seed)
                .confirm(0);
            let mut traces: Vec<Trace> = Vec::new();
            explore_visited(&config, &body, &mut |execution| {
                traces.push(execution.trace().detached());
            });
            for trace in traces {
                let plan = Plan::of(&trace);
                let ended = follow(&config, &body, &plan);
                let name = flavour.name();
                assert_eq!(
                    ended.trace.hash(),
                    trace.hash(),
                    "program {seed} of {name}: {plan:?}"
                );
                followed += 1;
            }
        }
    }
    assert!(followed > 2_000, "only {followed} executions");
}

/// Two tasks wait for a third in a loop that yields, and one that does nothing.
fn spinners() {
    let flag = Arc::new(AtomicBool::new(false));
    let yielding = Arc::clone(&flag);
    let restless = Arc::clone(&flag);
    let waiting = [
        thread::spawn(move || {
            while !yielding.load(SeqCst) {
                thread::yield_now();
            }
        }),
        thread::spawn(move || while !restless.load(SeqCst) {}),
    ];
    for _ in 0..4 {
        flag.load(SeqCst);
    }
    flag.store(true, SeqCst);
    for task in waiting {
        task.join().unwrap();
    }
}

#[test]
fn a_plan_leads_through_loops_that_wait() {
    let config = config("random").executions(200).keep_going(true);
    let mut traces: Vec<Trace> = Vec::new();
    explore_visited(&config, &spinners, &mut |execution| {
        traces.push(execution.trace().detached());
    });
    for trace in traces {
        let plan = Plan::of(&trace);
        let ended = follow(&config, &spinners, &plan);
        assert_eq!(ended.trace.hash(), trace.hash(), "{plan:?}");
    }
}

#[test]
fn most_failures_are_called_by_their_name() {
    let (mut explained, mut right) = (0, 0);
    let mut wrong = Vec::new();
    for program in exact_programs().filter(|program| program.fault.is_some()) {
        if LARGE.contains(&program.name) {
            continue;
        }
        let selection = find(program.name).unwrap();
        let body = move || selection.run();
        let config = config("pct:d=3");
        let Some(failure) = explore(config.clone(), body.clone()).first_failure else {
            continue;
        };
        let (_, known) = understand(&config, &body, &failure).unwrap();
        let explanation = known.explanation;
        let truth = pattern_of(program.name).expect("a kind for every fault");
        let name = explanation.pattern.map(|pattern| pattern.name());
        explained += 1;
        match explanation.pattern == Some(truth) {
            true => right += 1,
            false => wrong.push(format!(
                "{}: {name:?}, not {:?}",
                program.name,
                truth.name()
            )),
        }
        assert!(explanation.executions <= SHRINKING_MAX, "{}", program.name);
    }
    println!("{right} of {explained}; wrong:\n{}", wrong.join("\n"));
    assert!(explained >= 40, "only {explained} failures");
    assert!(right >= 35, "{right} of {explained}:\n{}", wrong.join("\n"));
}
