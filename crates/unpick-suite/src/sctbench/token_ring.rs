//! Three tasks pass a number round a ring and a fourth one demands that all three places agree.
//!
//! They agree only if the three went in the order of the ring. From the CS suite in SCTBench
//! (id 27).

use super::with_twin;
use crate::published::rows::TOKEN_RING;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &TOKEN_RING,
    "a number passed round a ring of three",
    "nothing makes the three tasks go in the order of the ring",
    &[Parameter::twin("0 lets each wait for the one before it")],
    body,
);

struct Ring {
    places: [u32; 3],
    passed: [bool; 3],
}

fn body(arguments: &Arguments) {
    let ring = Arc::new(Mutex::new(Ring {
        places: [1, 2, 1],
        passed: [false; 3],
    }));
    for act in [pass_first, pass_second, pass_third, check] {
        let ring = ring.clone();
        let task = thread::spawn(move || act(&ring));
        if !arguments.is_on("bug") {
            task.join().unwrap();
        }
    }
}

fn pass_first(ring: &Mutex<Ring>) {
    let mut ring = ring.lock().unwrap();
    ring.places[0] = (ring.places[2] + 1) % 4;
    ring.passed[0] = true;
    drop(ring);
}

fn pass_second(ring: &Mutex<Ring>) {
    let mut ring = ring.lock().unwrap();
    ring.places[1] = ring.places[0];
    ring.passed[1] = true;
    drop(ring);
}

fn pass_third(ring: &Mutex<Ring>) {
    let mut ring = ring.lock().unwrap();
    ring.places[2] = ring.places[1];
    ring.passed[2] = true;
    drop(ring);
}

fn check(ring: &Mutex<Ring>) {
    let ring = ring.lock().unwrap();
    if ring.passed == [true; 3] {
        let [first, second, third] = ring.places;
        assert!(first == second && second == third, "the places differ");
    }
    drop(ring);
}
