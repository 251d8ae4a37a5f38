//! Section 3.4: the microscope bug made small. One task resets two fields, sets them, and says that they are
//! set; the other one looks whether they fit together when it is told so.

use super::{Variables, program};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "huang.fig3_9a",
    "two fields and a flag, set again and again",
    &[Parameter::size("n", "turns of each task", 1, 1, 4)],
    Some(
        "the fields can be seen before they are set: under PSO in the first turn, later under SC too",
    ),
    body,
);

const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;

fn body(arguments: &Arguments) {
    let turns = arguments.size("n");
    let variables = Variables::<3>::new();
    let writer = {
        let variables = Arc::clone(&variables);
        thread::spawn(move || {
            for _ in 0..turns {
                for (variable, value) in [(Z, 0), (X, 0), (Y, 0), (X, 2), (Y, 3), (Z, 1)] {
                    variables.write(variable, value);
                }
            }
        })
    };
    let reader = thread::spawn(move || {
        let mut is_torn = false;
        for _ in 0..turns {
            if variables.read(Z) == 1 && variables.read(X) + 1 != variables.read(Y) {
                // What is printed is read again, and may be whole by then.
                let _printed = (variables.read(X), variables.read(Y));
                is_torn = true;
            }
        }
        is_torn
    });
    writer.join().unwrap();
    assert!(!reader.join().unwrap(), "the fields do not fit together");
}
