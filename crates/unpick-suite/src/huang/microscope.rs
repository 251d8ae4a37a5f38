//! Section 3.1: the control program of an electron microscope. A position, two fields, is never changed but
//! replaced by a new one; who follows the reference finds fields that fit together.
//!
//! A position is a number here, its fields are variables of their own, and the reference is a variable that
//! holds the number. The first position is there before the tasks.

use super::{Variables, program};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::atomic::Ordering::SeqCst;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "huang.microscope",
    "an object that is replaced, and read through a reference",
    &[Parameter::size(
        "n",
        "times it is replaced, and looked at",
        1,
        1,
        3,
    )],
    Some("under PSO the reference can be seen before the fields"),
    body,
);

/// The first field of a position; the second one follows.
const fn field(position: u32) -> usize {
    1 + 2 * position as usize
}

const REFERENCE: usize = 0;

fn body(arguments: &Arguments) {
    let turns = arguments.get("n");
    let variables = Variables::<9>::new();
    variables.0[field(0)].store(1, SeqCst);
    variables.0[field(0) + 1].store(2, SeqCst);
    let mover = {
        let variables = Arc::clone(&variables);
        thread::spawn(move || {
            for position in 0..turns {
                let x = variables.read(field(position));
                let y = variables.read(field(position) + 1);
                variables.write(field(position + 1), x + 1);
                variables.write(field(position + 1) + 1, y + 1);
                variables.write(REFERENCE, position + 1);
            }
        })
    };
    let watcher = thread::spawn(move || {
        (0..turns).all(|_| {
            let position = variables.read(REFERENCE);
            variables.read(field(position)) + 1 == variables.read(field(position) + 1)
        })
    });
    mover.join().unwrap();
    assert!(watcher.join().unwrap(), "the fields do not fit together");
}
