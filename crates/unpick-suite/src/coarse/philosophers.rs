//! Dining philosophers who write down that they ate, in three ways of taking their forks.
//!
//! Locked: each fork, by its neighbours. Conflicts: nothing, since a philosopher writes on a plate
//! of his own; but the order of locking is not without meaning if it has a cycle: then all can hold
//! one fork and wait for the other. With numbered forks there is no cycle. With a waiter, one lock
//! is held while both forks are taken: the cycle is there and cannot lead to a deadlock. After
//! E. W. Dijkstra.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

const SEATS: &[Parameter] = &[Parameter::size("n", "philosophers", 3, 2, 16)];

pub(crate) const PROGRAM_CYCLE: Program = Program {
    fault: Some("all can take their first fork and wait for the second"),
    ..program(
        "coarse.philosophers_cycle",
        "dining philosophers with a cycle in the order of locking",
        SEATS,
        |arguments| dine(arguments, Manner::OwnFirst),
    )
};

pub(crate) const PROGRAM_ORDER: Program = program(
    "coarse.philosophers_order",
    "dining philosophers without a cycle in the order of locking",
    SEATS,
    |arguments| dine(arguments, Manner::LowerFirst),
);

pub(crate) const PROGRAM_WAITER: Program = program(
    "coarse.philosophers_waiter",
    "dining philosophers who take both forks under one lock",
    SEATS,
    |arguments| dine(arguments, Manner::Waiter),
);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    OwnFirst,
    LowerFirst,
    Waiter,
}

struct Table {
    waiter: Mutex<()>,
    forks: Vec<Mutex<()>>,
    plates: Box<[AtomicU32]>,
}

fn dine(arguments: &Arguments, manner: Manner) {
    let seats = arguments.size("n");
    let table = Table {
        waiter: Mutex::new(()),
        forks: (0..seats).map(|_| Mutex::new(())).collect(),
        plates: zeros(seats),
    };
    run_tasks(
        seats,
        table,
        move |table, seat| {
            let (own, other) = (seat, (seat + 1) % seats);
            let (first, second) = match manner {
                Manner::LowerFirst => (own.min(other), own.max(other)),
                Manner::OwnFirst | Manner::Waiter => (own, other),
            };
            let waiter = (manner == Manner::Waiter).then(|| table.waiter.lock().unwrap());
            let first = table.forks[first].lock().unwrap();
            section(&table.forks[second], || {
                drop(waiter);
                table.plates[seat].store(1, SeqCst);
            });
            drop(first);
        },
        |table| assert!(values(table.plates).iter().all(|plate| *plate == 1)),
    );
}
