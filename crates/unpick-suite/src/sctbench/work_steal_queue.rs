//! A work-stealing queue: its owner pushes and pops at one end, thieves steal at the other.
//!
//! The queue follows the THE protocol of Cilk (M. Frigo, C. Leiserson, K. Randall, *The implementation of the
//! Cilk-5 multithreaded language*, PLDI 1998). A thief first moves the head and then looks whether
//! it has met the owner, so the place that it reads from is already free in the eyes of the owner: a
//! push must leave one place unused, and here it does not. An element is then overwritten while it is stolen.
//!
//! From the CHESS suite in SCTBench (ids 32 to 35). `chess.WSQ` has a lock that blocks; `chess.IWSQ` one that
//! spins; `chess.IWSQWS` is `IWSQ` that also keeps a table of where every task is, for a search by states; in
//! `chess.SWSQ` the owner pushes everything before it pops.
//!
//! *Kept*: the queue operation by operation, the growth of its array included; two thieves of two attempts each;
//! four elements; the initial size of two. Accesses to the array are no scheduling points, those to head
//! and tail are. *Left out*: how the table of states is written out. An entry of it is one scheduling point here, and
//! several in the study, which is why the published executions are longer.

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::{IWSQ, IWSQWS, SWSQ, WSQ};
use crate::work_steal::{Fault, Guard, Options, Queue};
use crate::{Arguments, Parameter, Program, Published};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use unpick::thread;

pub(crate) const PROGRAM: Program = thieves(&WSQ, |arguments| {
    run(arguments, Guard::Blocking, false, in_turns);
});
pub(crate) const PROGRAM_INTERLOCKED: Program = thieves(&IWSQ, |arguments| {
    run(arguments, Guard::Spinning, false, in_turns);
});
pub(crate) const PROGRAM_INTERLOCKED_STATE: Program = thieves(&IWSQWS, |arguments| {
    run(arguments, Guard::Spinning, true, in_turns);
});
pub(crate) const PROGRAM_STATE: Program = thieves(&SWSQ, |arguments| {
    run(arguments, Guard::Spinning, true, all_at_once);
});

const TWIN: &[Parameter] = &[Parameter::twin("0 leaves one place of the array unused")];

const fn thieves(published: &'static Published, body: fn(&Arguments)) -> Program {
    with_twin(
        published,
        "work-stealing queue with an owner and two thieves",
        "a push can overwrite the element that is being stolen",
        TWIN,
        body,
    )
}

const THIEVES: usize = 2;
const ATTEMPTS: usize = 2;
const ITEMS: usize = 4;
const CAPACITY: usize = 2;

/// How often each element was taken; counting is no scheduling point.
type Taken = [AtomicU32; ITEMS];

fn run(arguments: &Arguments, guard: Guard, keeps_states: bool, own: fn(&Queue, &Taken)) {
    let queue = Arc::new(Queue::new(Options {
        capacity: CAPACITY,
        guard,
        keeps_states,
        fault: arguments.is_on("bug").then_some(Fault::NoGap),
    }));
    let taken: Arc<Taken> = Arc::default();
    let handles = (0..THIEVES)
        .map(|_| {
            let (queue, taken) = (queue.clone(), taken.clone());
            thread::spawn(move || {
                for _ in 0..ATTEMPTS {
                    take(queue.steal(), &taken);
                }
            })
        })
        .collect();
    own(&queue, &taken);
    join_all(handles);
    for (item, count) in taken.iter().enumerate() {
        let count = count.load(Relaxed);
        assert!(count == 1, "element {item} was taken {count} times");
    }
}

fn in_turns(queue: &Queue, taken: &Taken) {
    for first in (0..ITEMS).step_by(2) {
        queue.push(first);
        queue.push(first + 1);
        take(queue.pop(), taken);
    }
    for _ in 0..ITEMS / 2 {
        take(queue.pop(), taken);
    }
}

fn all_at_once(queue: &Queue, taken: &Taken) {
    for item in 0..ITEMS {
        queue.push(item);
    }
    for _ in 0..ITEMS {
        take(queue.pop(), taken);
    }
}

fn take(item: Option<usize>, taken: &Taken) {
    if let Some(item) = item {
        taken[item].fetch_add(1, Relaxed);
    }
}
