//! Reductions that put parts of their work aside, for workers and shards: the states they reach are
//! all states, whoever runs which part.

use std::sync::Arc;
use unpick::{Config, Exploration, explore, merge};
use unpick_suite::generated::{Flavour, Log, Program, generate, run};
use unpick_suite::judge::{Coverage, Dependence, Promise, Relations, judge};

/// Programs of each flavour that are looked at.
const PROGRAMS: u64 = 60;

/// Programs of each flavour that the judge looks at, which takes it a while.
const PROGRAMS_JUDGED: u64 = 12;

/// Programs with more schedules than this are left out.
const SCHEDULES_MAX: u64 = 400;

/// Parts are put aside as often as possible, and now and then.
const REDUCTIONS: &[(&str, &str)] = &[
    ("dpor", "dpor:part=1"),
    ("dpor", "dpor:part=4"),
    ("odpor", "odpor:part=1"),
    ("odpor", "odpor:part=4"),
];

#[test]
fn the_judge_finds_that_parts_reach_every_relation() {
    let every = Relations::Every(Dependence::Regular);
    let promise =
        |(_, technique): &(_, &'static str)| Promise::new(technique, Coverage::EveryState, every);
    let promises: Vec<Promise> = REDUCTIONS.iter().map(promise).collect();
    let mut breaches = Vec::new();
    for flavour in Flavour::ALL {
        for seed in 0..PROGRAMS_JUDGED {
            let verdict = judge(&generate(seed, *flavour), &promises, SCHEDULES_MAX);
            for breach in verdict.into_iter().flat_map(|verdict| verdict.breaches) {
                let name = flavour.name();
                breaches.push(format!("program {seed} of {name}: {breach}"));
            }
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

fn config(strategy: &str) -> Config {
    Config::new()
        .strategy(strategy)
        .executions(100_000)
        .keep_going(true)
        .classes(true)
        .fingerprint(true)
        .spurious_wakes(0)
        .weak_failures(0)
}

fn found(config: &Config, program: &Arc<Program>) -> Exploration {
    let program = Arc::clone(program);
    explore(config.clone(), move || run(&program, &Log::default()))
}

fn states_of(found: &Exploration) -> impl PartialEq + std::fmt::Debug {
    found.classes.clone().map(|classes| classes.states)
}

/// What has to be equal however the work is shared out.
fn sums_of(found: &Exploration) -> (u64, u64, bool) {
    (found.schedules, found.failures, found.complete)
}

#[test]
fn workers_and_shards_reach_every_state() {
    let (mut programs, mut whole, mut sharded, mut executions) = (0, 0, 0, 0);
    for flavour in Flavour::ALL {
        for seed in 0..PROGRAMS {
            let program = Arc::new(generate(seed, *flavour));
            let all = found(&config("dfs").executions(SCHEDULES_MAX), &program);
            if !all.complete {
                continue;
            }
            programs += 1;
            for (reduction, strategy) in REDUCTIONS {
                let about = format!("{strategy}, program {seed} of {}", flavour.name());
                let config = config(strategy);
                let alone = found(&config, &program);
                assert_eq!(states_of(&alone), states_of(&all), "{about}");
                let undivided = found(&self::config(reduction), &program);
                assert_eq!(sums_of(&alone), sums_of(&undivided), "{about}");
                for jobs in [2, 3, 8] {
                    let shared = found(&config.clone().jobs(jobs), &program);
                    assert_eq!(shared, alone, "{jobs} workers: {about}");
                }
                for count in [2, 3] {
                    let shards: Vec<_> = (1..=count)
                        .map(|index| found(&config.clone().shard(index, count), &program))
                        .collect();
                    let together = merge(&config, &shards).unwrap();
                    let about = format!("{count} shards: {about}");
                    assert_eq!(states_of(&together), states_of(&all), "{about}");
                    assert!(together.complete, "{about}");
                    if *reduction == "odpor" {
                        whole += alone.schedules;
                        sharded += together.schedules;
                        executions += together.executions;
                    }
                }
            }
        }
    }
    println!("{whole} schedules by one, {sharded} by shards in {executions} executions");
    assert!(programs >= 400, "only {programs} programs");
    // An operation that turns out to change nothing makes a difference where it was expected to.
    let most = whole + whole / 100;
    assert!(
        (whole..=most).contains(&sharded),
        "{sharded} schedules, {whole} by one"
    );
}
