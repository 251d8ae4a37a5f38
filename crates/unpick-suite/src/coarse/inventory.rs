//! `n` tasks look whether an item is in stock and then reserve it, in two sections.
//!
//! Locked: all items, by one lock. Conflicts: tasks that want the same item, if one of them
//! reserves it; looking alone does not.

use super::{program, run_tasks, values};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.inventory",
    "looking for and reserving items behind one lock",
    &[
        Parameter::size("n", "tasks", 4, 1, 16),
        Parameter::size("items", "items, of one piece each", 3, 1, 16),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (tasks, items) = (arguments.size("n"), arguments.size("items"));
    let stock: Box<[AtomicU32]> = (0..items).map(|_| AtomicU32::new(1)).collect();
    run_tasks(
        tasks,
        (Mutex::new(()), stock),
        move |(lock, stock), number| {
            let item = &stock[number % items];
            if section(lock, || item.load(SeqCst)) == 0 {
                return;
            }
            section(lock, || {
                if item.load(SeqCst) > 0 {
                    item.store(0, SeqCst);
                }
            });
        },
        move |(_, stock)| {
            assert!(values(stock).iter().sum::<u32>() as usize == items.saturating_sub(tasks))
        },
    );
}
