//! Setters write a pair one half after the other and checkers look at it without a lock.
//!
//! A checker that comes between the two writes of the first setter sees half a pair; the more
//! setters there are, the more delays (but not preemptions) it takes. From the CS suite in
//! SCTBench (ids 19 to 23). Of a checker's loads, the one of `b` in the first test is no
//! scheduling point, as in the study.

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::{REORDER_3, REORDER_4, REORDER_5, REORDER_10, REORDER_20};
use crate::{Arguments, Parameter, Program, Published};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use unpick::sync::Mutex;
use unpick::sync::atomic::{AtomicI32, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM_3: Program = pair(&REORDER_3, TWIN, |arguments| {
    set_and_check(arguments, 2, 1);
});
pub(crate) const PROGRAM_4: Program = pair(&REORDER_4, TWIN, |arguments| {
    set_and_check(arguments, 3, 1);
});
pub(crate) const PROGRAM_5: Program = pair(&REORDER_5, TWIN, |arguments| {
    set_and_check(arguments, 4, 1);
});
pub(crate) const PROGRAM_10: Program = pair(&REORDER_10, TWIN, |arguments| {
    set_and_check(arguments, 9, 1);
});
pub(crate) const PROGRAM_20: Program = pair(&REORDER_20, SIZED, |arguments| {
    let (setters, checkers) = (arguments.size("setters"), arguments.size("checkers"));
    set_and_check(arguments, setters, checkers);
});

const FIXED: Parameter = Parameter::twin("0 writes and reads the pair under a lock");
const TWIN: &[Parameter] = &[FIXED];
/// Larger programs of the same family were measured elsewhere.
const SIZED: &[Parameter] = &[
    FIXED,
    Parameter::size("setters", "tasks that write the pair", 10, 1, 100).quiet(),
    Parameter::size("checkers", "tasks that read the pair", 10, 1, 100).quiet(),
];

const fn pair(
    published: &'static Published,
    parameters: &'static [Parameter],
    body: fn(&Arguments),
) -> Program {
    with_twin(
        published,
        "setters write a pair that checkers read without a lock",
        "a checker can see the first half of a pair without the second",
        parameters,
        body,
    )
}

struct Pair {
    a: AtomicI32,
    b: AtomicI32,
    // Invariant: equals `b` at every scheduling point; reading it is no scheduling point.
    b_unseen: std::sync::atomic::AtomicI32,
    /// Held around every access by the fixed twin.
    lock: Option<Mutex<()>>,
}

fn set_and_check(arguments: &Arguments, setters: usize, checkers: usize) {
    let pair = Arc::new(Pair {
        a: AtomicI32::new(0),
        b: AtomicI32::new(0),
        b_unseen: std::sync::atomic::AtomicI32::new(0),
        lock: (!arguments.is_on("bug")).then(Mutex::default),
    });
    let mut handles = Vec::with_capacity(setters + checkers);
    for _ in 0..setters {
        let pair = pair.clone();
        handles.push(thread::spawn(move || set(&pair)));
    }
    for _ in 0..checkers {
        let pair = pair.clone();
        handles.push(thread::spawn(move || check(&pair)));
    }
    join_all(handles);
}

fn set(pair: &Pair) {
    let _guard = pair.lock.as_ref().map(|lock| lock.lock().unwrap());
    pair.a.store(1, SeqCst);
    pair.b.store(-1, SeqCst);
    pair.b_unseen.store(-1, Relaxed);
}

fn check(pair: &Pair) {
    let _guard = pair.lock.as_ref().map(|lock| lock.lock().unwrap());
    if pair.a.load(SeqCst) == 0 && pair.b_unseen.load(Relaxed) == 0 {
        return;
    }
    assert!(pair.a.load(SeqCst) == 1, "half a pair: a is not set");
    assert!(pair.b.load(SeqCst) == -1, "half a pair: b is not set");
}
