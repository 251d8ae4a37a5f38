//! `n` tasks do `m` operations each on something of their own.
//!
//! Correct: nothing is shared, so that all schedules are one Mazurkiewicz trace and one execution
//! is enough. A family used by all the Rust peers.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "independent",
    summary: "tasks that share nothing",
    source: Source::Peers,
    parameters: &[
        Parameter::size("n", "tasks", 2, 1, 64),
        Parameter::size("m", "operations of each task", 4, 1, 1000),
    ],
    fault: None,
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let operations = arguments.size("m");
    let handles = (0..arguments.size("n"))
        .map(|_| {
            thread::spawn(move || {
                let own = AtomicUsize::new(0);
                for _ in 0..operations {
                    own.fetch_add(1, SeqCst);
                }
            })
        })
        .collect();
    join_all(handles);
}
