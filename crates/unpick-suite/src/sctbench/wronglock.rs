//! Tasks increment a number, but one of them under another lock than the rest.
//!
//! The odd one sees the number change in its critical section. From the CS suite in SCTBench
//! (ids 30 and 31).

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::{WRONGLOCK, WRONGLOCK_3};
use crate::{Arguments, Parameter, Program, Published};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicU32, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = increments(&WRONGLOCK, |arguments| {
    increment_all(arguments, 7);
});
pub(crate) const PROGRAM_3: Program = increments(&WRONGLOCK_3, |arguments| {
    increment_all(arguments, 3);
});

const TWIN: &[Parameter] = &[Parameter::twin("0 takes the right lock everywhere")];

const fn increments(published: &'static Published, body: fn(&Arguments)) -> Program {
    with_twin(
        published,
        "increments of one number under two different locks",
        "the two locks do not exclude each other",
        TWIN,
        body,
    )
}

struct Shared {
    right_lock: Mutex<()>,
    wrong_lock: Mutex<()>,
    number: AtomicU32,
}

fn increment_all(arguments: &Arguments, wrong: usize) {
    let takes_wrong_lock = arguments.is_on("bug");
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
        handles.push(thread::spawn(move || increment(&shared, takes_wrong_lock)));
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

fn increment(shared: &Shared, takes_wrong_lock: bool) {
    let lock = match takes_wrong_lock {
        true => &shared.wrong_lock,
        false => &shared.right_lock,
    };
    let guard = lock.lock().unwrap();
    let number = shared.number.load(SeqCst);
    shared.number.store(number + 1, SeqCst);
    drop(guard);
}
