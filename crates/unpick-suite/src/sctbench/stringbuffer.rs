//! A string buffer appends another one whose length it has read under a lock it then lets go.
//!
//! Another task empties and refills that buffer in between, so that the remembered length is too
//! large. From the JDK 1.4 `StringBuffer`, by way of the CB suite in SCTBench (id 2).

use super::program;
use crate::published::rows::STRINGBUFFER;
use crate::{Arguments, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    &STRINGBUFFER,
    "append one string buffer to another while its length changes",
    "the length is read and used in two critical sections",
    body,
);

struct Buffers {
    target: Mutex<()>,
    count: Mutex<u32>,
}

fn body(_: &Arguments) {
    let buffers = Arc::new(Buffers {
        target: Mutex::new(()),
        count: Mutex::new(3),
    });
    let shared = buffers.clone();
    drop(thread::spawn(move || erase_and_refill(&shared)));
    append(&buffers);
}

fn append(buffers: &Buffers) {
    let target = buffers.target.lock().unwrap();
    let count = buffers.count.lock().unwrap();
    let length = *count;
    drop(count);
    let count = buffers.count.lock().unwrap();
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
