//! Memcached: three clients increment a value, each by a get and a set that are atomic one by one.
//!
//! Atomicity violation, depth 2. Each client first opens its connection and makes requests, 0, 15, 25
//! or 35 of them; with every access to memory a scheduling point, all of it is about 93 times as long.

use super::{Business, program};
use crate::join::join_all;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program =
    clients("needlepoint.memcached", |arguments| run(arguments, 0, 1));
pub(crate) const PROGRAM_15: Program = clients("needlepoint.memcached_15", |arguments| {
    run(arguments, 15, 1)
});
pub(crate) const PROGRAM_25: Program = clients("needlepoint.memcached_25", |arguments| {
    run(arguments, 25, 1)
});
pub(crate) const PROGRAM_35: Program = clients("needlepoint.memcached_35", |arguments| {
    run(arguments, 35, 1)
});
pub(crate) const PROGRAM_ALL: Program = clients("needlepoint.memcached_all", |arguments| {
    run(arguments, 0, 93);
});

const TWIN: &[Parameter] = &[Parameter::twin("0 holds the lock from get to set")];

const fn clients(name: &'static str, body: fn(&Arguments)) -> Program {
    program(
        name,
        "cache whose clients increment a value",
        "another client can come between get and set",
        TWIN,
        body,
    )
}

const CLIENTS: usize = 3;
/// Points of opening a connection, of one request, and of what lies between get and set.
const OPENING: usize = 272;
const REQUEST: usize = 30;
const BETWEEN: usize = 2;

fn run(arguments: &Arguments, requests: usize, accesses: usize) {
    let is_faulty = arguments.is_on("bug");
    let value = Arc::new(Mutex::new(0));
    let handles = (0..CLIENTS)
        .map(|_| {
            let value = value.clone();
            thread::spawn(move || {
                let business = Business::default();
                business.pass((OPENING + requests * REQUEST) * accesses);
                let guard = value.lock().unwrap();
                let old = *guard;
                let held = (!is_faulty).then_some(guard);
                business.pass(BETWEEN * accesses);
                let mut guard = held.unwrap_or_else(|| value.lock().unwrap());
                *guard = old + 1;
                drop(guard);
            })
        })
        .collect();
    join_all(handles);
    let value = *value.lock().unwrap();
    assert!(value == CLIENTS, "{value} after {CLIENTS} increments");
}
