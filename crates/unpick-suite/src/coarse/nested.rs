//! `n` tasks take an outer lock, then an inner one of `inner`, and write slots of their own.
//!
//! Locked: everything, by the outer lock, and a part of it again. Conflicts: nothing; the inner
//! locks are never contended, since the outer one is held around them.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.nested",
    "inner locks that are only taken under an outer one",
    &[
        Parameter::size("n", "tasks", 3, 1, 16),
        Parameter::size("m", "sections of each task", 3, 1, 100),
        Parameter::size("inner", "inner locks", 2, 1, 16),
    ],
    body,
);

struct Nested {
    outer: Mutex<()>,
    inner: Vec<Mutex<()>>,
    slots: Box<[AtomicU32]>,
}

fn body(arguments: &Arguments) {
    let (tasks, rounds) = (arguments.size("n"), arguments.get("m"));
    let inner = arguments.size("inner");
    let nested = Nested {
        outer: Mutex::new(()),
        inner: (0..inner).map(|_| Mutex::new(())).collect(),
        slots: zeros(tasks),
    };
    run_tasks(
        tasks,
        nested,
        move |nested, number| {
            for round in 1..=rounds {
                section(&nested.outer, || {
                    let lock = &nested.inner[number % inner];
                    section(lock, || nested.slots[number].store(round, SeqCst));
                });
            }
        },
        move |nested| assert!(values(nested.slots).iter().all(|slot| *slot == rounds)),
    );
}
