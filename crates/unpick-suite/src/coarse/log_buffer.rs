//! `n` tasks append `m` lines each to one log.
//!
//! Locked: the log, inside one lock. Conflicts: all of it, since the order of lines is the content
//! of the log. Nothing to gain: every schedule has a state of its own.

use super::{program, run_tasks};
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;

pub(crate) const PROGRAM: Program = program(
    "coarse.log_buffer",
    "a log behind one lock, in which every order shows",
    &[
        Parameter::size("n", "tasks", 3, 1, 16),
        Parameter::size("m", "lines of each task", 2, 1, 100),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (tasks, lines) = (arguments.size("n"), arguments.size("m"));
    run_tasks(
        tasks,
        Mutex::new(Vec::new()),
        move |log: &Mutex<Vec<(usize, usize)>>, number| {
            for line in 0..lines {
                let mut log = log.lock().unwrap();
                log.push((number, line));
                drop(log);
            }
        },
        move |log| assert!(log.into_inner().unwrap().len() == tasks * lines),
    );
}
