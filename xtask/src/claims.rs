//! `cargo xtask soundness --claims`: what techniques claim against brute force, on random programs and
//! under every memory model.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use unpick::Memory;
use unpick_suite::claims::{TECHNIQUES, generate, judge, run as explore};

/// States above which a program is passed over.
const STATES_MAX: usize = 20_000;

/// Time between two lines about the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(5);

/// Judges `programs` programs from number `seed` on under each memory model; says whether every claim is
/// true.
pub(crate) fn run(programs: u64, seed: u64, technique: &str) -> Result<bool> {
    let mut breaches = 0;
    for memory in Memory::ALL {
        breaches += judge_under(memory, programs, seed, technique);
    }
    Ok(breaches == 0)
}

fn judge_under(memory: Memory, programs: u64, seed: u64, technique: &str) -> u64 {
    let (mut judged, mut proofs, mut breaches) = (0, 0, 0);
    let mut hidden = BTreeMap::new();
    let mut reported_at = Instant::now();
    for seed in seed..seed + programs {
        let program = generate(seed);
        let Some(truth) = program.terminals(memory, STATES_MAX) else {
            continue;
        };
        judged += 1;
        let mut wanted = TECHNIQUES.iter().filter(|one| one.0.starts_with(technique));
        for &(technique, shows) in wanted.by_ref() {
            let result = explore(&program, technique, memory);
            let judged = judge(&program, (technique, shows), &truth, result);
            let claim = judged.found.claim();
            proofs += u64::from(claim.is_proof());
            let is_short = judged.counts.0 < judged.counts.1;
            for proviso in claim.provided.iter().filter(|_| is_short) {
                *hidden.entry(proviso.word()).or_insert(0_u64) += 1;
            }
            if let Some(breach) = judged.breach {
                breaches += 1;
                println!(
                    "program {seed} under {}: {breach}\n{program}\n",
                    memory.name()
                );
            }
        }
        if reported_at.elapsed() >= PROGRESS_INTERVAL {
            reported_at = Instant::now();
            eprintln!("{}: {judged} programs, {breaches} breaches", memory.name());
        }
    }
    println!(
        "{}: {judged} programs, {proofs} proofs, {breaches} breaches; states were missing behind {hidden:?}",
        memory.name()
    );
    breaches
}
