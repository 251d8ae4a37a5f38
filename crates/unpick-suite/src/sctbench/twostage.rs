//! A writer fills two places in two stages, each under its own lock, and a reader compares them.
//!
//! A reader that comes between the stages sees the first place filled and the second not. With a
//! hundred tasks the two accesses of a writer to the first place are scheduling points too, as in
//! the study. From the CS suite in SCTBench (ids 28 and 29).

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::{TWOSTAGE, TWOSTAGE_100};
use crate::{Arguments, Parameter, Program, Published};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use unpick::sync::atomic::Ordering::SeqCst;
use unpick::sync::{Mutex, MutexGuard};
use unpick::thread;

pub(crate) const PROGRAM: Program = stages(&TWOSTAGE, TWIN, |arguments| {
    write_and_read(arguments, 1, write);
});
pub(crate) const PROGRAM_100: Program = stages(&TWOSTAGE_100, SIZED, |arguments| {
    write_and_read(arguments, arguments.size("writers"), write_racily);
});

const FIXED: Parameter = Parameter::twin("0 keeps the first lock over both stages");
const TWIN: &[Parameter] = &[FIXED];
/// Smaller programs of the same family were measured elsewhere.
const SIZED: &[Parameter] = &[
    FIXED,
    Parameter::size("writers", "tasks that write", 99, 1, 1000).quiet(),
];

const fn stages(
    published: &'static Published,
    parameters: &'static [Parameter],
    body: fn(&Arguments),
) -> Program {
    with_twin(
        published,
        "two places written in two critical sections",
        "the reader can come between the two stages",
        parameters,
        body,
    )
}

struct Places {
    first_lock: Mutex<()>,
    // Invariant: the first place; accesses to it are no scheduling points.
    first: AtomicU32,
    // Invariant: equals `first` at every scheduling point, for the accesses that are one.
    first_racy: unpick::sync::atomic::AtomicU32,
    second: Mutex<u32>,
    keeps_lock: bool,
}

impl Places {
    /// What is left of the first lock after the first stage: nothing in the faulty program.
    fn keep<'a>(&self, first_lock: MutexGuard<'a, ()>) -> Option<MutexGuard<'a, ()>> {
        self.keeps_lock.then_some(first_lock)
    }
}

fn write_and_read(arguments: &Arguments, writers: usize, write: fn(&Places)) {
    let places = Arc::new(Places {
        first_lock: Mutex::new(()),
        first: AtomicU32::new(0),
        first_racy: unpick::sync::atomic::AtomicU32::new(0),
        second: Mutex::new(0),
        keeps_lock: !arguments.is_on("bug"),
    });
    let mut handles = Vec::with_capacity(writers + 1);
    for _ in 0..writers {
        let places = places.clone();
        handles.push(thread::spawn(move || write(&places)));
    }
    handles.push(thread::spawn(move || read(&places)));
    join_all(handles);
}

fn write(places: &Places) {
    let first_lock = places.first_lock.lock().unwrap();
    places.first.store(1, Relaxed);
    let first_lock = places.keep(first_lock);
    let mut second = places.second.lock().unwrap();
    *second = places.first.load(Relaxed) + 1;
    drop(second);
    drop(first_lock);
}

fn write_racily(places: &Places) {
    let first_lock = places.first_lock.lock().unwrap();
    places.first_racy.store(1, SeqCst);
    places.first.store(1, Relaxed);
    let first_lock = places.keep(first_lock);
    let mut second = places.second.lock().unwrap();
    *second = places.first_racy.load(SeqCst) + 1;
    drop(second);
    drop(first_lock);
}

fn read(places: &Places) {
    let first_lock = places.first_lock.lock().unwrap();
    let first = places.first.load(Relaxed);
    drop(first_lock);
    if first == 0 {
        return;
    }
    let guard = places.second.lock().unwrap();
    let second = *guard;
    drop(guard);
    assert!(second == first + 1, "the second stage is missing");
}
