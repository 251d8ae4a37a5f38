//! Peterson's algorithm, with the loop cut after a bound: `while wants && turn { if i++ > 1 { break } }`.

use super::{Variables, program, run_both};
use crate::Program;

pub(crate) const PROGRAM: Program = program(
    "huang.peterson",
    "mutual exclusion by Peterson, its loop cut after a bound",
    &[],
    None,
    |_| run_both(task),
);

const TURN: usize = 2;
const DATA: usize = 3;

/// How often a task looks whether it can go on.
const LOOKS: u32 = 3;

fn task(me: u32, variables: &Variables<4>) {
    let (own, other) = (me as usize, 1 - me as usize);
    variables.write(own, 1);
    variables.write(TURN, 1 - me);
    for _ in 0..LOOKS {
        if variables.read(other) == 0 || variables.read(TURN) == me {
            break;
        }
    }
    variables.write(DATA, me + 1);
    variables.write(own, 0);
}
