//! `n` tasks compute Fibonacci numbers from a table that they fill as they go.
//!
//! Locked: the whole table, by one lock, for one entry at a time. Conflicts: the first computation
//! of an entry with the other uses of it; later ones only read.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.memo_table",
    "a table of known results behind one lock",
    &[
        Parameter::size("n", "tasks", 3, 1, 16),
        Parameter::size("m", "the entry that the first task asks for", 4, 2, 20),
    ],
    body,
);

/// The entry, from the two before it or from the table.
fn fibonacci(lock: &Mutex<()>, table: &[AtomicU32], entry: usize) -> u32 {
    if entry < 2 {
        return 1;
    }
    let known = section(lock, || table[entry].load(SeqCst));
    if known != 0 {
        return known;
    }
    let value = fibonacci(lock, table, entry - 1) + fibonacci(lock, table, entry - 2);
    section(lock, || table[entry].store(value, SeqCst));
    value
}

fn body(arguments: &Arguments) {
    let (tasks, top) = (arguments.size("n"), arguments.size("m"));
    run_tasks(
        tasks,
        (Mutex::new(()), zeros(top + 1)),
        move |(lock, table), number| {
            fibonacci(lock, table, top.saturating_sub(number).max(2));
        },
        move |(_, table)| {
            let table = values(table);
            let mut pair = (1, 1);
            for entry in &table[2..] {
                pair = (pair.1, pair.0 + pair.1);
                assert!(*entry == pair.1, "a wrong entry");
            }
        },
    );
}
