//! The same program against `std` and against `unpick`.
//!
//! It names every public item and states the type of every method as a function pointer, so that a
//! name that is missing or a signature that differs does not compile. Then it runs: as `std`, as
//! `unpick` outside an exploration, and under 200 random schedules.

#[path = "answers/every_schedule.rs"]
mod answers;
#[macro_use]
#[path = "parity/sync.rs"]
mod sync;
#[macro_use]
#[path = "parity/threads.rs"]
mod threads;

parity_of_sync!(std_sync, std);
parity_of_threads!(std_threads, std);
// Once for each use, since tests run in parallel: statics of an exploration are its own.
parity_of_sync!(outside_sync, unpick);
parity_of_threads!(outside_threads, unpick);
parity_of_sync!(inside_sync, unpick);
parity_of_threads!(inside_threads, unpick);

#[test]
fn std_behaves_as_the_program_says() {
    std_sync::everything();
    std_threads::everything();
}

#[test]
fn unpick_behaves_as_std_outside_an_exploration() {
    outside_sync::everything();
    outside_threads::everything();
}

#[test]
fn unpick_behaves_as_std_inside_an_exploration() {
    for program in [inside_sync::everything, inside_threads::everything] {
        let config = unpick::Config::new().strategy("random").executions(200);
        let exploration = unpick::explore(config, program);
        if let Some(failure) = exploration.first_failure {
            panic!("{:?}", failure.outcome);
        }
        assert!(exploration.diverged.is_none());
        assert_eq!(exploration.executions, 200);
    }
}

#[test]
fn every_schedule_of_the_short_parts_behaves_as_std() {
    answers::answers(inside_sync::locks);
    answers::answers(inside_sync::once);
    answers::answers(inside_threads::cells);
}
