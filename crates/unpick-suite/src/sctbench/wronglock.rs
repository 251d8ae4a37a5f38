//! Tasks increment a number, but one of them under another lock than the rest.
//!
//! The odd one sees the number change in its critical section. From the CS suite in SCTBench
//! (ids 30 and 31).

use super::program;
use crate::join::join_all;
use crate::published::rows::{WRONGLOCK, WRONGLOCK_3};
use crate::{Arguments, Program, Published};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = increments(&WRONGLOCK, |_| increment_all(7));
pub(crate) const PROGRAM_3: Program = increments(&WRONGLOCK_3, |_| increment_all(3));

const fn increments(published: &'static Published, body: fn(&Arguments)) -> Program {
    program(
        published,
        "increments of one number under two different locks",
        "the two locks do not exclude each other",
        body,
    )
}

struct Shared {
    right_lock: Mutex<()>,
    wrong_lock: Mutex<()>,
    number: AtomicU32,
}

fn increment_all(wrong: usize) {
    let shared = Arc::new(Shared {
        right_lock: Mutex::new(()),
        wrong_lock: Mutex::new(()),
        number: AtomicU32::new(0),
    });
    let mut handles = Vec::with_capacity(wrong + 1);
    let own = shared.clone();
    handles.push(thread::spawn(move || increment_and_check(&own)));
    for _ in 0..wrong {
        let shared = shared.clone();
        handles.push(thread::spawn(move || increment(&shared)));
    }
    join_all(handles);
}

fn increment_and_check(shared: &Shared) {
    let guard = shared.right_lock.lock().unwrap();
    let before = shared.number.load(SeqCst);
    let number = shared.number.load(SeqCst);
    shared.number.store(number + 1, SeqCst);
    assert!(
        shared.number.load(SeqCst) == before + 1,
        "the number changed under the lock"
    );
    drop(guard);
}

fn increment(shared: &Shared) {
    let guard = shared.wrong_lock.lock().unwrap();
    let number = shared.number.load(SeqCst);
    shared.number.store(number + 1, SeqCst);
    drop(guard);
}
