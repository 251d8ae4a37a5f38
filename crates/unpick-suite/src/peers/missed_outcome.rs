//! A task reads a flag for no purpose and then sets it, while its creator reads the flag once.
//!
//! The creator can find the flag set, which `bug=1` asserts it does not. One Rust peer stops after
//! one execution and never sees that answer (loom issue 392); with `load=0` it does.

use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicBool, Ordering::Relaxed};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "missed_outcome",
    summary: "a flag read by its creator while a task sets it",
    source: Source::Peers,
    parameters: &[
        Parameter::switch("load", "1 reads the flag first for no purpose", 1),
        Parameter::switch("bug", "1 asserts that the flag is never found set", 1),
    ],
    fault: Some("the flag can be found set"),
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let load = arguments.is_on("load");
    let flag = Arc::new(AtomicBool::new(false));
    let shared = flag.clone();
    let setter = thread::spawn(move || {
        if load {
            shared.load(Relaxed);
        }
        shared.store(true, Relaxed);
    });
    let seen = flag.load(Relaxed);
    setter.join().unwrap();
    if arguments.is_on("bug") {
        assert!(!seen, "the flag is set");
    }
}
