//! A queue is filled and emptied by two tasks that take turns by flags.
//!
//! The second task expects the numbers in the order of its own turns, but a turn in which it finds
//! nothing counts as well. From the CS suite in SCTBench (id 18).

use super::with_twin;
use crate::published::rows::QUEUE;
use crate::{Arguments, Parameter, Program};
use std::collections::VecDeque;
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &QUEUE,
    "queue filled and emptied in turns",
    "a reader that finds nothing counts the turn all the same",
    &[Parameter::twin("0 counts what was stored and read")],
    body,
);

const SIZE: usize = 20;

struct Shared {
    queue: VecDeque<u32>,
    stored: [u32; SIZE],
    may_fill: bool,
    may_empty: bool,
}

fn body(arguments: &Arguments) {
    let counts_turns = arguments.is_on("bug");
    let shared = Arc::new(Mutex::new(Shared {
        queue: VecDeque::with_capacity(SIZE),
        stored: [0; SIZE],
        may_fill: true,
        may_empty: false,
    }));
    let own = shared.clone();
    let filler = thread::spawn(move || fill(&own, counts_turns));
    let emptier = thread::spawn(move || empty(&shared, counts_turns));
    filler.join().unwrap();
    emptier.join().unwrap();
}

fn fill(shared: &Mutex<Shared>, counts_turns: bool) {
    let mut value = 0;
    let mut state = shared.lock().unwrap();
    state.queue.push_back(value);
    state.stored[0] = value;
    drop(state);
    for turn in 0..SIZE - 1 {
        let mut state = shared.lock().unwrap();
        if state.may_fill {
            value += 1;
            state.queue.push_back(value);
            let place = if counts_turns {
                turn + 1
            } else {
                value as usize
            };
            state.stored[place] = value;
            state.may_fill = false;
            state.may_empty = true;
        }
        drop(state);
    }
}

fn empty(shared: &Mutex<Shared>, counts_turns: bool) {
    let mut place = 0;
    for _ in 0..SIZE {
        let mut state = shared.lock().unwrap();
        let may = state.may_empty;
        if may {
            let value = state.queue.pop_front();
            assert!(value == Some(state.stored[place]), "out of order");
            state.may_empty = false;
            state.may_fill = true;
        }
        drop(state);
        place += usize::from(may || counts_turns);
    }
}
