//! `odpor` and `lazy-odpor` run exactly as many executions as theory says are needed.

use unpick::{Config, Exploration};
use unpick_suite::find;

/// Program, executions of `odpor`, executions of `lazy-odpor`.
const OPTIMA: &[(&str, u64, u64)] = &[
    ("race_counter:n=2,k=1", 4, 4),
    ("race_counter:n=2,k=2", 34, 34),
    ("race_counter:n=2,k=3", 328, 328),
    ("race_counter:n=3,k=1", 36, 36),
    ("race_counter:n=3,k=2", 7_134, 7_134),
    ("rmw_counter:n=2,k=3", 20, 20),
    ("rmw_counter:n=3,k=2", 90, 90),
    ("rmw_counter:n=3,k=3", 1_680, 1_680),
    ("philosophers:n=3,bug=0", 6, 4),
    ("philosophers:n=4,bug=0", 14, 8),
    ("mutex_disjoint:n=2,m=2", 6, 1),
    ("mutex_disjoint:n=2,m=3", 20, 1),
    ("mutex_disjoint:n=2,m=4", 70, 1),
    ("mutex_disjoint:n=3,m=1", 6, 1),
    ("mutex_disjoint:n=3,m=2", 90, 1),
    ("mutex_disjoint:n=3,m=3", 1_680, 1),
    ("channel:n=2,m=2", 6, 6),
    ("channel:n=3,m=2", 90, 90),
    ("independent:n=2,m=4", 1, 1),
    ("independent:n=4,m=4", 1, 1),
    ("readers:n=2", 4, 4),
    ("readers:n=3", 8, 8),
    ("readers:n=10", 1_024, 1_024),
    ("last_zero:n=2", 5, 5),
    ("last_zero:n=3", 12, 12),
    ("last_zero:n=5", 64, 64),
    ("last_zero:n=10", 3_328, 3_328),
    ("disjoint:k=2", 2, 1),
    ("disjoint:k=3", 6, 1),
    ("disjoint:k=4", 24, 1),
    ("disjoint:k=5", 120, 1),
    ("disjoint:k=6", 720, 1),
    ("disjoint:k=7", 5_040, 1),
    ("disjoint:k=8", 40_320, 1),
    ("thesis.fig4_1", 24, 11),
    ("thesis.fig4_2a", 2, 2),
    ("thesis.fig4_2b", 3, 2),
    ("thesis.fig4_2c", 4, 2),
    ("thesis.fig4_2d", 5, 3),
    ("thesis.fig4_3a", 4, 2),
    ("thesis.fig4_3b", 3, 3),
    ("thesis.fig4_3c", 3, 3),
    ("thesis.fig4_3d", 6, 4),
];

fn explore(program: &str, strategy: &str) -> Exploration {
    let selection = find(program).expect("the program exists");
    let config = Config::new()
        .strategy(strategy)
        .executions(100_000)
        .keep_going(true);
    unpick::explore(config, move || selection.run())
}

#[test]
fn no_execution_is_run_that_theory_does_not_ask_for() {
    let mut wrong = Vec::new();
    for (program, optimum, lazy) in OPTIMA {
        for (strategy, expected) in [("odpor", *optimum), ("lazy-odpor", *lazy)] {
            let found = explore(program, strategy);
            let counts = (found.executions, found.schedules, found.complete);
            if counts != (expected, expected, true) {
                wrong.push(format!("{program}, {strategy}: {counts:?}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
