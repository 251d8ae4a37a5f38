//! `n` tasks count in slots of their own, and one more adds all slots up.
//!
//! Locked: all slots, by one lock. Conflicts: the reading of each slot with the counting in it; the
//! counting tasks not with each other.

use super::{program, run_tasks, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.snapshot",
    "counters of several tasks, added up by one more",
    &[
        Parameter::size("n", "counting tasks", 3, 1, 16),
        Parameter::size("m", "sections of each of them", 3, 1, 100),
    ],
    body,
);

struct Counters {
    lock: Mutex<()>,
    slots: Box<[AtomicU32]>,
    sum: AtomicU32,
}

fn body(arguments: &Arguments) {
    let (tasks, rounds) = (arguments.size("n"), arguments.get("m"));
    let counters = Counters {
        lock: Mutex::new(()),
        slots: zeros(tasks),
        sum: AtomicU32::new(0),
    };
    run_tasks(
        tasks + 1,
        counters,
        move |counters, number| match counters.slots.get(number) {
            Some(slot) => {
                for round in 1..=rounds {
                    section(&counters.lock, || slot.store(round, SeqCst));
                }
            }
            None => section(&counters.lock, || {
                let sum = counters.slots.iter().map(|slot| slot.load(SeqCst)).sum();
                counters.sum.store(sum, SeqCst);
            }),
        },
        move |counters| assert!(counters.sum.into_inner() <= rounds * tasks as u32),
    );
}
