//! A writer sets two cells and resets them in the opposite order; a reader looks at both.
//!
//! The reader can find the second cell set and the first one already reset, which `bug=1` asserts
//! it does not. With `again=1` the writer also reads its first cell for no purpose; one Rust peer
//! then misses that answer (loom issue 166).

use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "read_pair",
    summary: "two cells set and reset, and a reader of both",
    source: Source::Peers,
    parameters: &[
        Parameter::switch("again", "1 reads the first cell again for no purpose", 0),
        Parameter::switch(
            "bug",
            "1 asserts that the second cell is never set alone",
            1,
        ),
    ],
    fault: Some("the reader can see the second cell set and then the first one reset"),
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let again = arguments.is_on("again");
    let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let shared = cells.clone();
    let writer = thread::spawn(move || {
        let [first, second] = &*shared;
        first.store(1, SeqCst);
        second.store(1, SeqCst);
        second.store(0, SeqCst);
        if again {
            first.load(SeqCst);
        }
        first.store(0, SeqCst);
    });
    let reader = thread::spawn(move || {
        let second = cells[1].load(SeqCst);
        let first = cells[0].load(SeqCst);
        (second, first)
    });
    writer.join().unwrap();
    let seen = reader.join().unwrap();
    if arguments.is_on("bug") {
        assert!(seen != (1, 0), "the second cell is set alone");
    }
}
