//! A writer fills two places in two stages, each under its own lock, and a reader compares them.
//!
//! A reader that comes between the stages sees the first place filled and the second not. With a
//! hundred tasks the two accesses of a writer to the first place are scheduling points too, as in
//! the study. From the CS suite in SCTBench (ids 28 and 29).

use super::program;
use crate::join::join_all;
use crate::published::rows::{TWOSTAGE, TWOSTAGE_100};
use crate::{Arguments, Program, Published};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use unpick::sync::Mutex;
use unpick::sync::atomic::Ordering::SeqCst;
use unpick::thread;

pub(crate) const PROGRAM: Program = stages(&TWOSTAGE, |_| write_and_read(1, write));
pub(crate) const PROGRAM_100: Program = stages(&TWOSTAGE_100, |_| write_and_read(99, write_racily));

const fn stages(published: &'static Published, body: fn(&Arguments)) -> Program {
    program(
        published,
        "two places written in two critical sections",
        "the reader can come between the two stages",
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
}

fn write_and_read(writers: usize, write: fn(&Places)) {
    let places = Arc::new(Places {
        first_lock: Mutex::new(()),
        first: AtomicU32::new(0),
        first_racy: unpick::sync::atomic::AtomicU32::new(0),
        second: Mutex::new(0),
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
    drop(first_lock);
    let mut second = places.second.lock().unwrap();
    *second = places.first.load(Relaxed) + 1;
    drop(second);
}

fn write_racily(places: &Places) {
    let first_lock = places.first_lock.lock().unwrap();
    places.first_racy.store(1, SeqCst);
    places.first.store(1, Relaxed);
    drop(first_lock);
    let mut second = places.second.lock().unwrap();
    *second = places.first_racy.load(SeqCst) + 1;
    drop(second);
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
