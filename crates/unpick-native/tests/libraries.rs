//! Libraries that a program loads while it runs: their destructors are part of the execution, and what
//! an execution has loaded is gone in the next one. Needs a C compiler.

#[path = "support/programs.rs"]
mod support;

use support::{Place, WAYS, kind, options};
use unpick_native::drive::{Command, Options, explore};
use unpick_protocol::Reexecution;

fn with_library(place: &Place, is_fixed: bool) -> Command {
    let library = place.build_library("loaded/journal.c");
    let mut command = place.build("loaded/uses_journal.c", is_fixed);
    command.arguments = vec![library.into()];
    command
}

#[test]
fn a_destructor_of_a_loaded_library_is_run() {
    let place = Place::new("loaded");
    let command = with_library(&place, false);
    let explored = WAYS.map(|(backend, reexecution)| {
        let options = Options {
            backend: Some(backend),
            reexecution: Some(reexecution),
            ..options("random", 100)
        };
        let found = explore(&command, &options, &mut |_| true).unwrap();
        let exploration = found.exploration;
        let first = exploration.first_failure.unwrap();
        assert_eq!(kind(&first.outcome), "assert", "{:?}", first.outcome);
        // Places in the library are known, though it was not there in the beginning.
        let path = &found.modules.last().unwrap().path;
        assert!(path.ends_with("loaded-journal-c.so"), "{path}");
        assert!(first.trace.sites.iter().all(|site| site.file != "-"));
        (exploration.executions, exploration.hash)
    });
    assert!(
        explored.iter().all(|found| *found == explored[0]),
        "{explored:?}"
    );
}

/// The kernel keeps no more than some 65,000 mappings for a process.
#[test]
fn what_was_loaded_is_taken_away_again() {
    let place = Place::new("unloaded");
    let command = with_library(&place, true);
    let mut options = options("random", 20_000);
    options.reexecution = Some(Reexecution::Snapshot);
    let found = explore(&command, &options, &mut |_| true).unwrap();
    let found = found.exploration;
    assert_eq!((found.executions, found.failures), (20_000, 0));
}
