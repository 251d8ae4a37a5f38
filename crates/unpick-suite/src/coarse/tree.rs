//! `n` tasks insert `m` keys each into a binary search tree.
//!
//! Locked: the whole tree, by one lock. Conflicts: the filling of a place with every later way
//! through it; the root is there from the start, so keys on its two sides do not meet.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.tree",
    "a search tree behind one lock",
    &[
        Parameter::size("n", "tasks", 3, 1, 6),
        Parameter::size("m", "keys of each task", 3, 1, 4),
    ],
    body,
);

const ROOT: u32 = 100;

/// Puts the key into the first free place on its way down; the children of place `i` are at
/// `2 i + 1` and `2 i + 2`.
fn insert(places: &[AtomicU32], key: u32) {
    let mut place = 0;
    loop {
        match places[place].load(SeqCst) {
            0 => return places[place].store(key, SeqCst),
            other => place = 2 * place + if key < other { 1 } else { 2 },
        }
    }
}

fn body(arguments: &Arguments) {
    let (tasks, keys) = (arguments.size("n"), arguments.size("m"));
    // Half of the keys go to either side, so no way is longer than that.
    let depth = 2 + (tasks * keys).div_ceil(2);
    let mut places = zeros(1 << depth);
    *places[0].get_mut() = ROOT;
    run_tasks(
        tasks,
        (Mutex::new(()), places),
        move |(lock, places), number| {
            for round in 0..keys {
                let distance = (number * keys + round) as u32 / 2 + 1;
                let key = match (number + round) % 2 {
                    0 => ROOT - distance,
                    _ => ROOT + distance,
                };
                section(lock, || insert(places, key));
            }
        },
        move |(_, places)| {
            let filled = values(places).into_iter().filter(|key| *key != 0);
            assert!(filled.count() == tasks * keys + 1, "a key was lost");
        },
    );
}
