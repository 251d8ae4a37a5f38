//! `n` tasks take and give back a reference to one object, and use it in between.
//!
//! Locked: the count, inside one lock. Conflicts: every change of the count with every other,
//! though adding commutes: many relations, one state. Only a search that knows values could gain.

use super::{program, run_tasks, values, zeros};
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::Ordering::SeqCst;

pub(crate) const PROGRAM: Program = program(
    "coarse.reference_count",
    "a count of references behind one lock",
    &[Parameter::size("n", "tasks", 3, 1, 16)],
    body,
);

fn body(arguments: &Arguments) {
    let tasks = arguments.size("n");
    run_tasks(
        tasks,
        (Mutex::new(1), zeros(tasks)),
        |(count, slots), number| {
            let mut references = count.lock().unwrap();
            *references += 1;
            drop(references);
            slots[number].store(1, SeqCst);
            let mut references = count.lock().unwrap();
            *references -= 1;
            assert!(*references > 0, "freed while it was in use");
            drop(references);
        },
        |(count, slots)| {
            assert!(count.into_inner().unwrap() == 1);
            assert!(values(slots).iter().all(|slot| *slot == 1));
        },
    );
}
