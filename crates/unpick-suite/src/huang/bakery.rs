//! Lamport's bakery (1974) for two tasks: each draws a number and waits for smaller ones. Every loop is cut after a
//! bound, behind which a task goes on as if it had been let in.

use super::{Variables, program, run_both};
use crate::Program;

pub(crate) const PROGRAM: Program = program(
    "huang.bakery",
    "mutual exclusion by numbers that are drawn, its loops cut after a bound",
    &[],
    None,
    |_| run_both(task),
);

/// Where the numbers stand; before them stands who is drawing one.
const NUMBERS: usize = 2;
const DATA: usize = 4;

/// How often a task looks in each loop.
const LOOKS: u32 = 2;

fn task(me: u32, variables: &Variables<5>) {
    let (own, other) = (me as usize, 1 - me as usize);
    variables.write(own, 1);
    let drawn = 1 + variables.read(NUMBERS).max(variables.read(NUMBERS + 1));
    variables.write(NUMBERS + own, drawn);
    variables.write(own, 0);
    for _ in 0..LOOKS {
        if variables.read(other) == 0 {
            break;
        }
    }
    for _ in 0..LOOKS {
        let number = variables.read(NUMBERS + other);
        if number == 0 || (number, other) > (drawn, own) {
            break;
        }
    }
    variables.write(DATA, me + 1);
    variables.write(NUMBERS + own, 0);
}
