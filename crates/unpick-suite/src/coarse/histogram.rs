//! `n` tasks sort `m` samples each into `bins` bins.
//!
//! Locked: all bins, by one lock. Conflicts: samples of different tasks in one bin, and only in the
//! order of counting: the final state is always the same.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::Ordering::SeqCst;

pub(crate) const PROGRAM: Program = program(
    "coarse.histogram",
    "counting in bins behind one lock",
    &[
        Parameter::size("n", "tasks", 3, 1, 16),
        Parameter::size("m", "samples of each task", 3, 1, 100),
        Parameter::size("bins", "bins", 4, 1, 64),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (tasks, samples) = (arguments.size("n"), arguments.size("m"));
    let bins = arguments.size("bins");
    run_tasks(
        tasks,
        (Mutex::new(()), zeros(bins)),
        move |(lock, counts), number| {
            for sample in 0..samples {
                let bin = &counts[(2 * number + sample) % bins];
                section(lock, || bin.store(bin.load(SeqCst) + 1, SeqCst));
            }
        },
        move |(_, counts)| {
            let sum: u32 = values(counts).iter().sum();
            assert!(sum as usize == tasks * samples, "lost update");
        },
    );
}
