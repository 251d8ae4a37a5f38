//! `cargo xtask bench ppct`: `ppct` on real threads beside `pct`, one task at a time.
//!
//! First wall time: threads that work for a while between operations, under `pct` in the controlled runtime and under
//! `ppct` on as many processors as there are. Then how often each finds the bugs of programs like those of NeedlePoint,
//! beside the bound 1 / (n k^(d-1)). Needs a C compiler and a machine with nothing else to do: times are wall times.

#[path = "../tests/support/programs.rs"]
mod support;

use std::time::{Duration, Instant};

use support::{Place, options};
use unpick_native::drive::{Command, explore};
use unpick_native::free::{End, ParallelPpct, Session, Setup};
use unpick_native::noise::NoiseOrder;
use unpick_native::protocol::{Backend, Reexecution};

const THREADS: u64 = 4;
/// Turns of work that take about a microsecond: a multiplication each.
const TURNS_PER_US: u64 = 1_000;
const OPERATIONS: u64 = 20_000;
const ROUNDS: u64 = 3;
/// Executions of a round, each with priorities of its own.
const DRAWS: u64 = 3;
const RATE_EXECUTIONS: u64 = 300;

fn main() {
    let place = Place::new("bench-ppct");
    println!(
        "{THREADS} threads of {OPERATIONS} operations, milliseconds an execution (best of {ROUNDS}):"
    );
    println!(
        "{:>8} {:>3} {:>12} {:>12} {:>8}",
        "work us", "d", "pct", "ppct", "ratio"
    );
    let command = place.build("free/parallel.c", false);
    let mut all_well = true;
    for (work, turns) in [
        ("0.1", TURNS_PER_US / 10),
        ("1", TURNS_PER_US),
        ("3", 3 * TURNS_PER_US),
    ] {
        for depth in 1..=4 {
            let command = Command {
                arguments: [THREADS, OPERATIONS, turns]
                    .map(|size| size.to_string().into())
                    .into(),
                ..command.clone()
            };
            let serial = serial(&command, depth);
            let parallel = parallel(&command, depth);
            let ratio = serial / parallel;
            let is_well = ratio > 1.0 || turns < TURNS_PER_US;
            all_well &= is_well;
            let word = if is_well { "" } else { "  SLOWER" };
            println!("{work:>8} {depth:>3} {serial:>12.1} {parallel:>12.1} {ratio:>8.2}{word}");
        }
    }
    println!("\nfailing executions in {RATE_EXECUTIONS}:");
    println!(
        "{:<20} {:>3} {:>8} {:>8} {:>10}",
        "program", "d", "pct", "ppct", "bound"
    );
    for (path, depth) in [
        ("free/ordered.c", 1),
        ("free/memcached.c", 2),
        ("free/nspr.c", 2),
    ] {
        let command = place.build(path, false);
        let controlled = controlled_failures(&command, depth);
        let (free, bound) = free_failures(&command, depth);
        // What so many executions show at least but once in three million times, if the bound holds.
        let spread = (bound * (1.0 - bound) * RATE_EXECUTIONS as f64).sqrt();
        let bound = bound * RATE_EXECUTIONS as f64;
        let is_well = free as f64 >= bound - 5.0 * spread;
        all_well &= is_well;
        let word = if is_well { "" } else { "  BELOW THE BOUND" };
        println!("{path:<20} {depth:>3} {controlled:>8} {free:>8} {bound:>10.1}{word}");
    }
    std::process::exit(i32::from(!all_well));
}

/// Milliseconds of an execution under `pct`, without the start of the process.
fn serial(command: &Command, depth: u32) -> f64 {
    let time = |executions| {
        let mut options = options(
            &format!("pct:d={depth},k={}", THREADS * OPERATIONS),
            executions,
        );
        options.settings.steps_max = u64::MAX;
        options.backend = Some(Backend::Fibers);
        options.reexecution = Some(Reexecution::Snapshot);
        options.races = false;
        let start = Instant::now();
        let explored = explore(command, &options, &mut |_| true).expect("the program can be run");
        assert!(
            explored.exploration.first_failure.is_none(),
            "nothing can fail"
        );
        start.elapsed().as_secs_f64() * 1e3
    };
    let best = |executions| {
        (0..ROUNDS)
            .map(|_| time(executions))
            .fold(f64::MAX, f64::min)
    };
    (best(DRAWS + 1) - best(1)) / DRAWS as f64
}

/// Milliseconds of an execution under `ppct` on real threads, with the start of the process.
fn parallel(command: &Command, depth: u32) -> f64 {
    let mut session = session(command);
    let mut ppct = ParallelPpct::new(1, depth, Some(THREADS + 1), Some(THREADS * OPERATIONS));
    let mut time = |index: u64| {
        session.prioritise(ppct.order(index));
        let found = session.execute(&NoiseOrder::nothing(index), &mut || true);
        let execution = found
            .expect("the program can be run")
            .expect("nobody ends it");
        assert_eq!(execution.end, End::Exited(0));
        execution.elapsed.as_secs_f64() * 1e3
    };
    // Several draws, because who is held back matters; the same ones in each round.
    let mut round = || (0..DRAWS).map(&mut time).sum::<f64>() / DRAWS as f64;
    (0..ROUNDS).map(|_| round()).fold(f64::MAX, f64::min)
}

fn session(command: &Command) -> Session {
    let setup = Setup {
        threads_max: 64,
        events_max: 16,
        time_max: Duration::from_secs(60),
    };
    Session::new(command, setup).expect("there is memory")
}

fn controlled_failures(command: &Command, depth: u32) -> u64 {
    let mut options = options(&format!("pct:d={depth}"), RATE_EXECUTIONS);
    options.limits.keep_going = true;
    options.races = false;
    let explored = explore(command, &options, &mut |_| true).expect("the program can be run");
    explored.exploration.failures
}

fn free_failures(command: &Command, depth: u32) -> (u64, f64) {
    let mut session = session(command);
    let mut ppct = ParallelPpct::new(1, depth, None, None);
    let mut failures = 0;
    for index in 0..RATE_EXECUTIONS {
        session.prioritise(ppct.order(index));
        let found = session.execute(&NoiseOrder::nothing(index), &mut || true);
        let execution = found
            .expect("the program can be run")
            .expect("nobody ends it");
        ppct.learn(&execution);
        failures += u64::from(execution.end == End::Exited(1));
    }
    (failures, ppct.guarantee())
}
