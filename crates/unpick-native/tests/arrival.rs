//! A thread can be held up before it comes to wait, where others can notice whether it waits. Needs a C
//! compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Place, kind, options};
use unpick_native::drive::explore;

#[test]
fn any_two_of_three_threads_pass_a_barrier_for_two() {
    let place = Place::new("arrival");
    let command = place.build("arrival/barrier.c", false);
    for strategy in ["dfs", "odpor", "mcr", "portfolio"] {
        let found = explore(&command, &options(strategy, 10_000), &mut |_| true);
        let failure = found.unwrap().exploration.first_failure;
        let found = failure.map(|failure| kind(&failure.outcome));
        assert_eq!(found, Some("deadlock"), "{strategy}");
    }
}
