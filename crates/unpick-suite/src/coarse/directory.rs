//! `n` tasks look entries of a directory up, and one more renames an entry.
//!
//! Locked: the whole directory, inside a reader-writer lock. Conflicts: the renaming with each
//! lookup; lookups overlap. What is lazy about a mutex does not hold for a lock that readers share.

use super::{program, run_tasks};
use crate::{Arguments, Parameter, Program};
use unpick::sync::RwLock;

pub(crate) const PROGRAM: Program = program(
    "coarse.directory",
    "a directory inside a reader-writer lock",
    &[
        Parameter::size("n", "readers", 2, 1, 16),
        Parameter::size("m", "lookups of each reader", 3, 1, 100),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (readers, lookups) = (arguments.size("n"), arguments.size("m"));
    run_tasks(
        readers + 1,
        RwLock::new(vec![0; readers]),
        move |directory: &RwLock<Vec<u32>>, number| {
            if number == readers {
                let mut entries = directory.write().unwrap();
                entries[0] = 1;
                drop(entries);
                return;
            }
            for _ in 0..lookups {
                let entries = directory.read().unwrap();
                assert!(entries[number] <= 1);
                drop(entries);
            }
        },
        |directory| assert!(directory.into_inner().unwrap()[0] == 1),
    );
}
