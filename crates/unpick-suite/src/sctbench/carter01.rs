//! Two groups of readers share a resource lock that the first of a group takes and the last
//! gives back.
//!
//! A task that waits for the resource keeps the lock of the counters, which the owner needs to
//! give the resource back: a deadlock. Two more tasks do nothing. From the CS suite in SCTBench
//! (id 6).

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::CARTER01;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &CARTER01,
    "two groups share a resource lock through counters",
    "the resource is awaited while the lock of the counters is held",
    &[Parameter::twin("0 gives each group a lock for its counter")],
    body,
);

struct Shared {
    /// The faulty program uses the first lock only.
    counters: [Mutex<[u32; 2]>; 2],
    resource: Mutex<()>,
}

fn body(arguments: &Arguments) {
    let shared = Arc::new(Shared {
        counters: Default::default(),
        resource: Mutex::new(()),
    });
    let mut handles = Vec::with_capacity(4);
    for group in 0..2 {
        let shared = shared.clone();
        let lock = if arguments.is_on("bug") { 0 } else { group };
        handles.push(thread::spawn(move || use_resource(&shared, group, lock)));
    }
    for _ in 0..2 {
        handles.push(thread::spawn(|| {}));
    }
    join_all(handles);
}

fn use_resource(shared: &Shared, group: usize, lock: usize) {
    let mut resource = None;
    let mut counters = shared.counters[lock].lock().unwrap();
    counters[group] += 1;
    if counters[group] == 1 {
        resource = Some(shared.resource.lock().unwrap());
    }
    drop(counters);
    let mut counters = shared.counters[lock].lock().unwrap();
    counters[group] -= 1;
    if counters[group] == 0 {
        drop(resource.take());
    }
    drop(counters);
}
