//! Memory models for native programs: what they reach is what an enumeration on store buffers reaches, and
//! what the library front end reaches with the same number of executions. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, Mutex};

use support::{Place, WAYS, is_full, options};
use unpick_engine::Memory;
use unpick_native::drive::{Command, Options, explore};
use unpick_protocol::Points;
use unpick_suite::litmus::{CLASSICS, Instruction, Litmus, Outcome, random, random_orders};

const EXECUTIONS_MAX: u64 = 2_000_000;

/// Litmus tests with a hundred thousand schedules and more where stores wait.
const LONG: [&str; 4] = ["IRIW", "Peterson", "Dekker", "Lamport"];

/// The litmus test as the program reads it.
fn text(instructions: &[Instruction]) -> String {
    let word = |instruction: &Instruction| match *instruction {
        Instruction::Write(x, value) => format!("w{x}{value}0"),
        Instruction::Release(x, value) => format!("e{x}{value}0"),
        Instruction::WriteSeqCst(x, value) => format!("s{x}{value}0"),
        Instruction::Read(x) => format!("r{x}00"),
        Instruction::Add(x, value) => format!("a{x}{value}0"),
        Instruction::Exchange(x, old, new) => format!("x{x}{old}{new}"),
        Instruction::Fence => "f000".into(),
        Instruction::FenceRelease => "f100".into(),
        Instruction::FenceAcquire => "f200".into(),
        Instruction::FenceAcqRel => "f300".into(),
        Instruction::SkipUnless(value, count) => format!("u0{value}{count}"),
        Instruction::Lock(mutex) => format!("l{mutex}00"),
        Instruction::Unlock(mutex) => format!("v{mutex}00"),
        Instruction::PanicIf(value) => format!("p0{value}0"),
    };
    instructions.iter().map(word).collect()
}

/// An outcome as the program writes it.
fn line(outcome: &Outcome) -> String {
    let words = outcome.iter().map(|values| {
        let digits = values.iter().map(u32::to_string);
        digits.collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The outcomes that there are, without those that end in the middle.
fn allowed(litmus: &Litmus, model: Memory) -> BTreeSet<String> {
    let mut outcomes = litmus.outcomes(model);
    outcomes.retain(|outcome| outcome.len() > litmus.tasks.len());
    let lines = outcomes.iter().map(|outcome| {
        let mut outcome = outcome.clone();
        if let Some(variables) = outcome.last_mut() {
            variables.resize(3, 0);
        }
        line(&outcome)
    });
    lines.collect()
}

/// The outcomes that a native exploration reaches, and its executions.
fn reached(command: &Command, litmus: &Litmus, options: &Options) -> (BTreeSet<String>, u64) {
    let file = command.program.with_extension("outcomes");
    let _ = fs::remove_file(&file);
    let mut command = command.clone();
    command.arguments = vec![file.clone().into()];
    let tasks = litmus.tasks.iter().map(|task| text(task).into());
    command.arguments.extend(tasks);
    let found = explore(&command, options, &mut |_| true)
        .unwrap()
        .exploration;
    let kind = found.first_failure.map(|failure| failure.outcome);
    assert!(found.complete, "{kind:?} {litmus}");
    // There is none if every execution fails.
    let lines = fs::read_to_string(&file).unwrap_or_default();
    let lines = lines.lines().map(str::to_string).collect();
    (lines, found.executions)
}

/// The executions that the library front end needs for the same.
fn executions_of_library(litmus: &Litmus, model: Memory, strategy: &str) -> u64 {
    let found = Arc::new(Mutex::new(BTreeSet::new()));
    let body = {
        let (litmus, found) = (Arc::new(litmus.clone()), Arc::clone(&found));
        move || {
            let outcome = litmus.run();
            found.lock().unwrap().insert(line(&outcome));
        }
    };
    let config = unpick::Config::new()
        .strategy(strategy)
        .executions(EXECUTIONS_MAX)
        .keep_going(true)
        .memory(model);
    unpick::explore(config, body).executions
}

fn under(model: Memory, strategy: &str) -> Options {
    let mut options = options(strategy, EXECUTIONS_MAX);
    options.settings.memory = model;
    options
}

fn classics() -> impl Iterator<Item = (&'static str, Litmus)> {
    CLASSICS.iter().map(|classic| {
        let tasks = classic.tasks.iter().map(|task| task.to_vec());
        let litmus = Litmus {
            variables: classic.variables,
            tasks: tasks.collect(),
        };
        (classic.name, litmus)
    })
}

#[test]
fn litmus_tests_have_the_outcomes_that_the_models_allow() {
    let place = Place::new("litmus");
    let command = place.build("memory/litmus.c", false);
    for (name, litmus) in classics() {
        for model in Memory::ALL {
            let is_short = is_full() || model == Memory::Sc || !LONG.contains(&name);
            let strategy = if is_short { "dfs" } else { "odpor" };
            let (outcomes, executions) = reached(&command, &litmus, &under(model, strategy));
            let name = format!("{name} under {} by {strategy}", model.name());
            println!(
                "{name}: {} outcomes, {executions} executions",
                outcomes.len()
            );
            assert_eq!(outcomes, allowed(&litmus, model), "{name}");
            let of_library = executions_of_library(&litmus, model, strategy);
            assert_eq!(executions, of_library, "{name}");
        }
    }
}

/// Random programs that are looked at, for each model.
const PROGRAMS: u64 = 40;
const PROGRAMS_FULL: u64 = 300;

#[test]
fn random_programs_have_the_outcomes_that_the_models_allow() {
    let place = Place::new("random-litmus");
    let command = place.build("memory/litmus.c", false);
    for model in Memory::ALL {
        for seed in 0..if is_full() { PROGRAMS_FULL } else { PROGRAMS } {
            let litmus = random(seed, 3, 3);
            for strategy in ["dpor", "odpor"] {
                let options = under(model, strategy);
                let (outcomes, executions) = reached(&command, &litmus, &options);
                let name = format!(
                    "{strategy} under {}, program {seed}:\n{litmus}",
                    model.name()
                );
                assert_eq!(outcomes, allowed(&litmus, model), "{name}");
                let of_library = executions_of_library(&litmus, model, strategy);
                assert_eq!(executions, of_library, "{name}");
            }
        }
    }
}

/// Stores in every order and every kind of fence, and panics, which end an execution with stores in buffers.
#[test]
fn random_programs_with_all_orders_do_what_the_library_does() {
    let place = Place::new("ordered-litmus");
    let command = place.build("memory/litmus.c", false);
    let mut compared = 0;
    for model in Memory::ALL {
        for seed in 0..if is_full() { PROGRAMS_FULL } else { PROGRAMS } {
            let litmus = random_orders(seed, 2, 4);
            for strategy in ["dpor", "odpor"] {
                let mut options = under(model, strategy);
                options.limits.keep_going = true;
                let (outcomes, executions) = reached(&command, &litmus, &options);
                let name = format!(
                    "{strategy} under {}, program {seed}:\n{litmus}",
                    model.name()
                );
                assert_eq!(outcomes, allowed(&litmus, model), "{name}");
                // A native task fails by `abort`, which is an operation; a panic of the library is not.
                let mut instructions = litmus.tasks.iter().flatten();
                let can_fail = instructions.any(|one| matches!(one, Instruction::PanicIf(_)));
                if !can_fail {
                    let of_library = executions_of_library(&litmus, model, strategy);
                    assert_eq!(executions, of_library, "{name}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 0, "every program can fail");
}

/// Random programs that are looked at with techniques that plan between executions, for each model.
const PLANNED: u64 = 10;

/// What the reads of the tasks see, without what memory holds in the end, which nobody has read.
fn reads_of(outcomes: &BTreeSet<String>) -> BTreeSet<String> {
    let reads = outcomes.iter().filter_map(|line| line.rsplit_once(' '));
    reads.map(|(reads, _)| reads.to_string()).collect()
}

#[test]
fn techniques_that_plan_between_executions_show_every_state() {
    let place = Place::new("planned-litmus");
    let command = place.build("memory/litmus.c", false);
    let classics = classics().filter(|(name, _)| !LONG.contains(name));
    let classics = classics.map(|(name, litmus)| (name.to_string(), litmus));
    let count = if is_full() { PROGRAMS_FULL } else { PLANNED };
    let random = (0..count).map(|seed| (format!("program {seed}"), random(seed, 3, 3)));
    for (name, litmus) in classics.chain(random) {
        for model in Memory::ALL {
            for strategy in ["mcr", "se-mcr"] {
                let options = under(model, strategy);
                let (outcomes, _) = reached(&command, &litmus, &options);
                let (found, truth) = (reads_of(&outcomes), reads_of(&allowed(&litmus, model)));
                let model = model.name();
                assert_eq!(found, truth, "{strategy} under {model}, {name}:\n{litmus}");
            }
        }
    }
}

/// The program performs plain stores itself, after it has told of them.
#[test]
fn plain_stores_wait_as_atomic_ones_do() {
    let place = Place::new("plain-litmus");
    let command = place.build_with("memory/litmus.c", &["-DPLAIN"]);
    let plain = [
        "SB",
        "SB+fences",
        "MP",
        "LB",
        "2+2W",
        "S",
        "R",
        "SB+rfi",
        "CoRR",
        "CoWW",
    ];
    for (name, litmus) in classics().filter(|(name, _)| plain.contains(name)) {
        for model in Memory::ALL {
            let mut options = under(model, "dfs");
            options.races = false;
            options.points = Points::Shared;
            let (outcomes, _) = reached(&command, &litmus, &options);
            assert_eq!(
                outcomes,
                allowed(&litmus, model),
                "{name} under {}",
                model.name()
            );
        }
    }
}

#[test]
fn every_way_of_running_takes_the_same_decisions() {
    let place = Place::new("weak-ways");
    let command = place.build("memory/peterson.c", false);
    for model in [Memory::Tso, Memory::Pso] {
        let ends = WAYS.map(|(backend, reexecution)| {
            let mut options = under(model, "random");
            options.limits.executions_max = 60;
            options.limits.keep_going = true;
            options.backend = Some(backend);
            options.reexecution = Some(reexecution);
            let found = explore(&command, &options, &mut |_| true)
                .unwrap()
                .exploration;
            (found.failures, found.steps_total, found.hash)
        });
        assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
        assert!(ends[0].0 > 0, "none of 60 executions fails");
    }
}

#[test]
fn peterson_needs_its_fence_where_stores_wait() {
    let place = Place::new("peterson");
    for is_fixed in [false, true] {
        let command = place.build("memory/peterson.c", is_fixed);
        for model in Memory::ALL {
            let found = explore(&command, &under(model, "odpor"), &mut |_| true).unwrap();
            let found = found.exploration;
            let fails = !is_fixed && model != Memory::Sc;
            assert_eq!(
                found.failures > 0,
                fails,
                "fixed: {is_fixed}, {}",
                model.name()
            );
            assert!(fails || found.complete);
            if let Some(failure) = found.first_failure {
                assert_eq!(support::kind(&failure.outcome), "assert");
            }
        }
    }
}

/// What a program may rely on, however long its stores wait.
#[test]
fn nothing_is_broken_by_stores_that_wait() {
    let place = Place::new("corners");
    let mut command = place.build("memory/corners.c", false);
    for what in [
        "foreign",
        "once",
        "wake",
        "unmap",
        "frame",
        "futex",
        "mixed",
        "published",
        "tryjoin",
        "signal",
    ] {
        command.arguments = vec![what.into()];
        for model in Memory::ALL {
            let mut options = under(model, "random");
            options.limits.executions_max = 300;
            if what == "mixed" {
                (options.races, options.points) = (false, Points::All);
            }
            let hashes = [0, 1, 2].map(|way| {
                (options.backend, options.reexecution) = (Some(WAYS[way].0), Some(WAYS[way].1));
                let found = explore(&command, &options, &mut |_| true).unwrap();
                let found = found.exploration;
                let failure = found.first_failure.map(|failure| failure.outcome);
                let name = model.name();
                assert_eq!(failure, None, "{what} under {name}, {:?}", WAYS[way]);
                found.hash
            });
            assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{what}");
        }
    }
}
