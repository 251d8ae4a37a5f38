//! Maximal causality reduction: in its complete form it shows every state that an enumeration on store buffers
//! shows, also with locks, with one execution each; how many the published form loses is counted.
//!
//! `UNPICK_PROGRAMS=3000 cargo test --release -p unpick-suite --test causality -- --nocapture` looks at more programs
//! and prints what it finds.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use unpick::{Config, Exploration, Memory};
use unpick_suite::find;
use unpick_suite::litmus::{Instruction, Litmus, Outcome, random, random_sections};

/// What the reads of each task return in executions that come to an end, and whether one does not.
type States = (BTreeSet<Outcome>, bool);

/// Programs of each kind that are looked at, unless asked for more.
const PROGRAMS: u64 = 75;

fn programs() -> u64 {
    let asked = std::env::var("UNPICK_PROGRAMS").ok();
    asked.map_or(PROGRAMS, |text| text.parse().expect("a number"))
}

fn config(model: Memory, technique: &str) -> Config {
    Config::new()
        .strategy(technique)
        .executions(1_000_000)
        .keep_going(true)
        .confirm(0)
        .memory(model)
}

fn reached(litmus: &Litmus, model: Memory, technique: &str) -> (States, Exploration) {
    let found = Arc::new(Mutex::new(BTreeSet::new()));
    let body = {
        let (litmus, found) = (Arc::new(litmus.clone()), Arc::clone(&found));
        move || {
            let outcome = litmus.run_tasks();
            found.lock().unwrap().insert(outcome);
        }
    };
    let exploration = unpick::explore(config(model, technique), body);
    assert!(exploration.complete, "{technique} on {litmus}");
    let found = found.lock().unwrap().clone();
    ((found, exploration.failures > 0), exploration)
}

fn truth(litmus: &Litmus, model: Memory) -> States {
    let all = litmus.outcomes(model);
    let count = litmus.tasks.len();
    let deadlocks = all.iter().any(|outcome| outcome.len() == count);
    let ended = all.into_iter().filter(|outcome| outcome.len() > count);
    let reads = ended.map(|outcome| outcome[..count].to_vec());
    (reads.collect(), deadlocks)
}

/// Holds the complete form to the truth.
fn judge(model: Memory, make: &dyn Fn(u64) -> Litmus) {
    let (mut states, mut executions) = (0, [0; 2]);
    for seed in 0..programs() {
        let litmus = make(seed);
        let truth = truth(&litmus, model);
        states += truth.0.len() as u64;
        for (at, technique) in ["mcr", "se-mcr"].into_iter().enumerate() {
            let (found, exploration) = reached(&litmus, model, technique);
            let name = format!(
                "{technique} under {}, program {seed}:\n{litmus}",
                model.name()
            );
            assert_eq!(found, truth, "{name}");
            assert_eq!(exploration.warnings, [], "{name}");
            executions[at] += exploration.executions;
            if technique == "se-mcr" && !truth.1 {
                let count = truth.0.len() as u64;
                assert_eq!(exploration.executions, count, "{name}");
            }
        }
    }
    println!(
        "{} programs under {}: {states} states; executions of mcr {}, of se-mcr {}",
        programs(),
        model.name(),
        executions[0],
        executions[1]
    );
}

#[test]
fn nothing_is_lost_under_sc() {
    judge(Memory::Sc, &|seed| random(seed, 4, 4));
}

#[test]
fn nothing_is_lost_under_tso() {
    judge(Memory::Tso, &|seed| random(seed, 4, 4));
}

#[test]
fn nothing_is_lost_under_pso() {
    judge(Memory::Pso, &|seed| random(seed, 4, 4));
}

#[test]
fn nothing_is_lost_in_critical_sections() {
    for model in Memory::ALL {
        judge(model, &|seed| random_sections(seed, 3));
    }
}

/// Counts the programs of which the published form loses states.
fn count_losses(model: Memory, what: &str, make: &dyn Fn(u64) -> Litmus) {
    // It takes longer than the complete form.
    let count = match programs() {
        PROGRAMS => PROGRAMS / 3,
        asked => asked,
    };
    for technique in ["mcr:mode=literal", "se-mcr:mode=literal"] {
        let mut losses = 0;
        for seed in 0..count {
            let litmus = make(seed);
            let (found, _) = reached(&litmus, model, technique);
            let truth = truth(&litmus, model);
            assert!(found.0.is_subset(&truth.0), "{technique} on {litmus}");
            losses += u64::from(found.0 != truth.0);
        }
        let name = model.name();
        println!("{technique} under {name} loses states of {losses} {what} of {count}");
        assert!(losses > 0, "{technique} under {name}");
    }
}

#[test]
fn the_published_form_loses_states() {
    for model in Memory::ALL {
        count_losses(model, "programs", &|seed| random(seed, 4, 4));
    }
}

#[test]
fn the_published_form_loses_states_in_critical_sections() {
    for model in Memory::ALL {
        count_losses(model, "programs with sections", &|seed| {
            random_sections(seed, 3)
        });
    }
}

#[test]
fn writers_of_one_value_are_one() {
    for count in 1..=10 {
        let mut tasks = vec![vec![Instruction::Write(0, 1)]; count];
        tasks.push(vec![Instruction::Read(0)]);
        let litmus = Litmus {
            variables: 1,
            tasks,
        };
        for technique in ["mcr", "se-mcr", "mcr:mode=literal", "se-mcr:mode=literal"] {
            let (_, found) = reached(&litmus, Memory::Sc, technique);
            assert_eq!(found.executions, 2, "{technique}, {count} writers");
        }
        if count <= 5 {
            let (_, found) = reached(&litmus, Memory::Sc, "odpor");
            let relations: u64 = (1..=count as u64 + 1).product();
            assert_eq!(found.executions, relations, "{count} writers");
        }
    }
}

/// What must not depend on the number of workers.
fn essence(found: Exploration) -> impl PartialEq + std::fmt::Debug {
    let failure = found
        .first_failure
        .map(|failure| (failure.rank, failure.trace.hash()));
    let counts = (
        found.executions,
        found.schedules,
        found.failures,
        found.complete,
    );
    (
        counts,
        found.hash,
        found.classes,
        found.planning,
        failure,
        found.warnings,
    )
}

#[test]
fn any_number_of_workers_finds_the_same() {
    let programs = [
        "huang.dekker",
        "huang.counter:max=2",
        "huang.fig3_9a:n=1",
        "philosophers:n=3",
        "CS.deadlock01_bad",
    ];
    for technique in ["mcr", "se-mcr", "mcr:mode=literal", "se-mcr:mode=literal"] {
        for (label, keep_going) in programs
            .into_iter()
            .flat_map(|one| [(one, true), (one, false)])
        {
            for executions in [7, 1_000] {
                let explore = |jobs| {
                    let selection = find(label).expect("it is in the suite");
                    let config = config(Memory::Pso, technique)
                        .executions(executions)
                        .keep_going(keep_going)
                        .classes(true)
                        .fingerprint(true)
                        .jobs(jobs);
                    essence(unpick::explore(config, move || selection.run()))
                };
                let alone = explore(1);
                for jobs in [2, 5] {
                    assert_eq!(
                        explore(jobs),
                        alone,
                        "{technique} on {label}, {jobs} workers"
                    );
                }
            }
        }
    }
}
