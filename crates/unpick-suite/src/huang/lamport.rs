//! Lamport's fast mutual exclusion (1987): without a rival a task writes two variables and reads two. Every loop
//! is cut after a bound, behind which a task goes on as if it had been let in.

use super::{Variables, program, run_both};
use crate::Program;

pub(crate) const PROGRAM: Program = program(
    "huang.lamport",
    "fast mutual exclusion by Lamport, its loops cut after a bound",
    &[],
    None,
    |_| run_both(task),
);

/// The first gate and the second one; before them stand the flags of the two tasks.
const X: usize = 2;
const Y: usize = 3;
const DATA: usize = 4;
const NOBODY: u32 = 0;

/// How often a task begins, and how often it looks in each loop.
const LOOKS: u32 = 2;

fn task(me: u32, variables: &Variables<5>) {
    for _ in 0..LOOKS {
        if enters(me, variables) {
            break;
        }
    }
    variables.write(DATA, me + 1);
    variables.read(DATA);
    variables.write(Y, NOBODY);
    variables.write(me as usize, 0);
}

/// One attempt, which has failed if somebody else is on the way.
fn enters(me: u32, variables: &Variables<5>) -> bool {
    let (own, other) = (me as usize, 1 - me as usize);
    variables.write(own, 1);
    variables.write(X, me + 1);
    if variables.read(Y) != NOBODY {
        variables.write(own, 0);
        wait_for(variables, Y, NOBODY);
        return false;
    }
    variables.write(Y, me + 1);
    if variables.read(X) == me + 1 {
        return true;
    }
    variables.write(own, 0);
    wait_for(variables, other, 0);
    if variables.read(Y) == me + 1 {
        return true;
    }
    wait_for(variables, Y, NOBODY);
    false
}

fn wait_for(variables: &Variables<5>, variable: usize, value: u32) {
    for _ in 0..LOOKS {
        if variables.read(variable) == value {
            break;
        }
    }
}
