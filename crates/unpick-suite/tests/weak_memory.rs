//! Memory models: what the techniques reach is what an enumeration on store buffers reaches.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use unpick::{Config, Exploration, Memory};
use unpick_suite::litmus::{CLASSICS, Litmus, Outcome, random};

/// Explores a program.
fn explore(litmus: &Litmus, model: Memory, technique: &str, executions_max: u64) -> Exploration {
    let litmus = Arc::new(litmus.clone());
    let config = config(model, technique, executions_max).classes(true);
    unpick::explore(config, move || drop(litmus.run()))
}

fn config(model: Memory, technique: &str, executions_max: u64) -> Config {
    Config::new()
        .strategy(technique)
        .executions(executions_max)
        .keep_going(true)
        .memory(model)
}

/// The outcomes that a technique reaches, without those of executions that deadlock; and the executions.
fn reached(litmus: &Litmus, model: Memory, technique: &str) -> (BTreeSet<Outcome>, u64) {
    let found = Arc::new(Mutex::new(BTreeSet::new()));
    let body = {
        let (litmus, found) = (Arc::new(litmus.clone()), Arc::clone(&found));
        move || {
            let outcome = litmus.run();
            found.lock().unwrap().insert(outcome);
        }
    };
    let exploration = unpick::explore(config(model, technique, 2_000_000), body);
    assert!(exploration.complete, "{technique} on {litmus}");
    if technique.ends_with("odpor") {
        let counts = (exploration.executions, exploration.schedules);
        assert_eq!(counts.0, counts.1, "{technique} cuts some, on {litmus}");
    }
    let found = found.lock().unwrap().clone();
    (found, exploration.executions)
}

/// The outcomes that there are, without those that end in the middle.
fn allowed(litmus: &Litmus, model: Memory) -> BTreeSet<Outcome> {
    let mut outcomes = litmus.outcomes(model);
    outcomes.retain(|outcome| outcome.len() > litmus.tasks.len());
    outcomes
}

#[test]
fn litmus_tests_have_the_outcomes_that_the_models_allow() {
    for classic in CLASSICS {
        let litmus = Litmus {
            variables: classic.variables,
            tasks: classic.tasks.iter().map(|task| task.to_vec()).collect(),
        };
        for (index, model) in Memory::ALL.into_iter().enumerate() {
            let name = format!("{} under {}", classic.name, model.name());
            let (outcomes, executions) = reached(&litmus, model, "dfs");
            println!(
                "{name}: {} outcomes, {executions} executions",
                outcomes.len()
            );
            assert_eq!(outcomes, allowed(&litmus, model), "{name}");
            assert_eq!(
                outcomes.len(),
                classic.counts[index],
                "{name}: {outcomes:?}"
            );
            let is_it = |outcome: &Outcome| {
                let mut pairs = classic.asked.iter().zip(outcome);
                pairs.all(|(asked, found)| *asked == found.as_slice())
            };
            let is_reached = outcomes.iter().any(is_it);
            assert_eq!(is_reached, classic.allowed.contains(&model), "{name}");
        }
    }
}

/// Random programs that are looked at, for each model.
const PROGRAMS: u64 = 60;

/// Schedules up to which the relations of a program are counted.
const SCHEDULES_MAX: u64 = 1_000;

/// The techniques that leave out schedules but promise every state.
const REDUCTIONS: [&str; 5] = ["hbr-cache", "lazy-hbr-cache", "dpor", "odpor", "lazy-odpor"];

#[test]
fn reductions_reach_every_outcome_under_every_model() {
    let mut executions = [0; REDUCTIONS.len()];
    for model in Memory::ALL {
        for seed in 0..PROGRAMS {
            let litmus = random(seed, 3, 3);
            let truth = allowed(&litmus, model);
            for (index, technique) in REDUCTIONS.iter().enumerate() {
                let (outcomes, count) = reached(&litmus, model, technique);
                let name = model.name();
                assert_eq!(
                    outcomes, truth,
                    "{technique} under {name}, program {seed}:\n{litmus}"
                );
                executions[index] += count;
            }
        }
    }
    println!("{REDUCTIONS:?}: {executions:?} executions");
}

#[test]
fn odpor_runs_one_execution_for_each_relation_under_every_model() {
    let mut compared = 0;
    for model in [Memory::Tso, Memory::Pso] {
        for seed in 1_000..1_000 + PROGRAMS {
            let litmus = random(seed, 2, 3);
            let all = explore(&litmus, model, "dfs", SCHEDULES_MAX);
            if !all.complete {
                continue;
            }
            let found = explore(&litmus, model, "odpor", SCHEDULES_MAX);
            let name = model.name();
            assert_eq!(
                (Some(found.executions), found.hbrs()),
                (all.hbrs(), all.hbrs()),
                "under {name}, program {seed}:\n{litmus}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 60, "only {compared} programs");
}
