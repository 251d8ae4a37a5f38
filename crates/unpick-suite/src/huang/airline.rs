//! A flight that is sold by as many tasks as it has seats, or until one of them stops the sales.
//!
//! As the public tool has it: looking and selling are one critical section, so that nothing is oversold, and what
//! depends on the schedule is how many sellers there are. `ibm.airlinetickets` has the fault.

use super::{Variables, program};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "huang.airline",
    "sellers of a flight, one of whom stops the sales",
    &[Parameter::size("n", "sellers at most", 3, 1, 10)],
    None,
    body,
);

const SOLD: usize = 0;
const STOPPED: usize = 1;

fn body(arguments: &Arguments) {
    let sellers = arguments.get("n");
    let capacity = sellers - (sellers / 10).max(1);
    let flight = Arc::new((Mutex::new(()), Variables::<2>::new()));
    let mut tasks = Vec::new();
    for _ in 0..sellers {
        if flight.1.read(STOPPED) == 1 {
            break;
        }
        let flight = Arc::clone(&flight);
        tasks.push(thread::spawn(move || {
            let (lock, variables) = &*flight;
            let _guard = lock.lock().unwrap();
            let sold = variables.read(SOLD);
            match sold >= capacity {
                true => variables.write(STOPPED, 1),
                false => variables.write(SOLD, sold + 1),
            }
        }));
    }
    tasks.into_iter().for_each(|task| task.join().unwrap());
    let sold = flight.1.read(SOLD);
    assert!(sold <= capacity, "{sold} of {capacity} seats are sold");
}
