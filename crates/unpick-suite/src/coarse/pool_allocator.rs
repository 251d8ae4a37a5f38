//! `n` tasks take a block each from the free list of its size and give it back.
//!
//! Locked: the free lists of all `sizes` sizes, by one lock. Conflicts: tasks that ask for the same
//! size.

use super::{program, run_tasks, values};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.pool_allocator",
    "free lists of several sizes behind one lock",
    &[
        Parameter::size("n", "tasks", 4, 1, 16),
        Parameter::size("sizes", "sizes of blocks", 2, 1, 16),
    ],
    body,
);

const BLOCKS: u32 = 2;

fn body(arguments: &Arguments) {
    let (tasks, sizes) = (arguments.size("n"), arguments.size("sizes"));
    let free: Box<[AtomicU32]> = (0..sizes).map(|_| AtomicU32::new(BLOCKS)).collect();
    run_tasks(
        tasks,
        (Mutex::new(()), free),
        move |(lock, free), number| {
            let list = &free[number % sizes];
            let is_taken = section(lock, || {
                let blocks = list.load(SeqCst);
                if blocks > 0 {
                    list.store(blocks - 1, SeqCst);
                }
                blocks > 0
            });
            if is_taken {
                section(lock, || list.store(list.load(SeqCst) + 1, SeqCst));
            }
        },
        |(_, free)| assert!(values(free).iter().all(|blocks| *blocks == BLOCKS)),
    );
}
