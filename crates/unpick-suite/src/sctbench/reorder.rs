//! Setters write a pair one half after the other and checkers look at it without a lock.
//!
//! A checker that comes between the two writes of the first setter sees half a pair; the more
//! setters there are, the more delays (but not preemptions) it takes. From the CS suite in
//! SCTBench (ids 19 to 23). Of a checker's loads, the one of `b` in the first test is no
//! scheduling point, as in the study.

use super::program;
use crate::join::join_all;
use crate::published::rows::{REORDER_3, REORDER_4, REORDER_5, REORDER_10, REORDER_20};
use crate::{Arguments, Program, Published};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use unpick::sync::atomic::{AtomicI32, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM_3: Program = pair(&REORDER_3, |_| set_and_check(2, 1));
pub(crate) const PROGRAM_4: Program = pair(&REORDER_4, |_| set_and_check(3, 1));
pub(crate) const PROGRAM_5: Program = pair(&REORDER_5, |_| set_and_check(4, 1));
pub(crate) const PROGRAM_10: Program = pair(&REORDER_10, |_| set_and_check(9, 1));
pub(crate) const PROGRAM_20: Program = pair(&REORDER_20, |_| set_and_check(10, 10));

const fn pair(published: &'static Published, body: fn(&Arguments)) -> Program {
    program(
        published,
        "setters write a pair that checkers read without a lock",
        "a checker can see the first half of a pair without the second",
        body,
    )
}

struct Pair {
    a: AtomicI32,
    b: AtomicI32,
    // Invariant: equals `b` at every scheduling point; reading it is no scheduling point.
    b_unseen: std::sync::atomic::AtomicI32,
}

fn set_and_check(setters: usize, checkers: usize) {
    let pair = Arc::new(Pair {
        a: AtomicI32::new(0),
        b: AtomicI32::new(0),
        b_unseen: std::sync::atomic::AtomicI32::new(0),
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
    pair.a.store(1, SeqCst);
    pair.b.store(-1, SeqCst);
    pair.b_unseen.store(-1, Relaxed);
}

fn check(pair: &Pair) {
    if pair.a.load(SeqCst) == 0 && pair.b_unseen.load(Relaxed) == 0 {
        return;
    }
    assert!(pair.a.load(SeqCst) == 1, "half a pair: a is not set");
    assert!(pair.b.load(SeqCst) == -1, "half a pair: b is not set");
}
