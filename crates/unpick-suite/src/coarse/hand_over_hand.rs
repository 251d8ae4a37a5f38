//! `n` tasks walk down a list with a lock in each node, holding two locks at a time, and each adds
//! to the node that its number names.
//!
//! Locked: each node on the way. Conflicts: nothing but additions to one node, since values on the
//! way are not looked at; but nobody can overtake another on the list. After R. Bayer and
//! M. Schkolnick.

use super::{program, run_tasks};
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;

pub(crate) const PROGRAM: Program = program(
    "coarse.hand_over_hand",
    "a list walked with two locks at a time",
    &[
        Parameter::size("n", "tasks", 4, 1, 16),
        Parameter::size("nodes", "nodes", 3, 1, 64),
    ],
    body,
);

fn body(arguments: &Arguments) {
    let (tasks, nodes) = (arguments.size("n"), arguments.size("nodes"));
    let list: Vec<Mutex<u32>> = (0..nodes).map(|_| Mutex::new(0)).collect();
    run_tasks(
        tasks,
        list,
        move |list, number| {
            let mut here = list[0].lock().unwrap();
            for node in &list[1..=number % nodes] {
                let next = node.lock().unwrap();
                drop(here);
                here = next;
            }
            *here += 1;
            drop(here);
        },
        move |list| {
            let counts = list.into_iter().map(|node| node.into_inner().unwrap());
            assert!(counts.sum::<u32>() == tasks as u32, "lost update");
        },
    );
}
