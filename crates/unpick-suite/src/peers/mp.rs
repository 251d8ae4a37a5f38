//! Message passing: one task writes data and then a flag, the other reads the flag and then the
//! data.
//!
//! With relaxed order the flag can be seen before the data; with release and acquire it cannot. A
//! standard litmus test; it passes under `order=1` and under any strategy with sequentially
//! consistent memory.

use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::AtomicUsize;
use unpick::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "mp",
    summary: "litmus test: message passing",
    source: Source::Peers,
    parameters: &[Parameter::switch(
        "order",
        "memory order: 0 relaxed, 1 release and acquire",
        0,
    )],
    fault: Some("under weak memory the flag can be seen before the data"),
    published: None,
    body,
};

#[derive(Default)]
struct Message {
    data: AtomicUsize,
    flag: AtomicUsize,
}

fn body(arguments: &Arguments) {
    let (store_order, load_order) = if arguments.is_on("order") {
        (Release, Acquire)
    } else {
        (Relaxed, Relaxed)
    };
    let message = Arc::new(Message::default());
    let shared = message.clone();
    let sender = thread::spawn(move || {
        shared.data.store(1, Relaxed);
        shared.flag.store(1, store_order);
    });
    let receiver = thread::spawn(move || {
        message.flag.load(load_order) == 1 && message.data.load(Relaxed) == 0
    });
    sender.join().unwrap();
    let flag_without_data = receiver.join().unwrap();
    assert!(!flag_without_data, "the flag came before the data");
}
