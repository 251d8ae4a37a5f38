//! The default strategy finds what its members find, and says nothing of programs without a fault.

use unpick::{Config, Exploration, explore};
use unpick_suite::{exact_programs, find};

/// Executions of the portfolio.
const EXECUTIONS: u64 = 10_000;

/// Executions of the techniques that it is compared with.
const COMPARED: u64 = 2_000;

/// An execution has a hundred tasks, and takes as many milliseconds as others take microseconds.
const LARGE: &[&str] = &["CS.twostage_100_bad"];

fn found(name: &str, strategy: &str, executions: u64) -> Exploration {
    let selection = find(name).unwrap();
    let config = Config::new()
        .strategy(strategy)
        .executions(executions)
        .spurious_wakes(0)
        .confirm(0);
    explore(config, move || selection.run())
}

#[test]
fn it_finds_what_pct_or_random_or_delay_bounding_finds() {
    let faulty = exact_programs().filter(|program| program.fault.is_some());
    let (mut compared, mut missed) = (0, Vec::new());
    for program in faulty.filter(|program| !LARGE.contains(&program.name)) {
        let others = ["pct", "random", "idb"];
        let finds = |strategy: &&str| found(program.name, strategy, COMPARED).failures > 0;
        if others.iter().any(finds) {
            compared += 1;
            if found(program.name, "portfolio", EXECUTIONS).failures == 0 {
                missed.push(program.name);
            }
        }
    }
    assert!(compared >= 30, "only {compared} programs fail");
    assert!(missed.is_empty(), "{missed:?}");
}
