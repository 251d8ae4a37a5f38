//! Chapter 4: one task counts up, the other one down, `max` times each, and neither does so at once.

use super::{Variables, program};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "huang.counter",
    "a counter that is read and written by two tasks",
    &[Parameter::size("max", "turns of each task", 2, 1, 5)],
    None,
    body,
);

fn body(arguments: &Arguments) {
    let turns = arguments.size("max");
    let variables = Variables::<1>::new();
    let tasks = [1, u32::MAX].map(|change| {
        let variables = Arc::clone(&variables);
        thread::spawn(move || {
            for _ in 0..turns {
                let value = variables.read(0);
                variables.write(0, value.wrapping_add(change));
            }
        })
    });
    for task in tasks {
        task.join().unwrap();
    }
}
