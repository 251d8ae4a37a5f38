//! `n` dining philosophers with one lock for each fork.
//!
//! Everybody takes the fork at his own place first, so that all can hold one and wait for ever;
//! with `bug=0` the fork with the smaller number comes first. After E. W. Dijkstra; a family used
//! by all the Rust peers.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "philosophers",
    summary: "dining philosophers",
    source: Source::Peers,
    parameters: &[
        Parameter::size("n", "tasks", 3, 2, 64),
        Parameter::switch("bug", "0 takes the forks in the order of their numbers", 1),
    ],
    fault: Some("all can take their first fork and wait for the second"),
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let seats = arguments.size("n");
    let ordered = !arguments.is_on("bug");
    let forks: Arc<[Mutex<()>]> = (0..seats).map(|_| Mutex::new(())).collect();
    let handles = (0..seats)
        .map(|seat| {
            let forks = forks.clone();
            thread::spawn(move || {
                let (own, other) = (seat, (seat + 1) % seats);
                if ordered {
                    dine(&forks[own.min(other)], &forks[own.max(other)]);
                } else {
                    dine(&forks[own], &forks[other]);
                }
            })
        })
        .collect();
    join_all(handles);
}

fn dine(first: &Mutex<()>, second: &Mutex<()>) {
    let first = first.lock().unwrap();
    let second = second.lock().unwrap();
    drop(second);
    drop(first);
}
