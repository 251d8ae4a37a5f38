//! Two tasks guard a counter with a lock that they wait for in a loop.
//!
//! Correct, but without `polite=1` the loop does not yield, and an unfair schedule spins for ever:
//! a tool needs a step limit or fairness. Used by all the Rust peers, which fail or never end.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use unpick::sync::atomic::{AtomicBool, AtomicUsize};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "spinlock",
    summary: "two tasks and a spin lock",
    source: Source::Peers,
    parameters: &[Parameter::switch("polite", "1 yields while it waits", 0)],
    fault: None,
    published: None,
    body,
};

struct Guarded {
    locked: AtomicBool,
    counter: AtomicUsize,
}

fn body(arguments: &Arguments) {
    let polite = arguments.is_on("polite");
    let guarded = Arc::new(Guarded {
        locked: AtomicBool::new(false),
        counter: AtomicUsize::new(0),
    });
    let handles = (0..2)
        .map(|_| {
            let guarded = guarded.clone();
            thread::spawn(move || increment(&guarded, polite))
        })
        .collect();
    join_all(handles);
    assert!(guarded.counter.load(Relaxed) == 2, "lost update");
}

fn increment(guarded: &Guarded, polite: bool) {
    while guarded
        .locked
        .compare_exchange(false, true, Acquire, Relaxed)
        .is_err()
    {
        if polite {
            thread::yield_now();
        }
    }
    let value = guarded.counter.load(Relaxed);
    guarded.counter.store(value + 1, Relaxed);
    guarded.locked.store(false, Release);
}
