//! The size of every program: what `dfs` finds, and how it ends.
//!
//! A program that changes by one visible operation changes its count, so these numbers hold the
//! programs still for everybody who measures reductions on them.

use unpick::{Config, Exploration};
use unpick_suite::find;
use unpick_suite::published::REDUCTIONS;

/// All schedules, by the rules of the study: only the order of tasks varies.
fn explore(label: &str) -> Exploration {
    let selection = find(label).unwrap();
    let config = Config::new()
        .strategy("dfs")
        .executions(u64::MAX)
        .keep_going(true)
        .spurious_wakes(0)
        .weak_failures(0);
    unpick::explore(config, move || selection.run())
}

#[test]
fn figures_of_chapter_4_have_the_published_number_of_schedules() {
    for row in REDUCTIONS {
        let found = explore(row.label);
        assert!(found.complete, "{}", row.label);
        assert_eq!(found.schedules, row.schedules, "{}", row.label);
        let is_faulty = find(row.label).unwrap().program.fault.is_some();
        assert_eq!(found.failures > 0, is_faulty, "{}", row.label);
    }
}
