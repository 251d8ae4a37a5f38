//! `cargo xtask soundness --claims`: what techniques claim against brute force, on random programs and
//! under every memory model.
//!
//! Programs are numbered. Workers take the next number each, so that the result does not depend on how
//! many workers there are; only the order of the breaches does.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use unpick::Memory;
use unpick_suite::claims::{TECHNIQUES, generate, judge, run as explore};

/// States above which a program is passed over.
const STATES_MAX: usize = 20_000;

/// Time between two lines about the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// Judges `programs` programs from number `seed` on under each memory model; says whether every claim is
/// true.
pub(crate) fn run(programs: u64, seed: u64, technique: &str, jobs: usize) -> Result<bool> {
    let is_known = TECHNIQUES.iter().any(|one| one.0.starts_with(technique));
    ensure!(is_known, "no technique begins with `{technique}`");
    let mut breaches = 0;
    for memory in Memory::ALL {
        let tally = judge_under(memory, seed..seed + programs, technique, jobs);
        tally.print(memory);
        breaches += tally.breaches;
    }
    Ok(breaches == 0)
}

/// What was found out under one memory model.
#[derive(Default)]
struct Tally {
    judged: u64,
    ending_with_main: u64,
    breaches: u64,
    proofs: u64,
    /// Claims with each proviso behind which states were missing.
    hidden: BTreeMap<&'static str, u64>,
    /// The time that each technique took.
    times: BTreeMap<&'static str, Duration>,
}

impl Tally {
    fn print(&self, memory: Memory) {
        println!(
            "{}: {} programs, {} of which end with their first task; {} proofs, {} breaches",
            memory.name(),
            self.judged,
            self.ending_with_main,
            self.proofs,
            self.breaches,
        );
        println!("  states were missing behind {:?}", self.hidden);
        let times = self.times.iter();
        let times: Vec<_> = times
            .map(|(technique, time)| format!("{technique} {:.0}", time.as_secs_f64()))
            .collect();
        println!("  seconds: {}", times.join(", "));
    }
}

fn judge_under(memory: Memory, seeds: std::ops::Range<u64>, technique: &str, jobs: usize) -> Tally {
    let next = AtomicU64::new(seeds.start);
    let tally = Mutex::new(Tally::default());
    let reported_at = Mutex::new(Instant::now());
    let work = || loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= seeds.end {
            break;
        }
        judge_one(seed, memory, technique, &tally);
        let mut reported_at = reported_at.lock().unwrap_or_else(PoisonError::into_inner);
        if reported_at.elapsed() >= PROGRESS_INTERVAL {
            *reported_at = Instant::now();
            let tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            let (judged, breaches) = (tally.judged, tally.breaches);
            eprintln!("{}: {judged} programs, {breaches} breaches", memory.name());
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(work);
        }
    });
    tally.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn judge_one(seed: u64, memory: Memory, technique: &str, tally: &Mutex<Tally>) {
    let program = generate(seed);
    let Some(truth) = program.terminals(memory, STATES_MAX) else {
        return;
    };
    let wanted = TECHNIQUES.iter().filter(|one| one.0.starts_with(technique));
    for &(technique, shows) in wanted {
        let start = Instant::now();
        let result = explore(&program, technique, memory);
        let time = start.elapsed();
        let judged = judge(&program, (technique, shows), &truth, result);
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        *tally.times.entry(technique).or_default() += time;
        let claim = judged.found.claim();
        tally.proofs += u64::from(claim.is_proof());
        let is_short = judged.counts.0 < judged.counts.1;
        for proviso in claim.provided.iter().filter(|_| is_short) {
            *tally.hidden.entry(proviso.word()).or_insert(0) += 1;
        }
        if let Some(breach) = judged.breach {
            tally.breaches += 1;
            println!(
                "program {seed} under {}: {breach}\n{program}\n",
                memory.name()
            );
        }
    }
    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
    tally.judged += 1;
    tally.ending_with_main += u64::from(program.ends_with_main);
}
