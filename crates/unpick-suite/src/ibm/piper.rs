//! Passengers wait for a free seat; after a wake-up they do not look again.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::{Condvar, Mutex};

pub(crate) const PROGRAM: Program = program(
    "ibm.piper",
    "seats that are waited for",
    "a task waits once and not in a loop",
    &[Parameter::twin("0 waits in a loop")],
    body,
);

const SEATS: usize = 1;
const PASSENGERS: usize = 3;

#[derive(Default)]
struct Plane {
    taken: Mutex<usize>,
    freed: Condvar,
}

impl Plane {
    fn sit(&self, looks_again: bool) {
        let mut taken = self.taken.lock().unwrap();
        if looks_again {
            while *taken == SEATS {
                taken = self.freed.wait(taken).unwrap();
            }
        } else if *taken == SEATS {
            taken = self.freed.wait(taken).unwrap();
        }
        *taken += 1;
        assert!(*taken <= SEATS, "{} of {SEATS} seats are taken", *taken);
        drop(taken);
    }

    fn stand(&self) {
        *self.taken.lock().unwrap() -= 1;
        self.freed.notify_all();
    }
}

fn body(arguments: &Arguments) {
    let looks_again = !arguments.is_on("bug");
    let plane = Arc::new(Plane::default());
    run_all(PASSENGERS, move |_| {
        plane.sit(looks_again);
        plane.stand();
    });
}
