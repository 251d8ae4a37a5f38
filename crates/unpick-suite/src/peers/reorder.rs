//! `n` setters write a and then b, and one checker loads both and asserts that they are equal.
//!
//! The checker can come between the two writes of the first setter, or between two loads of its
//! own. The simpler relative of SCTBench's reorder programs; used by all the Rust peers.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "reorder",
    summary: "setters of a pair and one checker",
    source: Source::Peers,
    parameters: &[Parameter::size("n", "setters", 3, 1, 100)],
    fault: Some("the checker can see half a pair"),
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let pair = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let mut handles = Vec::with_capacity(arguments.size("n") + 1);
    for _ in 0..arguments.size("n") {
        let pair = pair.clone();
        handles.push(thread::spawn(move || {
            pair[0].store(1, SeqCst);
            pair[1].store(1, SeqCst);
        }));
    }
    handles.push(thread::spawn(move || {
        let a = pair[0].load(SeqCst);
        let b = pair[1].load(SeqCst);
        assert!(a == b, "saw half a pair");
    }));
    join_all(handles);
}
