//! Techniques that plan between executions, on native programs: what they must know of a program to claim that
//! they are complete. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Place, kind, options};
use unpick_native::drive::explore;
use unpick_protocol::Points;

/// Once all others are joined no operation of main is a point, and still what it sees is a state.
#[test]
fn what_a_task_reads_when_it_is_alone_is_asked_for() {
    let place = Place::new("alone");
    for flag in ["-DATOMIC", "-DPLAIN", "-DAGAIN"] {
        let command = place.build_with("planned/alone.c", &[flag]);
        for strategy in ["dfs", "odpor", "mcr", "se-mcr"] {
            let mut options = options(strategy, 10_000);
            options.limits.keep_going = true;
            if flag == "-DPLAIN" {
                options.points = Points::All;
            }
            let found = explore(&command, &options, &mut |_| true);
            let found = found.unwrap().exploration;
            let name = format!("{strategy} on {flag}");
            assert!(found.complete && found.failures > 0, "{name}");
            let failure = found.first_failure.expect("it fails");
            assert_eq!(kind(&failure.outcome), "assert", "{name}");
        }
    }
}
