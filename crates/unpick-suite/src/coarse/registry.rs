//! `n` tasks register themselves under their number and then look their neighbour up.
//!
//! Locked: the whole map, inside one lock. Conflicts: seen from the guard, every registration with
//! everything else; the lookups not with each other.

use super::{program, run_tasks};
use crate::{Arguments, Parameter, Program};
use std::collections::BTreeMap;
use unpick::sync::Mutex;

pub(crate) const PROGRAM: Program = program(
    "coarse.registry",
    "a map of names behind one lock",
    &[
        Parameter::size("n", "tasks", 3, 1, 16),
        Parameter::size("m", "lookups of each task", 2, 0, 100),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (tasks, lookups) = (arguments.size("n"), arguments.size("m"));
    run_tasks(
        tasks,
        Mutex::new(BTreeMap::new()),
        move |registry: &Mutex<BTreeMap<usize, usize>>, number| {
            let mut names = registry.lock().unwrap();
            names.insert(number, 10 * number);
            drop(names);
            let neighbour = (number + 1) % tasks;
            for _ in 0..lookups {
                let names = registry.lock().unwrap();
                let found = names.get(&neighbour).copied();
                drop(names);
                assert!(found.is_none_or(|name| name == 10 * neighbour));
            }
        },
        move |registry| assert!(registry.into_inner().unwrap().len() == tasks),
    );
}
