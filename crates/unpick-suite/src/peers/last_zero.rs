//! Task j writes x[j] = x[j-1] + 1 and one task searches backwards for the last zero.
//!
//! Correct: x[0] stays zero, so the search ends; (n + 3) 2^(n - 2) Mazurkiewicz traces. After P.
//! Abdulla, S. Aronis, B. Jonsson and K. Sagonas, "Optimal dynamic partial order reduction", POPL
//! 2014; used by interweave.

use crate::join::join_all;
use crate::{Arguments, Parameter, Program, Source};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::thread;

pub(crate) const PROGRAM: Program = Program {
    name: "last_zero",
    summary: "a chain of increments and a search backwards",
    source: Source::Peers,
    parameters: &[Parameter::size("n", "writers", 2, 1, 64)],
    fault: None,
    published: None,
    body,
};

fn body(arguments: &Arguments) {
    let writers = arguments.size("n");
    let cells: Arc<[AtomicUsize]> = (0..=writers).map(|_| AtomicUsize::new(0)).collect();
    let shared = cells.clone();
    let searcher = thread::spawn(move || {
        let mut index = writers;
        while shared[index].load(SeqCst) != 0 {
            index -= 1;
        }
        index
    });
    let handles = (1..=writers)
        .map(|index| {
            let cells = cells.clone();
            thread::spawn(move || {
                let value = cells[index - 1].load(SeqCst);
                cells[index].store(value + 1, SeqCst);
            })
        })
        .collect();
    let last = searcher.join().unwrap();
    join_all(handles);
    assert!(last <= writers, "the search left the cells");
}
