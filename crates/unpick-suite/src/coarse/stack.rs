//! `n` tasks push an element of their own onto one stack and pop whatever is on top then.
//!
//! Locked: the stack, inside one lock. Conflicts: all of it. Orders that leave the same elements
//! with the same tasks are one state, but no reduction by dependence can tell.

use super::{program, run_tasks, values, zeros};
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.stack",
    "a stack behind one lock",
    &[Parameter::size("n", "tasks", 3, 1, 16)],
    body,
);

struct Shared {
    stack: Mutex<Vec<u32>>,
    popped: Box<[AtomicU32]>,
}

fn body(arguments: &Arguments) {
    let tasks = arguments.size("n");
    let shared = Shared {
        stack: Mutex::default(),
        popped: zeros(tasks),
    };
    run_tasks(
        tasks,
        shared,
        |shared, number| {
            let mut stack = shared.stack.lock().unwrap();
            stack.push(number as u32 + 1);
            drop(stack);
            let mut stack = shared.stack.lock().unwrap();
            let top = stack.pop();
            drop(stack);
            shared.popped[number].store(top.unwrap(), SeqCst);
        },
        move |shared| {
            let mut popped = values(shared.popped);
            popped.sort_unstable();
            assert!(
                popped.into_iter().eq(1..=tasks as u32),
                "popped twice or lost"
            );
        },
    );
}
