//! Clustering of a stream of points: the same workers go through rounds, with barriers between their phases.
//!
//! From the PARSEC suite in SCTBench (ids 40 to 42), three versions of one kernel:
//!
//! - `streamcluster`: the first worker opens a centre and makes the table for it only then; a worker that was woken
//!   by the opening may look before the table is there. It is made once, at the beginning of the stream;
//! - `streamcluster2`: the same among the last two of three workers. Who looks too early gets an old cost, and only
//!   the result of all rounds shows it: the output is wrong;
//! - `streamcluster3`: the array of a part is given back when the first worker has ended, and the second one may
//!   still use it: an access out of bounds. The thesis does not say which array it was; its row says that no preemption
//!   is needed, and that the end of the execution decides.
//!
//! *Kept*: the stream comes in two parts, each with workers of its own; a centre is opened under a lock, with a condition
//! variable; rounds, phases and the barrier of PARSEC, which is a lock and a condition variable too; who sums up;
//! where in the execution the fault is, and that the ordinary schedule passes. *Left out*: points and distances,
//! which are small numbers here. *Fitted*: rounds, points and the place of the fault were chosen so that the programs
//! behave as their published rows say, since nothing else is known of them. That they agree with these is no evidence.

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::{STREAMCLUSTER, STREAMCLUSTER2, STREAMCLUSTER3};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use unpick::sync::{Condvar, Mutex};
use unpick::thread::{self, JoinHandle};

pub(crate) const PROGRAM: Program = with_twin(
    &STREAMCLUSTER,
    "clustering in rounds by two workers",
    "a centre is opened before its table is made",
    &[Parameter::twin("0 makes the table first")],
    |arguments| cluster(arguments, 2, 22, open_and_look, wait_for_all),
);

pub(crate) const PROGRAM_2: Program = with_twin(
    &STREAMCLUSTER2,
    "clustering in rounds by three workers",
    "a centre is opened before its cost is known",
    &[Parameter::twin("0 computes the cost first")],
    |arguments| cluster(arguments, 3, 45, open_and_add, wait_for_all),
);

pub(crate) const PROGRAM_3: Program = with_twin(
    &STREAMCLUSTER3,
    "clustering in rounds by two workers, with an array for both",
    "the array is given back when the first worker has ended",
    &[Parameter::twin("0 waits for both workers")],
    |arguments| cluster(arguments, 2, 30, use_places, give_back),
);

/// The parts of the stream.
const PARTS: usize = 2;
const WORKERS_MAX: usize = 3;
/// The points of a worker that opens a centre: their costs are computed after the opening.
const POINTS: usize = 6;
const COST: usize = 3;

struct Stream {
    workers: usize,
    rounds: usize,
    is_first_part: bool,
    is_faulty: bool,
    barrier: Barrier,
    is_open: Mutex<bool>,
    opened: Condvar,
    /// What the points of the opener cost.
    points: AtomicUsize,
    /// What the centre costs; nothing until it is known.
    cost: AtomicUsize,
    parts: [AtomicUsize; WORKERS_MAX],
    sum: AtomicUsize,
    /// The length of the array that the workers share.
    length: AtomicUsize,
}

/// The barrier of PARSEC: whoever comes last wakes the others.
struct Barrier {
    arrived: Mutex<(usize, usize)>,
    all_arrived: Condvar,
    workers: usize,
}

impl Barrier {
    fn wait(&self) {
        let mut arrived = self.arrived.lock().unwrap();
        arrived.0 += 1;
        if arrived.0 == self.workers {
            *arrived = (0, arrived.1 + 1);
            self.all_arrived.notify_all();
        } else {
            let round = arrived.1;
            while arrived.1 == round {
                arrived = self.all_arrived.wait(arrived).unwrap();
            }
        }
        drop(arrived);
    }
}

type Handles = Vec<JoinHandle<()>>;

fn cluster(
    arguments: &Arguments,
    workers: usize,
    rounds: usize,
    work: fn(&Stream, usize),
    finish: fn(&Stream, Handles),
) {
    for part in 0..PARTS {
        let stream = Arc::new(Stream {
            workers,
            rounds,
            is_first_part: part == 0,
            is_faulty: arguments.is_on("bug"),
            barrier: Barrier {
                arrived: Mutex::new((0, 0)),
                all_arrived: Condvar::new(),
                workers,
            },
            is_open: Mutex::new(false),
            opened: Condvar::new(),
            points: AtomicUsize::new(0),
            cost: AtomicUsize::new(0),
            parts: Default::default(),
            sum: AtomicUsize::new(0),
            length: AtomicUsize::new(workers),
        });
        let handles = (0..workers)
            .map(|me| {
                let stream = stream.clone();
                thread::spawn(move || work(&stream, me))
            })
            .collect();
        finish(&stream, handles);
    }
}

fn wait_for_all(_: &Stream, handles: Handles) {
    join_all(handles);
}

/// Waits for the workers of a part, and gives the array back, too early in the faulty program.
fn give_back(stream: &Stream, mut handles: Handles) {
    let others = handles.split_off(1);
    join_all(handles);
    if stream.is_faulty {
        stream.length.store(0, SeqCst);
    }
    join_all(others);
}

/// The worker before the last one opens a centre, for the last one. Returns what the last one finds it to cost.
fn open(stream: &Stream, me: usize) -> Option<usize> {
    let user = stream.workers - 1;
    if me == user {
        let mut is_open = stream.is_open.lock().unwrap();
        while !*is_open {
            is_open = stream.opened.wait(is_open).unwrap();
        }
        drop(is_open);
        return Some(stream.cost.load(SeqCst));
    }
    if me + 1 == user {
        if !stream.is_faulty {
            know_cost(stream);
        }
        let mut is_open = stream.is_open.lock().unwrap();
        *is_open = true;
        drop(is_open);
        stream.opened.notify_all();
        if stream.is_faulty {
            know_cost(stream);
        }
    }
    None
}

fn know_cost(stream: &Stream) {
    for point in 1..=POINTS {
        stream.points.store(point, SeqCst);
    }
    stream.cost.store(COST, SeqCst);
}

/// Rounds of two phases: all do their part, and the first worker sums up.
fn go_round(stream: &Stream, me: usize) {
    for round in 1..=stream.rounds {
        stream.parts[me].store(round, SeqCst);
        stream.barrier.wait();
        if me == 0 {
            let parts = stream.parts[..stream.workers].iter();
            let sum = parts.map(|part| part.load(SeqCst)).sum();
            stream.sum.store(sum, SeqCst);
        }
        stream.barrier.wait();
    }
}

fn open_and_look(stream: &Stream, me: usize) {
    if stream.is_first_part
        && let Some(cost) = open(stream, me)
    {
        assert!(cost == COST, "the table of the centre is not made");
    }
    go_round(stream, me);
}

fn open_and_add(stream: &Stream, me: usize) {
    let cost = match stream.is_first_part {
        true => open(stream, me),
        false => None,
    };
    go_round(stream, me);
    assert!(cost.is_none_or(|cost| cost == COST), "wrong result");
}

fn use_places(stream: &Stream, me: usize) {
    go_round(stream, me);
    let length = stream.length.load(SeqCst);
    assert!(me < length, "place {me} of an array of {length}");
}
