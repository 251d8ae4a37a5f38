//! `cargo xtask soundness`: techniques against depth-first search, on random programs, and the
//! engine's pass for data races against the definition.
//!
//! Programs are numbered, so that a breach can be looked at again with `--seed` and `--flavour`.
//! The first program that breaks each promise of each technique is made small and printed.

use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use unpick_suite::generated::{
    Flavour, Program, generate, shrink as shrink_while, strew_cells, strew_orders,
};
use unpick_suite::judge::{PROMISES, Promise, Tally, compare_races, judge, shrink};

/// Time between two lines about the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// Executions of each program in which data races are looked for, at most.
const RACE_EXECUTIONS_MAX: u64 = 100;

/// What to judge.
pub(crate) struct Effort {
    pub(crate) programs: u64,
    pub(crate) seed: u64,
    pub(crate) flavour: Option<String>,
    pub(crate) technique: String,
    pub(crate) schedules_max: u64,
}

/// Judges and prints; says whether every promise was kept.
pub(crate) fn run(effort: &Effort) -> Result<bool> {
    let flavours = flavours(effort.flavour.as_deref())?;
    let promises = promises(&effort.technique);
    let start = Instant::now();
    let mut reported_at = start;
    let mut tally = Tally::default();
    let mut shown = HashSet::new();
    let mut races = Races::default();
    for number in 0..effort.programs {
        let flavour = flavours[number as usize % flavours.len()];
        let seed = effort.seed + number / flavours.len() as u64;
        let program = generate(seed, flavour);
        let verdict = judge(&program, &promises, effort.schedules_max);
        tally.add(flavour, verdict.as_ref());
        for breach in verdict.into_iter().flat_map(|verdict| verdict.breaches) {
            if !shown.insert((breach.technique, breach.rule)) {
                continue;
            }
            let smallest = shrink(&program, &promises, &breach, effort.schedules_max);
            println!("breach in program {seed} of {}: {breach}", flavour.name());
            println!("the smallest program found:\n{smallest}");
            let verdict = judge(&smallest, &promises, effort.schedules_max);
            for breach in verdict.into_iter().flat_map(|verdict| verdict.breaches) {
                println!("  {breach}");
            }
            println!();
        }
        races.compare(seed, flavour);
        if reported_at.elapsed() >= PROGRESS_INTERVAL {
            reported_at = Instant::now();
            let breaches = tally.breaches();
            eprintln!("{} programs, {breaches} breaches", number + 1);
        }
    }
    let time = start.elapsed().as_secs_f64();
    let rate = tally.judged() as f64 / time;
    println!("{tally}");
    println!(
        "{} programs in {time:.1} s, {rate:.0} a second",
        tally.judged()
    );
    println!("{races}");
    Ok(tally.breaches() == 0 && races.breaches == 0)
}

/// What was found out about data races.
#[derive(Default)]
struct Races {
    executions: u64,
    racing: u64,
    breaches: u64,
}

impl Races {
    /// Looks for races in a program into which accesses of cells are strewn, and into every other one
    /// memory orders.
    fn compare(&mut self, seed: u64, flavour: Flavour) {
        let mut program = generate(seed, flavour);
        if seed % 2 == 1 {
            program = strew_orders(&program, seed);
        }
        let program = strew_cells(&program, seed);
        let compare = |program: &Program| compare_races(program, "random", RACE_EXECUTIONS_MAX);
        match compare(&program) {
            Ok((executions, racing)) => {
                self.executions += executions;
                self.racing += racing;
            }
            Err(text) => {
                self.breaches += 1;
                println!("races of program {seed} of {}: {text}", flavour.name());
                let smallest = shrink_while(&program, |candidate| compare(candidate).is_err());
                println!("the smallest program found:\n{smallest}\n");
            }
        }
    }
}

impl fmt::Display for Races {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "data races: {} executions, {} with a race, {} programs judged differently",
            self.executions, self.racing, self.breaches
        )
    }
}

fn flavours(name: Option<&str>) -> Result<Vec<Flavour>> {
    let Some(name) = name else {
        return Ok(Flavour::ALL.to_vec());
    };
    let flavour = Flavour::find(name).with_context(|| {
        let names: Vec<_> = Flavour::ALL.iter().map(|one| one.name()).collect();
        format!("`{name}` is no flavour; choose one of {}", names.join(", "))
    })?;
    Ok(vec![flavour])
}

/// The promises to judge, having said which cannot be.
fn promises(technique: &str) -> Vec<Promise> {
    let mut promises = Vec::new();
    for promise in PROMISES {
        let mut wanted = technique.split(',');
        if !wanted.any(|start| promise.technique.starts_with(start)) {
            continue;
        }
        match promise.missing() {
            None => promises.push(*promise),
            Some(reason) => println!("left out: {}: {reason}", promise.technique),
        }
    }
    promises
}
