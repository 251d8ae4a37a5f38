//! NSPR: two tasks take two locks in opposite orders, one at the beginning of its life and one at the end.
//!
//! Deadlock, depth 2. Whoever chooses at random has long left the first window when the second one comes.

use super::{Business, program};
use crate::join::join_all;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "needlepoint.nspr",
    "thread library with two locks",
    "the locks are taken in opposite orders",
    &[Parameter::twin("0 takes the locks in one order")],
    body,
);

/// Points before and after the locks, and while the first lock is held.
const SHORT: usize = 300;
const LONG: usize = 2_330;
const HELD: usize = 40;

fn body(arguments: &Arguments) {
    let is_faulty = arguments.is_on("bug");
    let locks: Arc<[Mutex<()>; 2]> = Arc::default();
    let orders = [
        (0, 1, SHORT, LONG),
        match is_faulty {
            true => (1, 0, LONG, SHORT),
            false => (0, 1, LONG, SHORT),
        },
    ];
    let handles = orders
        .map(|(first, second, before, after)| {
            let locks = locks.clone();
            thread::spawn(move || {
                let business = Business::default();
                business.pass(before);
                let outer = locks[first].lock().unwrap();
                business.pass(HELD);
                let inner = locks[second].lock().unwrap();
                drop(inner);
                drop(outer);
                business.pass(after);
            })
        })
        .into();
    join_all(handles);
}
