//! `n` tasks look up `m` keys each and fill a cache where it is empty.
//!
//! Locked: the whole cache, by one lock. Conflicts: the filling of a key with every other lookup of
//! it; once filled it is only read.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.cache",
    "a cache filled on demand behind one lock",
    &[
        Parameter::size("n", "tasks", 3, 1, 16),
        Parameter::size("m", "lookups of each task", 3, 1, 100),
        Parameter::size("keys", "keys", 4, 1, 64),
    ],
    body,
);

/// The cached value of `key`, computed by whoever comes first.
fn look_up(lock: &Mutex<()>, cache: &[AtomicU32], key: usize) -> u32 {
    section(lock, || match cache[key].load(SeqCst) {
        0 => {
            let value = key as u32 + 1;
            cache[key].store(value, SeqCst);
            value
        }
        value => value,
    })
}

fn body(arguments: &Arguments) {
    let (tasks, rounds) = (arguments.size("n"), arguments.size("m"));
    let keys = arguments.size("keys");
    run_tasks(
        tasks,
        (Mutex::new(()), zeros(keys)),
        move |(lock, cache), number| {
            for round in 0..rounds {
                let key = (number + round) % keys;
                assert!(look_up(lock, cache, key) == key as u32 + 1);
            }
        },
        |(_, cache)| {
            let full = (1..).zip(values(cache));
            assert!(
                full.into_iter()
                    .all(|(expected, value)| value == 0 || value == expected)
            );
        },
    );
}
