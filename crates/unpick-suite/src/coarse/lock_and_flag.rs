//! `n` workers write slots of their own until one more task raises a flag, which no lock guards.
//!
//! Locked: all slots, by one lock. Conflicts: the flag, with each look at it; the slots not at all.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.lock_and_flag",
    "sections behind one lock that a flag can stop",
    &[
        Parameter::size("n", "workers", 2, 1, 16),
        Parameter::size("m", "sections of each worker", 2, 1, 100),
    ],
    body,
);

struct Shared {
    lock: Mutex<()>,
    slots: Box<[AtomicU32]>,
    stop: AtomicBool,
}

fn body(arguments: &Arguments) {
    let (workers, rounds) = (arguments.size("n"), arguments.get("m"));
    let shared = Shared {
        lock: Mutex::new(()),
        slots: zeros(workers),
        stop: AtomicBool::new(false),
    };
    run_tasks(
        workers + 1,
        shared,
        move |shared, number| {
            let Some(slot) = shared.slots.get(number) else {
                shared.stop.store(true, SeqCst);
                return;
            };
            for round in 1..=rounds {
                if shared.stop.load(SeqCst) {
                    return;
                }
                section(&shared.lock, || slot.store(round, SeqCst));
            }
        },
        move |shared| assert!(values(shared.slots).iter().all(|slot| *slot <= rounds)),
    );
}
