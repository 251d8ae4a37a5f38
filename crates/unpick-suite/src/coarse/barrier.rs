//! `n` tasks write a slot each, meet at a barrier that is built of a mutex and a condition, and
//! then read their neighbour's slot.
//!
//! Locked: the number of arrivals, inside the lock of the barrier. Conflicts: every arrival counts,
//! but who comes in which order changes nothing except who is last and wakes the others.

use super::{program, run_tasks, zeros};
use crate::{Arguments, Parameter, Program};
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM: Program = program(
    "coarse.barrier",
    "a barrier built of a mutex and a condition variable",
    &[Parameter::size("n", "tasks", 3, 1, 16)],
    body,
);

struct Meeting {
    arrived: Mutex<usize>,
    complete: Condvar,
    slots: Box<[AtomicU32]>,
}

impl Meeting {
    fn wait(&self) {
        let mut arrived = self.arrived.lock().unwrap();
        *arrived += 1;
        if *arrived == self.slots.len() {
            self.complete.notify_all();
        }
        while *arrived < self.slots.len() {
            arrived = self.complete.wait(arrived).unwrap();
        }
        drop(arrived);
    }
}

fn body(arguments: &Arguments) {
    let tasks = arguments.size("n");
    let meeting = Meeting {
        arrived: Mutex::new(0),
        complete: Condvar::new(),
        slots: zeros(tasks),
    };
    run_tasks(
        tasks,
        meeting,
        move |meeting, number| {
            meeting.slots[number].store(1, SeqCst);
            meeting.wait();
            let neighbour = meeting.slots[(number + 1) % tasks].load(SeqCst);
            assert!(neighbour == 1, "somebody passed the barrier too early");
        },
        move |meeting| assert!(meeting.arrived.into_inner().unwrap() == tasks),
    );
}
