//! The engine's pass for data races against the definition, execution by execution.
//!
//! `cargo xtask soundness` does the same with more programs.

use unpick_suite::generated::{Flavour, Program, generate, strew_cells, strew_orders};
use unpick_suite::judge::compare_races;

/// Programs of each flavour.
const PROGRAMS: u64 = 300;

/// Executions of each program under each strategy, at most.
const EXECUTIONS: u64 = 30;

/// Compares all executions of the programs that `make` gives for a flavour.
fn compare(flavour: Flavour, make: impl Fn(u64) -> Program) {
    let (mut executions, mut racing) = (0, 0);
    for seed in 0..PROGRAMS {
        let program = make(seed);
        for strategy in ["random", "dfs"] {
            match compare_races(&program, strategy, EXECUTIONS) {
                Ok((all, some)) => {
                    executions += all;
                    racing += some;
                }
                Err(text) => panic!("program {seed} of {}: {text}\n{program}", flavour.name()),
            }
        }
    }
    println!("{}: {executions}, {racing} race", flavour.name());
    assert!(executions > 10 * PROGRAMS, "{executions}");
    assert!((100..executions - 100).contains(&racing), "{racing}");
}

/// Whatever else programs do, accesses of cells are strewn in: everything that synchronises orders
/// some of them.
#[test]
fn the_first_race_of_every_execution_is_found_and_no_other() {
    for &flavour in Flavour::ALL {
        compare(flavour, |seed| strew_cells(&generate(seed, flavour), seed));
    }
}

/// The same with memory orders and fences strewn in, too: nearly every flavour has atomics.
#[test]
fn races_are_judged_by_memory_orders() {
    for &flavour in Flavour::ALL {
        compare(flavour, |seed| {
            let ordered = strew_orders(&generate(seed, flavour), seed);
            strew_cells(&ordered, seed)
        });
    }
}
