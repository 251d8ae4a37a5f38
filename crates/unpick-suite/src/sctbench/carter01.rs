//! Two groups of readers share a resource lock that the first of a group takes and the last
//! gives back.
//!
//! A task that waits for the resource keeps the lock of the counters, which the owner needs to
//! give the resource back: a deadlock. Two more tasks do nothing. From the CS suite in SCTBench
//! (id 6).

use super::program;
use crate::join::join_all;
use crate::published::rows::CARTER01;
use crate::{Arguments, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    &CARTER01,
    "two groups share a resource lock through counters",
    "the resource is awaited while the lock of the counters is held",
    body,
);

struct Shared {
    counters: Mutex<[u32; 2]>,
    resource: Mutex<()>,
}

fn body(_: &Arguments) {
    let shared = Arc::new(Shared {
        counters: Mutex::new([0; 2]),
        resource: Mutex::new(()),
    });
    let mut handles = Vec::with_capacity(4);
    for group in 0..2 {
        let shared = shared.clone();
        handles.push(thread::spawn(move || use_resource(&shared, group)));
    }
    for _ in 0..2 {
        handles.push(thread::spawn(|| {}));
    }
    join_all(handles);
}

fn use_resource(shared: &Shared, group: usize) {
    let mut resource = None;
    let mut counters = shared.counters.lock().unwrap();
    counters[group] += 1;
    if counters[group] == 1 {
        resource = Some(shared.resource.lock().unwrap());
    }
    drop(counters);
    let mut counters = shared.counters.lock().unwrap();
    counters[group] -= 1;
    if counters[group] == 0 {
        drop(resource.take());
    }
    drop(counters);
}
