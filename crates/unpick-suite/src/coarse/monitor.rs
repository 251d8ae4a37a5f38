//! `n` tasks share `permits` permits of a semaphore that is built as a monitor, and count in slots
//! of their own while they have one.
//!
//! Locked: the number of permits, by one lock with a condition. Conflicts: every section of the
//! monitor; the slots not at all.

use super::{program, run_tasks, values, zeros};
use crate::{Arguments, Parameter, Program};
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM: Program = program(
    "coarse.monitor",
    "permits given out by a monitor",
    &[
        Parameter::size("n", "tasks", 3, 1, 16),
        Parameter::size("permits", "permits", 1, 1, 16),
    ],
    body,
);

struct Permits {
    free: Mutex<u32>,
    released: Condvar,
    slots: Box<[AtomicU32]>,
}

impl Permits {
    fn acquire(&self) {
        let mut free = self.free.lock().unwrap();
        while *free == 0 {
            free = self.released.wait(free).unwrap();
        }
        *free -= 1;
        drop(free);
    }

    fn release(&self) {
        let mut free = self.free.lock().unwrap();
        *free += 1;
        self.released.notify_one();
        drop(free);
    }
}

fn body(arguments: &Arguments) {
    let (tasks, permits) = (arguments.size("n"), arguments.get("permits"));
    let shared = Permits {
        free: Mutex::new(permits),
        released: Condvar::new(),
        slots: zeros(tasks),
    };
    run_tasks(
        tasks,
        shared,
        |shared, number| {
            shared.acquire();
            shared.slots[number].store(1, SeqCst);
            shared.release();
        },
        move |shared| {
            assert!(shared.free.into_inner().unwrap() == permits);
            assert!(values(shared.slots).iter().all(|slot| *slot == 1));
        },
    );
}
