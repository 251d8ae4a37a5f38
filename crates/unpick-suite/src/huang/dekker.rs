//! Dekker's algorithm, with both loops cut after a bound: `while … { if i++ > 0 { break } … }`.

use super::{Variables, program, run_both};
use crate::Program;

pub(crate) const PROGRAM: Program = program(
    "huang.dekker",
    "mutual exclusion by Dekker, its loops cut after a bound",
    &[],
    None,
    |_| run_both(task),
);

const TURN: usize = 2;
const DATA: usize = 3;

/// How often a task looks in each loop.
const LOOKS: u32 = 2;

fn task(me: u32, variables: &Variables<4>) {
    let (own, other) = (me as usize, 1 - me as usize);
    variables.write(own, 1);
    let mut looks = 0;
    while variables.read(other) == 1 {
        looks += 1;
        if looks == LOOKS {
            break;
        }
        if variables.read(TURN) != me {
            variables.write(own, 0);
            for _ in 0..LOOKS {
                if variables.read(TURN) == me {
                    break;
                }
            }
            variables.write(own, 1);
        }
    }
    variables.write(DATA, me + 1);
    variables.read(DATA);
    variables.write(TURN, 1 - me);
    variables.write(own, 0);
}
