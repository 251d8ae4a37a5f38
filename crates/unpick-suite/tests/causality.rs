//! Maximal causality reduction: in its complete form it meets every state that an enumeration on store buffers
//! meets, also with locks; how many the published form loses is counted.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use unpick::{Config, Memory};
use unpick_suite::litmus::{Litmus, Outcome, random, random_sections};

/// What the reads of each task return, in executions that come to an end, and whether one does not.
type States = (BTreeSet<Outcome>, bool);

/// What a technique has come to.
#[derive(Default)]
struct Total {
    executions: u64,
    states: u64,
    losses: u64,
    first_loss: Option<u64>,
}

fn reached(litmus: &Litmus, model: Memory, technique: &str) -> (States, u64) {
    let found = Arc::new(Mutex::new(BTreeSet::new()));
    let body = {
        let (litmus, found) = (Arc::new(litmus.clone()), Arc::clone(&found));
        move || {
            let outcome = litmus.run_tasks();
            found.lock().unwrap().insert(outcome);
        }
    };
    let config = Config::new()
        .strategy(technique)
        .executions(200_000)
        .keep_going(true)
        .confirm(0)
        .memory(model);
    let exploration = unpick::explore(config, body);
    assert!(exploration.complete, "{technique} on {litmus}");
    assert!(
        exploration.warnings.is_empty() || technique.contains("literal"),
        "{technique}: {:?}",
        exploration.warnings
    );
    let found = found.lock().unwrap().clone();
    ((found, exploration.failures > 0), exploration.executions)
}

fn truth(litmus: &Litmus, model: Memory) -> States {
    let all = litmus.outcomes(model);
    let count = litmus.tasks.len();
    let deadlocks = all.iter().any(|outcome| outcome.len() == count);
    let ends = all.into_iter().filter(|outcome| outcome.len() > count);
    (
        ends.map(|mut outcome| {
            outcome.pop();
            outcome
        })
        .collect(),
        deadlocks,
    )
}

const TECHNIQUES: [&str; 4] = ["mcr", "se-mcr", "mcr:mode=literal", "se-mcr:mode=literal"];

fn judge(model: Memory, name: &str, seeds: std::ops::Range<u64>, make: &dyn Fn(u64) -> Litmus) {
    let mut totals: [Total; 4] = Default::default();
    for seed in seeds.clone() {
        let litmus = make(seed);
        let truth = truth(&litmus, model);
        for (total, technique) in totals.iter_mut().zip(TECHNIQUES) {
            let (found, executions) = reached(&litmus, model, technique);
            assert!(
                found.0.is_subset(&truth.0),
                "{technique}, program {seed}:\n{litmus}"
            );
            total.executions += executions;
            total.states += found.0.len() as u64;
            if found != truth {
                total.losses += 1;
                total.first_loss.get_or_insert(seed);
                if technique == "mcr" {
                    println!(
                        "{technique} loses {} of {}, deadlock {} {}, program {seed}:\n{litmus}",
                        truth.0.len() - found.0.len(),
                        truth.0.len(),
                        truth.1,
                        found.1
                    );
                }
            }
        }
    }
    for (total, technique) in totals.iter().zip(TECHNIQUES) {
        println!(
            "{name} under {}: {technique}: {} executions, {} states, losses in {} of {}, first {:?}",
            model.name(),
            total.executions,
            total.states,
            total.losses,
            seeds.end - seeds.start,
            total.first_loss
        );
    }
    let exact = totals
        .iter()
        .zip(TECHNIQUES)
        .filter(|(_, name)| !name.contains("literal"));
    for (total, technique) in exact {
        assert_eq!(total.losses, 0, "{technique} under {}", model.name());
    }
}

fn count() -> u64 {
    std::env::var("COUNT").map_or(300, |text| text.parse().unwrap())
}

#[test]
fn sc() {
    judge(Memory::Sc, "accesses", 0..count(), &|seed| {
        random(seed, 4, 4)
    });
}
#[test]
fn tso() {
    judge(Memory::Tso, "accesses", 0..count(), &|seed| {
        random(seed, 4, 4)
    });
}
#[test]
fn pso() {
    judge(Memory::Pso, "accesses", 0..count(), &|seed| {
        random(seed, 4, 4)
    });
}
#[test]
fn sections_sc() {
    judge(Memory::Sc, "sections", 0..count(), &|seed| {
        random_sections(seed, 3)
    });
}
#[test]
fn sections_pso() {
    judge(Memory::Pso, "sections", 0..count(), &|seed| {
        random_sections(seed, 3)
    });
}
