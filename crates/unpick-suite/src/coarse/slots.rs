//! `n` tasks count in slots of their own, `m` times each.
//!
//! Locked: all slots, by one lock. Conflicts: nothing, so one lazy relation stands for all
//! (n m)! / m!^n orders.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::Ordering::SeqCst;

pub(crate) const PROGRAM: Program = program(
    "coarse.slots",
    "one lock, a counter for each task",
    &[
        Parameter::size("n", "tasks", 3, 1, 16),
        Parameter::size("m", "sections of each task", 3, 1, 100),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (tasks, rounds) = (arguments.size("n"), arguments.get("m"));
    run_tasks(
        tasks,
        (Mutex::new(()), zeros(tasks)),
        move |(lock, slots), number| {
            for _ in 0..rounds {
                section(lock, || {
                    let count = slots[number].load(SeqCst);
                    slots[number].store(count + 1, SeqCst);
                });
            }
        },
        move |(_, slots)| assert!(values(slots).iter().all(|slot| *slot == rounds)),
    );
}
