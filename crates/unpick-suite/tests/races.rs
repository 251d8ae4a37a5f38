//! The engine's pass for data races against the definition, execution by execution.

use std::sync::Arc;
use unpick::Config;
use unpick_suite::generated::{Flavour, Log, generate, run};
use unpick_suite::judge::races;

/// Programs of each flavour.
const PROGRAMS: u64 = 1_000;

/// Executions of each program, at most.
const EXECUTIONS: u64 = 60;

/// Executions, and those of them with a race.
fn compare(flavour: Flavour, strategy: &str) -> (u64, u64) {
    let (mut executions, mut racing) = (0, 0);
    for seed in 0..PROGRAMS {
        let program = Arc::new(generate(seed, flavour));
        let config = Config::new()
            .strategy(strategy)
            .executions(EXECUTIONS)
            .keep_going(true);
        let log = Log::default();
        let body = {
            let program = Arc::clone(&program);
            move || run(&program, &log)
        };
        unpick::explore_visited(&config, &body, &mut |execution| {
            let expected = races(execution.trace());
            let found = execution.data_race();
            let first = expected.iter().map(|&(_, later)| later).min();
            assert_eq!(
                found.map(|race| race.later),
                first,
                "program {seed} of {}: {expected:?}\n{program}",
                flavour.name()
            );
            if let Some(race) = found {
                assert!(expected.contains(&(race.earlier, race.later)), "{race:?}");
                racing += 1;
            }
            executions += 1;
        });
    }
    println!("{} {strategy}: {executions}, {racing} race", flavour.name());
    (executions, racing)
}

#[test]
fn the_first_race_of_every_execution_is_found_and_no_other() {
    for flavour in [Flavour::Cells, Flavour::Mixed] {
        for strategy in ["random", "dfs"] {
            let (executions, racing) = compare(flavour, strategy);
            assert!(executions > 10 * PROGRAMS, "{executions}");
            assert!((50..executions).contains(&racing), "{racing}");
        }
    }
}
