//! A string buffer appends another one whose length it has read under a lock it then lets go.
//!
//! Another task empties and refills that buffer in between, so that the remembered length is too
//! large. From the JDK 1.4 `StringBuffer`, by way of the CB suite in SCTBench (id 2).

use super::with_twin;
use crate::published::rows::STRINGBUFFER;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &STRINGBUFFER,
    "append one string buffer to another while its length changes",
    "the length is read and used in two critical sections",
    &[Parameter::twin("0 reads and uses it in one")],
    body,
);

struct Buffers {
    target: Mutex<()>,
    count: Mutex<u32>,
}

fn body(arguments: &Arguments) {
    let buffers = Arc::new(Buffers {
        target: Mutex::new(()),
        count: Mutex::new(3),
    });
    let shared = buffers.clone();
    drop(thread::spawn(move || erase_and_refill(&shared)));
    append(&buffers, arguments.is_on("bug"));
}

fn append(buffers: &Buffers, lets_go: bool) {
    let target = buffers.target.lock().unwrap();
    let mut count = buffers.count.lock().unwrap();
    let length = *count;
    if lets_go {
        drop(count);
        count = buffers.count.lock().unwrap();
    }
    assert!(length <= *count, "the length is out of date");
    drop(count);
    drop(target);
}

fn erase_and_refill(buffers: &Buffers) {
    let mut count = buffers.count.lock().unwrap();
    *count = 0;
    drop(count);
    let mut count = buffers.count.lock().unwrap();
    *count += 3;
    drop(count);
}
