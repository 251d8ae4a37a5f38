//! Pairs of a producer and a consumer; the consumer counts a turn even if the queue was empty.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::collections::VecDeque;
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = program(
    "ibm.producerconsumer",
    "producer and consumer in pairs",
    "a turn without an element is counted",
    &[Parameter::twin("0 counts elements only")],
    body,
);

const ELEMENTS: usize = 2;

fn body(arguments: &Arguments) {
    let counts_elements = !arguments.is_on("bug");
    let pairs: Arc<[Mutex<VecDeque<usize>>; 2]> = Arc::default();
    // Producer and consumer of the first pair, then of the second one.
    run_all(4, move |me| {
        let queue = &pairs[me / 2];
        if me % 2 == 0 {
            for element in 0..ELEMENTS {
                queue.lock().unwrap().push_back(element);
            }
            return;
        }
        let mut turn = 0;
        while turn < ELEMENTS {
            let element = queue.lock().unwrap().pop_front();
            match element {
                Some(element) => {
                    assert!(element == turn, "element {element} in turn {turn}");
                    turn += 1;
                }
                None if counts_elements => thread::yield_now(),
                None => turn += 1,
            }
        }
    });
}
