//! One task writes a value that `n` others read, `m` times each.
//!
//! Locked: the value, by one lock. Conflicts: each reading with the writing; the readings not with
//! each other, so that each reader only has to decide between which of its readings the writing
//! comes: (m + 1)^n lazy relations.

use super::{program, run_tasks};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.read_mostly",
    "one writer and several readers of a value",
    &[
        Parameter::size("n", "readers", 3, 1, 16),
        Parameter::size("m", "sections of each reader", 2, 1, 100),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (readers, rounds) = (arguments.size("n"), arguments.get("m"));
    run_tasks(
        readers + 1,
        (Mutex::new(()), AtomicU32::new(1)),
        move |(lock, value), number| {
            if number == 0 {
                section(lock, || value.store(2, SeqCst));
                return;
            }
            let mut last = 0;
            for _ in 0..rounds {
                let seen = section(lock, || value.load(SeqCst));
                assert!(seen >= last, "an old value came back");
                last = seen;
            }
        },
        |(_, value)| assert!(value.into_inner() == 2),
    );
}
