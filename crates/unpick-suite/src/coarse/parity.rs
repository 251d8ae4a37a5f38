//! Tasks of even and of odd number use one lock for each parity and count in slots of their own.
//!
//! Locked: the slots of one parity, by one lock. Conflicts: nothing, neither within a parity nor
//! between them.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::Ordering::SeqCst;

pub(crate) const PROGRAM: Program = program(
    "coarse.parity",
    "two locks, each for half of the tasks",
    &[
        Parameter::size("n", "tasks", 4, 1, 16),
        Parameter::size("m", "sections of each task", 1, 1, 100),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (tasks, rounds) = (arguments.size("n"), arguments.get("m"));
    run_tasks(
        tasks,
        ([Mutex::new(()), Mutex::new(())], zeros(tasks)),
        move |(locks, slots), number| {
            for round in 1..=rounds {
                section(&locks[number % 2], || slots[number].store(round, SeqCst));
            }
        },
        move |(_, slots)| assert!(values(slots).iter().all(|slot| *slot == rounds)),
    );
}
