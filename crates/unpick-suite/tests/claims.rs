//! Claims against brute force: "complete" without a proviso means that everything was reached.

use std::collections::{BTreeMap, BTreeSet};
use unpick::{Exploration, Memory, Proviso, Provisos};
use unpick_suite::claims::{Program, Shows, Statement, TECHNIQUES, Terminal, generate, judge, run};

/// States of the machine above which a program is passed over.
const STATES_MAX: usize = 20_000;

/// Programs that are judged, for each memory model.
const PROGRAMS: usize = 3_000;

/// Programs with timers that every technique is judged on.
const TIMED_PROGRAMS: usize = 1_000;

fn programs(memory: Memory) -> impl Iterator<Item = (u64, Program, BTreeSet<Terminal>)> {
    let all = (0..).map(generate).zip(0..);
    all.filter_map(move |(program, seed)| {
        let truth = program.terminals(memory, STATES_MAX)?;
        Some((seed, program, truth))
    })
}

/// Judges every technique on many programs, and checks that the judge had something to do: claims
/// without a proviso, and provisos behind which states are missing.
fn judge_all(memory: Memory, programs_max: usize) {
    let mut proofs = BTreeMap::new();
    let mut hidden = BTreeMap::new();
    let mut timed = BTreeMap::new();
    for (number, (seed, program, truth)) in programs(memory).take(programs_max).enumerate() {
        // Each technique sees a share of the programs, and all see the first ones.
        let is_due = |place: usize| number < 200 || number % TECHNIQUES.len() == place;
        let due = TECHNIQUES.iter().enumerate();
        for (_, &(technique, shows)) in due.filter(|(place, _)| is_due(*place)) {
            let result = run(&program, technique, memory);
            let judged = judge(&program, (technique, shows), &truth, result);
            if let Some(breach) = judged.breach {
                panic!(
                    "program {seed} under {}: {breach}\n{program}",
                    memory.name()
                );
            }
            let claim = judged.found.claim();
            *proofs.entry(technique).or_insert(0) += u64::from(claim.is_proof());
            let is_timed = judged.is_held_to_all && claim.provided.contains(Proviso::Timeouts);
            *timed.entry(technique).or_insert(0) += u64::from(is_timed);
            for proviso in claim
                .provided
                .iter()
                .filter(|_| judged.counts.0 < judged.counts.1)
            {
                *hidden.entry(proviso).or_insert(0) += 1;
            }
        }
    }
    println!(
        "{}: proofs {proofs:?}, with timers that had to wait {timed:?}, provisos that hid something {hidden:?}",
        memory.name()
    );
    let is_lazy = |technique: &str| technique == "lazy-dpor";
    for (technique, count) in proofs {
        assert!(
            count > 10 || is_lazy(technique),
            "{technique}: {count} proofs"
        );
    }
    // Those that plan from traces claim nothing there, and those that need more executions than they get.
    let is_silent = |technique: &str| technique.contains("mcr") || is_lazy(technique);
    for (technique, count) in timed {
        assert!(
            count > 3 || is_silent(technique),
            "{technique}: {count} claims with timers"
        );
    }
    assert!(
        hidden.contains_key(&Proviso::ForcedSwitch) && hidden.contains_key(&Proviso::SpinCutShort)
    );
}

#[test]
fn claims_under_sc_are_true() {
    judge_all(Memory::Sc, PROGRAMS);
}

#[test]
fn claims_under_tso_are_true() {
    judge_all(Memory::Tso, PROGRAMS);
}

#[test]
fn claims_under_pso_are_true() {
    judge_all(Memory::Pso, PROGRAMS);
}

/// Programs whose failing executions leave stores in buffers: planning from such traces misses states, and says so.
#[test]
fn stores_that_a_failure_keeps_back_are_no_proof() {
    for seed in [2985, 6361, 6655, 7507, 7679, 29727] {
        let program = generate(seed);
        for memory in [Memory::Tso, Memory::Pso] {
            let truth = program.terminals(memory, STATES_MAX).expect("it is small");
            let planning = TECHNIQUES.iter().filter(|(name, _)| name.contains("mcr"));
            for &(technique, shows) in planning {
                let result = run(&program, technique, memory);
                let judged = judge(&program, (technique, shows), &truth, result);
                assert_eq!(judged.breach, None, "program {seed}\n{program}");
            }
        }
    }
}

/// All techniques on programs with timers that have to wait for the clock, which are few among all programs.
#[test]
fn claims_about_timers_are_true() {
    let timed = programs(Memory::Sc).filter(|(_, program, _)| program.has_long_timer());
    let mut held_to_all = 0;
    for (seed, program, truth) in timed.take(TIMED_PROGRAMS) {
        for &(technique, shows) in TECHNIQUES {
            let result = run(&program, technique, Memory::Sc);
            let judged = judge(&program, (technique, shows), &truth, result);
            if let Some(breach) = judged.breach {
                panic!("program {seed}: {breach}\n{program}");
            }
            held_to_all += usize::from(judged.is_held_to_all);
        }
    }
    let count = TIMED_PROGRAMS * TECHNIQUES.len();
    assert!(held_to_all > count / 4, "{held_to_all} claims of {count}");
}

/// A yield before a load, with which a search never sees the old value.
fn yielding() -> Program {
    let main = vec![Statement::Spawn(1), Statement::Yield, Statement::Load(0)];
    Program {
        tasks: vec![main, vec![Statement::Store(0, 1)]],
        parties: 2,
        ends_with_main: false,
    }
}

/// Two tasks that lock in opposite orders, and a third one that may have locked before or be stuck with them.
fn stuck_beside() -> Program {
    use Statement::{Add, Join, Load, Lock, Spawn, Unlock};
    let main = vec![
        Spawn(1),
        Spawn(2),
        Lock(0),
        Load(0),
        Unlock(0),
        Join(2),
        Join(1),
    ];
    let one = vec![Lock(1), Lock(0), Unlock(0), Load(0), Unlock(1)];
    let other = vec![Lock(0), Lock(1), Unlock(1), Add(1), Unlock(0)];
    Program {
        tasks: vec![main, one, other],
        parties: 2,
        ends_with_main: false,
    }
}

#[test]
fn every_deadlock_is_found_with_the_tasks_that_are_stuck_beside_it() {
    let program = stuck_beside();
    let truth = program.terminals(Memory::Sc, STATES_MAX);
    let truth = truth.expect("it is small");
    for &(technique, shows) in TECHNIQUES {
        let result = run(&program, technique, Memory::Sc);
        let judged = judge(&program, (technique, shows), &truth, result);
        assert_eq!(judged.breach, None);
        let is_exhausted = judged.found.claim().is_exhausted;
        assert!(is_exhausted || technique == "portfolio", "{technique}");
    }
}

type Found = (Exploration, BTreeSet<Terminal>);

/// What the judge says of a result that was changed before it saw it.
fn breach_of(program: &Program, break_it: impl Fn(&mut Found)) -> Option<String> {
    let truth = program
        .terminals(Memory::Sc, STATES_MAX)
        .expect("it is small");
    let mut result = run(program, "dfs", Memory::Sc);
    break_it(&mut result);
    judge(program, ("dfs", Shows::States), &truth, result).breach
}

#[test]
fn the_judge_notices_what_is_broken() {
    let program = yielding();
    assert_eq!(breach_of(&program, |_| {}), None);
    let unsaid = breach_of(&program, |(found, _)| found.provided = Provisos::NONE);
    assert!(unsaid.unwrap().contains("says \"complete\" and misses"));
    let wrong = breach_of(&program, |(found, _)| {
        found.provided.add(Proviso::SpinCutShort)
    });
    assert!(wrong.unwrap().contains("assumes without a cause"));
    let invented = breach_of(&program, |(_, reached)| {
        let mut one = reached.pop_first().unwrap();
        one.atomics[0] = 7;
        reached.insert(one);
    });
    assert!(
        invented
            .unwrap()
            .contains("reaches what the program cannot")
    );
    let ended = breach_of(&program, |(found, _)| found.complete = false);
    assert!(ended.unwrap().contains("does not come to its end"));
}
