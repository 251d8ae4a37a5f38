//! WSQ-1 to WSQ-3: a work-stealing queue with an owner and three thieves, and one of three faults.
//!
//! Atomicity violations of depth 3, 2 and 2. The faults are the three that the CHESS version of the queue
//! names; which of them has which number is our reading, by depth: at depth 2, `pct` finds the second and the third, and
//! never the first.

use super::program;
use crate::join::join_all;
use crate::work_steal::{Fault, Guard, Options, Queue};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use unpick::thread;

pub(crate) const PROGRAM_1: Program = thieves(
    "needlepoint.wsq_1",
    "a thief moves the head after it has looked for the owner",
    |arguments| run(arguments, Fault::LateHead, 104),
);
pub(crate) const PROGRAM_2: Program = thieves(
    "needlepoint.wsq_2",
    "a push can overwrite the element that is being stolen",
    |arguments| run(arguments, Fault::NoGap, 64),
);
pub(crate) const PROGRAM_3: Program = thieves(
    "needlepoint.wsq_3",
    "the owner moves the tail after it has looked for a thief",
    |arguments| run(arguments, Fault::LateTail, 100),
);

const TWIN: &[Parameter] = &[Parameter::twin("0 is the correct queue")];

const fn thieves(name: &'static str, fault: &'static str, body: fn(&Arguments)) -> Program {
    program(
        name,
        "work-stealing queue with an owner and three thieves",
        fault,
        TWIN,
        body,
    )
}

const THIEVES: usize = 3;
const CAPACITY: usize = 2;

fn run(arguments: &Arguments, fault: Fault, items: usize) {
    let queue = Arc::new(Queue::new(Options {
        capacity: CAPACITY,
        guard: Guard::Blocking,
        keeps_states: false,
        fault: arguments.is_on("bug").then_some(fault),
    }));
    let taken: Arc<Vec<AtomicU32>> = Arc::new((0..items).map(|_| AtomicU32::new(0)).collect());
    let take = |item: Option<usize>, taken: &[AtomicU32]| {
        if let Some(item) = item {
            taken[item].fetch_add(1, Relaxed);
        }
    };
    let handles = (0..THIEVES)
        .map(|_| {
            let (queue, taken) = (queue.clone(), taken.clone());
            thread::spawn(move || {
                for _ in 0..items / 2 {
                    take(queue.steal(), &taken);
                }
            })
        })
        .collect();
    for first in (0..items).step_by(2) {
        queue.push(first);
        queue.push(first + 1);
        take(queue.pop(), &taken);
    }
    for _ in 0..items / 2 {
        take(queue.pop(), &taken);
    }
    join_all(handles);
    for (item, count) in taken.iter().enumerate() {
        let count = count.load(Relaxed);
        assert!(count == 1, "element {item} was taken {count} times");
    }
}
