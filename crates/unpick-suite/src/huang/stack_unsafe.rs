//! Two tasks push and pop on one stack without a lock. Only the height of the stack matters, and so there is
//! nothing else: an update of it that is lost leaves the later pop with an empty stack.

use super::{Section, Variables, program, run_both_locked};
use crate::{Parameter, Program};

pub(crate) const PROGRAM: Program = program(
    "huang.stackunsafe",
    "two tasks push and pop without a lock",
    &[Parameter::twin("0 pushes and pops under a lock")],
    Some("a lost update of the height makes a pop underflow"),
    |arguments| run_both_locked(!arguments.is_on("bug"), task),
);

const HEIGHT: usize = 0;
const ROUNDS: u32 = 2;

fn task(in_section: Section<'_>, variables: &Variables<1>) {
    for _ in 0..ROUNDS {
        in_section(&|| variables.write(HEIGHT, variables.read(HEIGHT) + 1));
        in_section(&|| {
            let height = variables.read(HEIGHT);
            assert!(height > 0, "underflow");
            variables.write(HEIGHT, height - 1);
        });
    }
}
