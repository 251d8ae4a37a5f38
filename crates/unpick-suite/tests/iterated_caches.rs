//! Caches of relations with one bound after the other: nothing is missed, and the least bound is found.

use unpick::{Config, Exploration, StopReason, explore};
use unpick_suite::{find, programs};

fn run(name: &str, strategy: &str) -> Exploration {
    let selection = find(name).expect("it is in the suite");
    let config = Config::new()
        .strategy(strategy)
        .executions(30_000)
        .keep_going(true)
        .confirm(0)
        .spurious_wakes(0)
        .weak_failures(0)
        .classes(true);
    explore(config, move || selection.run())
}

/// The bound under which the first failure was found.
fn first_bound(found: &Exploration) -> Option<u32> {
    let mut bounds = found.bounds.iter();
    bounds
        .find(|bound| bound.failures > 0)
        .map(|bound| bound.bound)
}

#[test]
fn a_failure_is_found_under_the_least_bound_that_has_one() {
    let mut count = 0;
    for program in programs() {
        let Some(row) = program.published.filter(|row| row.is_modelled_exactly()) else {
            continue;
        };
        for (plain, counts, way) in [
            ("ipb", &row.ipb, "preemptions"),
            ("idb", &row.idb, "delays"),
        ] {
            let is_small = counts.found && counts.schedules.is_some_and(|all| all < 1_000);
            if !is_small {
                continue;
            }
            for cache in ["hbr-cache", "lazy-hbr-cache"] {
                let found = run(program.name, &format!("{cache}:iterate={way}"));
                let name = format!("{} {cache} {way}", program.name);
                assert_eq!(
                    first_bound(&found),
                    Some(counts.bound),
                    "{name}, as {plain}"
                );
                assert_eq!(found.stopped_because, StopReason::Strategy, "{name}");
                assert!(found.schedules <= counts.schedules.unwrap(), "{name}");
                count += 1;
            }
        }
    }
    assert!(count > 80, "{count}");
}

#[test]
fn without_a_failure_every_state_is_reached() {
    for name in [
        "coarse.slots",
        "coarse.lock_and_flag",
        "coarse.philosophers_order",
        "thesis.fig4_1",
    ] {
        let truth = run(name, "dfs");
        for strategy in [
            "hbr-cache:iterate=preemptions",
            "lazy-hbr-cache:iterate=delays",
        ] {
            let found = run(name, strategy);
            assert!(found.complete && truth.complete, "{name} {strategy}");
            let states =
                |one: &Exploration| one.classes.as_ref().map(|classes| classes.states.clone());
            assert_eq!(states(&found), states(&truth), "{name} {strategy}");
            let sum: u64 = found.bounds.iter().map(|bound| bound.schedules).sum();
            assert_eq!(sum, found.schedules, "{name} {strategy}");
            let relations = match strategy.starts_with("lazy") {
                true => truth.lazy_hbrs(),
                false => truth.hbrs(),
            };
            assert_eq!(Some(found.schedules), relations, "{name} {strategy}");
        }
    }
}
