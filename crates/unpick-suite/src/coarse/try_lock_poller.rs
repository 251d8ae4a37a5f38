//! `n` tasks write slots of their own, while one more polls the lock with `try_lock`.
//!
//! Locked: all slots, by one lock. Conflicts: the slots do not, but a refused `try_lock` can be told
//! from a granted one: the order of locking itself is seen by the poller, and by it alone.

use super::{program, run_tasks, values, zeros};
use crate::section::section;
use crate::{Arguments, Parameter, Program};
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};

pub(crate) const PROGRAM: Program = program(
    "coarse.try_lock_poller",
    "disjoint writers and a task that polls their lock",
    &[
        Parameter::size("n", "writers", 3, 1, 16),
        Parameter::size("polls", "polls", 2, 0, 100),
    ],
    body,
);

struct Polled {
    lock: Mutex<()>,
    slots: Box<[AtomicU32]>,
    granted: AtomicU32,
}

fn body(arguments: &Arguments) {
    let (writers, polls) = (arguments.size("n"), arguments.get("polls"));
    let polled = Polled {
        lock: Mutex::new(()),
        slots: zeros(writers),
        granted: AtomicU32::new(0),
    };
    run_tasks(
        writers + 1,
        polled,
        move |polled, number| match polled.slots.get(number) {
            Some(slot) => section(&polled.lock, || slot.store(1, SeqCst)),
            None => {
                for _ in 0..polls {
                    if let Ok(guard) = polled.lock.try_lock() {
                        polled.granted.fetch_add(1, SeqCst);
                        drop(guard);
                    }
                }
            }
        },
        move |polled| {
            assert!(values(polled.slots).iter().all(|slot| *slot == 1));
            assert!(polled.granted.into_inner() <= polls);
        },
    );
}
